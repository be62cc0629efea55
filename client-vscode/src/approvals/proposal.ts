/**
 * What a question proposes, file by file, and what the user makes of it: hunks left out, or a text of their own. The proposed
 * side always holds exactly what a yes would write. Pure.
 */

import { t } from "../l10n";
import type { ApprovalAnswer, ApprovalRequest, ChangeTexts, FileChangeData } from "../protocol";
import { Refused } from "../server/refused";
import { choose, firstDifference, leftOutOf, type PlacedHunk } from "./hunks";

interface File {
  readonly change: FileChangeData;
  readonly oldText: string;
  readonly newText: string;
  /** The proposed side as it is now. */
  text: string;
  /** Ids of hunks that are left out; null: the text is the user's own. */
  leftOut: ReadonlySet<string> | null;
}

export class Proposal {
  private readonly files: readonly File[];

  constructor(
    readonly request: ApprovalRequest,
    texts: readonly ChangeTexts[],
  ) {
    this.files = request.changes.map((change) => {
      const both = texts.find(({ uri }) => uri === change.uri) ?? { oldText: "", newText: "" };
      const { oldText, newText } = both;
      return { change, oldText, newText, text: newText, leftOut: NONE };
    });
  }

  get size(): number {
    return this.files.length;
  }

  change(index: number): FileChangeData {
    return this.file(index).change;
  }

  oldText(index: number): string {
    return this.file(index).oldText;
  }

  text(index: number): string {
    return this.file(index).text;
  }

  /** Whether the user can rewrite the proposed side: only if it will be a file's text. */
  editable(index: number): boolean {
    const { kind } = this.file(index).change;
    return kind === "edit" || kind === "create";
  }

  /** Where the hunks are on the proposed side; none once the user has rewritten it. */
  hunks(index: number): readonly PlacedHunk[] {
    const { leftOut } = this.file(index);
    return leftOut === null ? [] : this.chosen(index, leftOut).hunks;
  }

  /** The proposed side's first line that differs; zero-based. */
  firstChange(index: number): number {
    const { oldText, text } = this.file(index);
    return firstDifference(oldText, text);
  }

  /** The proposed side now holds this text, with any line ends. True if that changes the answer. */
  wrote(index: number, text: string): boolean {
    const file = this.file(index);
    const now = lineFeeds(text);
    if (now === lineFeeds(file.text)) return false;
    const { oldText, newText, change } = file;
    file.leftOut = leftOutOf(lineFeeds(oldText), lineFeeds(newText), change.hunks, now);
    file.text = file.leftOut ? this.chosen(index, file.leftOut).text : now;
    return true;
  }

  /**
   * Takes in a hunk or leaves it out, and returns the new text of the proposed side.
   *
   * @throws Refused the user has rewritten the text, or nothing would be left of the whole proposal.
   */
  toggle(index: number, id: string): string {
    const file = this.file(index);
    if (file.leftOut === null) throw new Refused(t("You have edited this text: undo that to choose hunks."), "failed");
    const leftOut = new Set(file.leftOut);
    if (!leftOut.delete(id)) leftOut.add(id);
    const before = file.leftOut;
    file.leftOut = leftOut;
    if (this.isNothing) {
      file.leftOut = before;
      throw new Refused(nothingLeft(), "failed");
    }
    file.text = this.chosen(index, leftOut).text;
    return file.text;
  }

  /** A yes would change no file. A change without hunks, such as a move, is always made. */
  private get isNothing(): boolean {
    return this.files.every(({ change: { hunks, kind }, leftOut, oldText, text }) =>
      leftOut === null ? kind === "edit" && lineFeeds(text) === lineFeeds(oldText) : hunks.length > 0 && leftOut.size === hunks.length,
    );
  }

  get edited(): boolean {
    return this.files.some(({ leftOut }) => leftOut === null);
  }

  /** Ids of the hunks to apply; null: all, or the edited texts count instead. */
  get chosenHunks(): readonly string[] | null {
    if (this.edited || this.files.every(({ leftOut }) => leftOut?.size === 0)) return null;
    return this.files.flatMap(({ change, leftOut }) =>
      change.hunks.map(({ id }) => id).filter((id) => !leftOut?.has(id)),
    );
  }

  /**
   * The answer; if it is a yes, with what the user has made of the proposal.
   *
   * @throws Refused every file would stay as it is.
   */
  complete(answer: ApprovalAnswer): ApprovalAnswer {
    if (!isYes(answer.decision)) return answer;
    if (this.files.length > 0 && this.isNothing) throw new Refused(nothingLeft(), "badAnswer");
    const hunks = this.chosenHunks;
    if (hunks) return { ...answer, hunks: [...hunks] };
    if (!this.edited) return answer;
    const edited = this.files
      .filter(({ text, newText }) => lineFeeds(text) !== lineFeeds(newText))
      .map(({ change, text }) => ({ uri: change.uri, newText: text }));
    return { ...answer, edited };
  }

  private file(index: number): File {
    const file = this.files[index];
    if (!file) throw new RangeError(`there is no file ${index} in this question`);
    return file;
  }

  private chosen(index: number, leftOut: ReadonlySet<string>): ReturnType<typeof choose> {
    const { change, oldText, newText } = this.file(index);
    return choose(oldText, newText, change.hunks, (id) => !leftOut.has(id));
  }
}

export function isYes(decision: ApprovalAnswer["decision"]): boolean {
  return decision === "accept" || decision === "acceptForRun" || decision === "acceptForSession";
}

function nothingLeft(): string {
  return t("One hunk has to stay. To change nothing, decline.");
}

const NONE: ReadonlySet<string> = new Set();

/** VS Code uses other line ends than the protocol, and converts a lone CR to one. */
function lineFeeds(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}
