import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["dist/", "node_modules/", ".vscode-test/", "src/protocol.ts", "**/*.mjs", "*.mts"] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        project: ["./tsconfig.json", "./webview/tsconfig.json", "./test/tsconfig.json"],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      // Numbers and identifiers in texts are what templates are for.
      "@typescript-eslint/restrict-template-expressions": "off",
      "@typescript-eslint/no-confusing-void-expression": "off",
      // Interfaces that are handed in are often made of arrow functions and of methods alike.
      "@typescript-eslint/unbound-method": "off",
    },
  },
);
