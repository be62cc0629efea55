import { defineConfig } from "vitest/config";

// Real windows: one at a time would leave a core idle, three would starve each other.
export default defineConfig({
  test: {
    include: ["test/stories/**/*.story.ts"],
    globalSetup: ["test/stories/support/globalSetup.ts"],
    testTimeout: 240_000,
    hookTimeout: 60_000,
    pool: "forks",
    maxWorkers: 2,
    reporters: ["verbose"],
  },
});
