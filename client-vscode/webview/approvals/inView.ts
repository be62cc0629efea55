/** Which questions' buttons the reader can see in the transcript: one that is scrolled away needs a place elsewhere. */

import { useEffect, useState } from "preact/hooks";
import { type Clock, PAGE_CLOCK } from "./gate";

export class InView {
  private readonly seen = new Set<string>();
  private readonly listeners = new Set<() => void>();

  constructor(readonly clock: Clock) {}

  has(id: string): boolean {
    return this.seen.has(id);
  }

  set(id: string, visible: boolean): void {
    if (visible === this.seen.has(id)) return;
    if (visible) this.seen.add(id);
    else this.seen.delete(id);
    for (const listener of this.listeners) listener();
  }

  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

/** The one of this page. */
export const pageView = new InView(PAGE_CLOCK);

/** Tells `view` whether `element` is on the screen, while it is there. */
export function useTellInView(view: InView, id: string, element: { current: HTMLElement | null }): void {
  useEffect(() => {
    if (!element.current || typeof IntersectionObserver === "undefined") return;
    const observer = new IntersectionObserver(
      (entries) => view.set(id, entries.some(({ isIntersecting }) => isIntersecting)),
      { threshold: 0.5 },
    );
    observer.observe(element.current);
    return () => {
      observer.disconnect();
      view.set(id, false);
    };
  }, [view, id, element]);
}

/** Milliseconds: a question that has just come is about to be scrolled to, one that is drawn anew is back at once. */
const PATIENCE_MS = 600;

/** Those of `ids` that have been out of view for a while. */
export function useOutOfView(view: InView, ids: readonly string[]): ReadonlySet<string> {
  const [out, setOut] = useState<ReadonlySet<string>>(new Set());
  const key = ids.join(" ");
  useEffect(() => {
    const all = key === "" ? [] : key.split(" ");
    let stopWaiting: () => void = () => undefined;
    const look = (): void => setOut(new Set(all.filter((id) => !view.has(id))));
    const changed = (): void => {
      // What is in view again goes at once.
      setOut((before) => new Set([...before].filter((id) => all.includes(id) && !view.has(id))));
      stopWaiting();
      stopWaiting = view.clock.after(PATIENCE_MS, look);
    };
    changed();
    const forget = view.listen(changed);
    return () => {
      forget();
      stopWaiting();
    };
  }, [view, key]);
  return out;
}
