/** The page's state once a frame at most, however often it changes. */

import { useEffect, useState } from "preact/hooks";
import type { PageState, Store } from "../store";

export function useFrames(store: Store): PageState {
  const [state, setState] = useState(store.state);
  useEffect(() => {
    let frame: number | undefined;
    const draw = (): void => {
      frame = undefined;
      setState(store.state);
    };
    const changed = (): void => {
      frame ??= requestAnimationFrame(draw);
    };
    if (store.state !== state) changed();
    const unsubscribe = store.subscribe(changed);
    return () => {
      unsubscribe();
      if (frame !== undefined) cancelAnimationFrame(frame);
    };
    // What was drawn first is only compared once.
  }, [store]);
  return state;
}
