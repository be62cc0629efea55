import { defineConfig } from "vitest/config";

// Real windows: one at a time would leave a core idle, three would starve each other.
export default defineConfig({
  test: {
    include: ["test/stories/**/*.story.ts"],
    globalSetup: ["test/stories/support/globalSetup.ts"],
    // Each wait has a patience of its own; a whole story takes ten times as long on a slow machine as on a quick one.
    testTimeout: 1_200_000,
    hookTimeout: 180_000,
    pool: "forks",
    maxWorkers: 2,
    reporters: ["verbose"],
  },
});
