/** Notices tabs of questions that have no diff here: left by an earlier window, or opened again after their end. Pure. */

export class Leftovers<Tab extends object> {
  private readonly seen = new WeakSet<Tab>();

  constructor(private readonly isLeft: (tab: Tab) => boolean) {}

  /** Whether such a tab has come since the last look. One that can't be closed is no reason to try again. */
  haveCome(tabs: readonly Tab[]): boolean {
    const fresh = tabs.filter((tab) => !this.seen.has(tab));
    for (const tab of fresh) this.seen.add(tab);
    return fresh.some((tab) => this.isLeft(tab));
  }
}
