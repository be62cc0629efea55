/** What a key means in the composer. Pure. */

/** Of a `KeyboardEvent`. */
export interface KeyPress {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
  /** An input method composes text with it. */
  readonly isComposing: boolean;
  readonly keyCode: number;
}

export interface ComposerNow {
  /** A completion list is open and has something to choose. */
  readonly completing: boolean;
  /** What a completion list would have is still being looked for. */
  readonly looking: boolean;
  /** A completion list is open, also one that is empty or still looks. */
  readonly listOpen: boolean;
  readonly live: boolean;
  readonly empty: boolean;
  /** What is shown was brought back from the history. */
  readonly browsing: boolean;
}

export type Intent =
  | "sendNow"
  | "sendLater"
  | "stop"
  | "older"
  | "newer"
  | "acceptItem"
  | "acceptWhenFound"
  | "nextItem"
  | "previousItem"
  | "firstItem"
  | "lastItem"
  | "closeList";

/** Null: the key is the text box's own. While text is composed every key belongs to the input method. */
export function intent(press: KeyPress, now: ComposerNow): Intent | null {
  if (composes(press)) return null;
  if (now.listOpen) {
    const inList = listIntent(press, now.completing);
    if (inList) return inList;
  }
  // It would leave the box; Enter is not held up, it sends what stands there.
  if (now.looking && press.key === "Tab" && plain(press)) return "acceptWhenFound";
  switch (press.key) {
    case "Enter":
      if (press.shiftKey) return null;
      return press.altKey ? "sendLater" : "sendNow";
    case "Escape":
      return now.live ? "stop" : null;
    case "ArrowUp":
      return plain(press) && (now.empty || now.browsing) ? "older" : null;
    case "ArrowDown":
      return plain(press) && now.browsing ? "newer" : null;
    default:
      return null;
  }
}

/** The key is part of what an input method composes (229 is how some say so). */
export function composes(press: Pick<KeyPress, "isComposing" | "keyCode">): boolean {
  return press.isComposing || press.keyCode === 229;
}

function listIntent(press: KeyPress, completing: boolean): Intent | null {
  if (press.key === "Escape") return "closeList";
  if (!completing || !plain(press)) return null;
  switch (press.key) {
    case "Enter":
    case "Tab":
      return "acceptItem";
    case "ArrowDown":
      return "nextItem";
    case "ArrowUp":
      return "previousItem";
    case "PageUp":
      return "firstItem";
    case "PageDown":
      return "lastItem";
    default:
      return null;
  }
}

function plain(press: KeyPress): boolean {
  return !press.shiftKey && !press.altKey;
}
