/** The servers of one story, by the STEERSMAN_HOME in their environment: no other process is ever touched. */

import { readdirSync, readFileSync } from "node:fs";

/** Ids of the running `steersman serve` whose home it is. */
export function serversOf(home: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => file(pid, "environ").includes(`STEERSMAN_HOME=${home}`) && /\0serve\0/.test(file(pid, "cmdline")))
    .map(Number);
}

export function kill(pid: number): void {
  process.kill(pid, "SIGKILL");
}

function file(pid: string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return ""; // It has ended, or it is somebody else's.
  }
}
