import { defineConfig } from "vitest/config";

// One at a time, on an otherwise quiet machine.
export default defineConfig({
  test: {
    include: ["test/bench/**/*.bench.ts"],
    globalSetup: ["test/stories/support/globalSetup.ts"],
    testTimeout: 900_000,
    hookTimeout: 60_000,
    pool: "forks",
    maxWorkers: 1,
    disableConsoleIntercept: true,
  },
});
