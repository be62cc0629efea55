/** Asks the server for sessions, page by page: those of the workspace's folders, and those of all others. It knows no editor. */

import type { ListedSession, SessionsAnswer, SessionsParams } from "../protocol";
import { type Listing, OTHERS, sameFolder } from "./groups";
import type { Row } from "./rows";

export const PAGE = 100;
/** The server lists no more. */
export const MOST = 1000;

export type AskSessions = (params: SessionsParams) => Promise<SessionsAnswer>;

export class SessionList {
  private readonly shown = new Map<string, number>();
  private words = "";

  constructor(
    private readonly ask: AskSessions,
    private readonly rowOf: (listed: ListedSession) => Row,
  ) {}

  /** Words in the title; "" for all sessions. */
  get query(): string {
    return this.words;
  }

  set query(words: string) {
    this.words = words.trim();
    this.shown.clear();
  }

  /** Lists one page more of a scope (a folder's URI, or `OTHERS`) from now on. */
  showMore(scope: string): void {
    this.shown.set(scope, this.limit(scope) + PAGE);
  }

  /** The sessions of one folder. */
  async of(folder: string): Promise<Listing> {
    const limit = this.limit(folder);
    const { sessions } = await this.ask({ root: folder, query: this.words, limit: Math.min(limit + 1, MOST) });
    return this.listing(sessions, limit, sessions.length >= MOST);
  }

  /** The sessions of all folders but `own`. `listed`: ids of sessions known to belong to `own`, under whatever name. */
  async others(own: readonly string[], listed: ReadonlySet<string>): Promise<Listing> {
    const limit = this.limit(OTHERS);
    for (let asked = Math.min(limit + 1, MOST); ; asked = Math.min(asked * 4, MOST)) {
      const { sessions } = await this.ask({ query: this.words, limit: asked });
      const theirs = sessions.filter(
        ({ session, roots }) => !listed.has(session) && !own.some((folder) => sameFolder(folder, roots[0] ?? "")),
      );
      // The newest may nearly all be the workspace's own: then more are fetched.
      if (theirs.length > limit || sessions.length < asked || asked === MOST) {
        return this.listing(theirs, limit, sessions.length >= MOST);
      }
    }
  }

  /** Whether there are more than `known` sessions: the newest `known + 1` tell. */
  async hasOthers(known: number): Promise<boolean> {
    const { sessions } = await this.ask({ limit: Math.min(known + 1, MOST) });
    return sessions.length > known;
  }

  private limit(scope: string): number {
    return Math.min(this.shown.get(scope) ?? PAGE, MOST);
  }

  private listing(sessions: readonly ListedSession[], limit: number, cut: boolean): Listing {
    const rows = sessions.slice(0, limit).map(this.rowOf);
    return { rows, more: sessions.length > limit ? "page" : cut ? "end" : "none" };
  }
}
