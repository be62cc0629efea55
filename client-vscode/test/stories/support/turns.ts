/** Lines of a tape, in the words of a story. */

import type { Turn } from "./tape";

type Call = NonNullable<Turn["toolCalls"]>[number];

export function edit(path: string, ...edits: readonly (readonly [oldText: string, newText: string])[]): Call {
  return { name: "edit", arguments: { path, edits: edits.map(([oldText, newText]) => ({ oldText, newText })) } };
}

export const read = (path: string): Call => ({ name: "read", arguments: { path } });
export const write = (path: string, content: string): Call => ({ name: "write", arguments: { path, content } });
export const bash = (command: string): Call => ({ name: "bash", arguments: { command } });

/** What the sample shop's two faults are mended by. */
export const ADD = {
  path: "shop/basket.py",
  wrong: "        self._items[article] = quantity\n",
  right: "        self._items[article] = self._items.get(article, 0) + quantity\n",
};
export const FREE = { path: "shop/shipping.py", wrong: "goods > FREE_FROM", right: "goods >= FREE_FROM" };
