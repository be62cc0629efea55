import { defineConfig } from "vitest/config";

export default defineConfig({
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  test: {
    include: ["test/unit/**/*.test.{ts,tsx}"],
    // Programs start and timers ring late on a machine that has much else to do.
    testTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
