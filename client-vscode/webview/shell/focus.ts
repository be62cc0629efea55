/** The focus is never lost: where what has it goes away, with a key's press or by itself, `next` gets it. */

/** Watches everything in `page` until the answer is called. What takes the focus itself within a frame is left to it. */
export function keepFocus(page: HTMLElement, next: () => void): () => void {
  let last: Element | null = null;
  const came = (event: FocusEvent): void => {
    last = event.target instanceof Element ? event.target : null;
  };
  const left = (): void => {
    // Told also of what is just being taken away.
    queueMicrotask(() => {
      if (last?.isConnected && document.activeElement !== last) last = null;
    });
  };
  const look = (): void => {
    if (!last || last.isConnected) return;
    last = null;
    // A window that is not in use must not take the focus from the one that is.
    requestAnimationFrame(() =>
      setTimeout(() => {
        if (document.hasFocus() && isNowhere(document.activeElement)) next();
      }),
    );
  };
  const observer = new MutationObserver(look);
  observer.observe(page, { childList: true, subtree: true });
  page.addEventListener("focusin", came);
  page.addEventListener("focusout", left);
  return () => {
    observer.disconnect();
    page.removeEventListener("focusin", came);
    page.removeEventListener("focusout", left);
  };
}

/** Gives the focus to `next`, unless its user has put it elsewhere than into `own` meanwhile: what comes late takes it from nobody. */
export function passFocus(own: Element | null | undefined, next: HTMLElement | null | undefined): void {
  const { activeElement } = document;
  if (document.hasFocus() && (isNowhere(activeElement) || own?.contains(activeElement))) next?.focus();
}

function isNowhere(element: Element | null): boolean {
  return element === null || element === document.body;
}
