/** All that the logic behind the chat needs of the server: it carries out commands. */

import type { Commands } from "../protocol";

export interface Commander {
  /** @throws Refused (the promise rejects) with the server's code, or `noServer`. */
  execute<K extends keyof Commands>(
    command: K,
    params: Exclude<Commands[K]["params"], string>,
  ): Promise<Commands[K]["answer"]>;
}
