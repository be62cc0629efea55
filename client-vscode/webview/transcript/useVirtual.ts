/**
 * The rows of a long list that are in view, and where they are. Sizes are measured as rows are drawn; what is above the
 * view may change its size without moving what is in view. Keeps to the end while `Follow` says so.
 */

import {
  defaultRangeExtractor,
  elementScroll,
  measureElement,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualItem,
} from "@tanstack/virtual-core";
import type { RefObject } from "preact";
import { useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";
import { Follow } from "./follow";

const ESTIMATE_PX = 60;
/** For a page that is not laid out: nothing in it has a height, which is not to be believed. */
const UNSEEN = { width: 400, height: 800 };

type Rows = Virtualizer<HTMLElement, HTMLElement>;

export interface VirtualRows {
  readonly items: readonly VirtualItem[];
  readonly height: number;
  readonly measure: (element: HTMLElement | null) => void;
  readonly following: boolean;
  /** Goes to the end and keeps to it. */
  readonly toEnd: () => void;
}

interface Options {
  readonly keys: readonly string[];
  readonly scroller: RefObject<HTMLElement>;
  /** Rows that stay drawn wherever the view is: somebody writes in them, or is in them with his keyboard. */
  readonly pinned: () => readonly number[];
}

export function useVirtual({ keys, scroller, pinned }: Options): VirtualRows {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const [follow] = useState(() => new Follow());
  const now = useRef({ keys, pinned });
  now.current = { keys, pinned };
  const [virtualizer] = useState(() => new Virtualizer<HTMLElement, HTMLElement>(options(0)));
  virtualizer.setOptions(options(keys.length));

  function options(count: number) {
    return {
      count,
      getScrollElement: () => scroller.current,
      estimateSize: () => ESTIMATE_PX,
      getItemKey: (index: number) => now.current.keys[index] ?? index,
      scrollToFn: elementScroll,
      observeElementRect: (instance: Rows, tell: (rect: typeof UNSEEN) => void) =>
        observeElementRect(instance, (rect) => tell(rect.height > 0 ? rect : UNSEEN)),
      measureElement: (element: HTMLElement, entry: ResizeObserverEntry | undefined, instance: Rows) =>
        measureElement(element, entry, instance) || ESTIMATE_PX,
      observeElementOffset,
      initialRect: UNSEEN,
      overscan: 6,
      rangeExtractor: (range: Parameters<typeof defaultRangeExtractor>[0]) => {
        const wanted = [...defaultRangeExtractor(range), ...now.current.pinned()];
        return [...new Set(wanted)].filter((index) => index < range.count).sort((a, b) => a - b);
      },
      onChange: () => redraw(0),
    };
  }

  // While the end is followed the end is what stays; else it is what is in view.
  virtualizer.shouldAdjustScrollPositionOnItemSizeChange = (item, _delta, { itemSizeCache, scrollOffset, scrollDirection }) => {
    if (follow.following || scrollOffset === null) return false;
    if (!itemSizeCache.has(item.key)) return item.start < scrollOffset;
    return item.end <= scrollOffset && scrollDirection !== "backward";
  };

  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => {
    virtualizer._willUpdate();
    if (follow.following) keepToEnd(scroller.current, follow);
    else if (seesAll(scroller.current)) {
      // The session has gone back to where there is less to see.
      follow.toEnd();
      redraw(0);
    }
  });
  useLayoutEffect(() => listen(scroller.current, follow, () => redraw(0)), [follow, scroller]);

  return {
    items: virtualizer.getVirtualItems(),
    height: virtualizer.getTotalSize(),
    measure: virtualizer.measureElement,
    following: follow.following,
    toEnd: () => {
      follow.toEnd();
      redraw(0);
    },
  };
}

function seesAll(element: HTMLElement | null): boolean {
  return element !== null && element.scrollHeight <= element.clientHeight;
}

function keepToEnd(element: HTMLElement | null, follow: Follow): void {
  if (!element) return;
  const end = element.scrollHeight - element.clientHeight;
  if (end - element.scrollTop >= 1) element.scrollTop = end;
  // Also where there is less than before and the browser has drawn the view up: nobody has scrolled.
  follow.wrote(element.scrollTop);
}

/** Of a page, so that a line of the one before is still seen. */
const PAGE = 0.9;

/**
 * Goes where a key says, at once: the browser would glide there, and lose its way when a row on it is measured and the
 * view is moved to stay in its place. False: the key is left to the browser.
 */
function goBy(key: string, element: HTMLElement, follow: Follow): boolean {
  switch (key) {
    case "Home":
      follow.pushedUp();
      element.scrollTop = 0;
      return true;
    case "PageUp":
      if (element.scrollTop > 0) follow.pushedUp();
      element.scrollTop -= PAGE * element.clientHeight;
      return true;
    case "PageDown":
      element.scrollTop += PAGE * element.clientHeight;
      return true;
    case "End":
      follow.toEnd();
      return true;
    case "ArrowUp":
      if (element.scrollTop > 0) follow.pushedUp();
      return false;
    default:
      return false;
  }
}

/** Tells `follow` what its user does; `changed` is called when it follows or ceases to. */
function listen(element: HTMLElement | null, follow: Follow, changed: () => void): () => void {
  if (!element) return () => undefined;
  const after = (tell: () => void): void => {
    const before = follow.following;
    tell();
    if (follow.following !== before) changed();
  };
  const canGoUp = (): boolean => element.scrollTop > 0;
  const scrolled = (): void =>
    after(() => {
      const { scrollTop: top, scrollHeight, clientHeight } = element;
      follow.scrolled({ top, below: scrollHeight - clientHeight - top });
    });
  const wheel = (event: WheelEvent): void => after(() => event.deltaY < 0 && canGoUp() && follow.pushedUp());
  const key = (event: KeyboardEvent): void =>
    after(() => {
      const plain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey;
      if (event.target !== element || !plain || !goBy(event.key, element, follow)) return;
      event.preventDefault();
      if (follow.following) changed();
    });
  let touched = 0;
  const touch = (event: TouchEvent): void =>
    after(() => {
      const y = event.touches[0]?.clientY ?? touched;
      if (event.type === "touchmove" && y > touched && canGoUp()) follow.pushedUp();
      touched = y;
    });
  const passive = { passive: true };
  // Before the list itself hears of it: that draws, and a drawing that follows would go back to the end.
  const first = { passive: true, capture: true };
  element.addEventListener("scroll", scrolled, first);
  element.addEventListener("wheel", wheel, passive);
  element.addEventListener("touchstart", touch, passive);
  element.addEventListener("touchmove", touch, passive);
  element.addEventListener("keydown", key);
  return () => {
    element.removeEventListener("scroll", scrolled, first);
    element.removeEventListener("wheel", wheel);
    element.removeEventListener("touchstart", touch);
    element.removeEventListener("touchmove", touch);
    element.removeEventListener("keydown", key);
  };
}
