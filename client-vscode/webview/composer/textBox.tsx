/** The text box of the composer: it grows with its text, completes, and turns keys into what they mean. */

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Bridge } from "../bridge";
import { t } from "../l10n";
import { Completer, type List } from "./completer";
import { intent } from "./keys";
import { itemId, LIST_ID, Suggestions } from "./suggestions";
import { complete, isComplete, tokenAt } from "./tokens";
import { step } from "./history";

export interface TextBoxProps {
  readonly text: string;
  readonly live: boolean;
  readonly connected: boolean;
  readonly bridge: Bridge;
  /** What was said before, the newest first. */
  readonly history: () => readonly string[];
  /** Counts the wishes that the box take the focus. */
  readonly focus: number;
  readonly change: (text: string) => void;
  readonly send: (when: "now" | "later") => void;
  readonly stop: () => void;
  readonly paste: (files: readonly File[]) => void;
}

export function TextBox(props: TextBoxProps) {
  const { text, live, connected, bridge, change } = props;
  const box = useRef<HTMLTextAreaElement>(null);
  const caret = useRef<number | null>(null);
  const looked = useRef("");
  /** The first item is to be taken when the list has come. */
  const wanted = useRef(false);
  /** A list was open when the box lost the focus. */
  const left = useRef(false);
  const place = useRef(-1);
  const history = useRef<readonly string[]>([]);
  const [list, setList] = useState<List | null>(null);
  const completer = useMemo(
    () =>
      new Completer(
        async ({ trigger, query }) => (await bridge.call("complete", { trigger, query })).items,
        setList,
      ),
    [bridge],
  );

  useGrowing(box, text);
  useLayoutEffect(() => {
    if (caret.current === null) return;
    box.current?.setSelectionRange(caret.current, caret.current);
    caret.current = null;
  }, [text]);
  useEffect(() => {
    // It was sent, or the host has put another text in its place: what is looked for is no part of it. More may have been
    // typed since this text was drawn, and that has been looked at.
    if (box.current?.value !== looked.current) completer.look(null);
  }, [text, completer]);
  useEffect(() => {
    if (props.focus > 0) box.current?.focus();
  }, [props.focus]);

  const active = list?.items[list.active];
  // An older list, and one that has nothing to add, must not take Enter away from the message.
  const completing = list !== null && list.fresh && active !== undefined && !isComplete(text, list.token, active);

  const look = (): void => {
    const element = box.current;
    looked.current = element?.value ?? "";
    if (!element || element.selectionStart !== element.selectionEnd) return completer.look(null);
    completer.look(tokenAt(element.value, element.selectionStart));
  };
  useEffect(() => {
    // What was asked of a host that was gone is asked again.
    if (connected && box.current?.value === looked.current) look();
  }, [connected]);
  const accept = (at: number): void => {
    const now = completer.list;
    const item = now?.items[at];
    if (!now || !item) return;
    const edited = complete(text, now.token, item);
    caret.current = edited.caret;
    change(edited.text);
    looked.current = edited.text;
    completer.look(tokenAt(edited.text, edited.caret));
  };
  useEffect(() => {
    if (!wanted.current || (list !== null && !list.fresh && completer.looking)) return;
    wanted.current = false;
    if (completing) accept(list.active);
  }, [list]);
  const browse = (by: 1 | -1): void => {
    if (place.current < 0) history.current = props.history();
    place.current = step(history.current, place.current, by);
    const shown = history.current[place.current] ?? "";
    caret.current = shown.length;
    change(shown);
  };

  const pressed = (event: KeyboardEvent): void => {
    const browsing = place.current >= 0 && text === history.current[place.current];
    if (!browsing) place.current = -1;
    const listOpen = list !== null && list.items.length > 0;
    const { looking } = completer;
    const meant = intent(event, { completing, looking, listOpen, live, empty: text === "", browsing });
    wanted.current = meant === "acceptWhenFound";
    if (meant === null) return;
    event.preventDefault();
    event.stopPropagation();
    switch (meant) {
      case "sendNow":
        return props.send("now");
      case "sendLater":
        return props.send("later");
      case "stop":
        return props.stop();
      case "older":
        return browse(1);
      case "newer":
        return browse(-1);
      case "acceptItem":
        return accept(list?.active ?? 0);
      case "acceptWhenFound":
        return;
      case "nextItem":
        return completer.move(1);
      case "previousItem":
        return completer.move(-1);
      case "firstItem":
        return completer.moveTo(0);
      case "lastItem":
        return completer.moveTo((list?.items.length ?? 0) - 1);
      case "closeList":
        return completer.close();
    }
  };

  const open = list !== null && list.items.length > 0;
  return (
    <>
      {list && <Suggestions list={list} choose={accept} />}
      <span class="visually-hidden" role="status">
        {open && list.fresh ? t("{0} suggestions", list.items.length) : ""}
      </span>
      <textarea
        ref={box}
        class="composer-text"
        rows={1}
        aria-label={t("Message")}
        aria-autocomplete="list"
        aria-controls={open ? LIST_ID : undefined}
        aria-activedescendant={open ? itemId(list.active) : undefined}
        placeholder={live ? t("Steer the run") : t("Ask, or say what to do")}
        value={text}
        onInput={(event) => {
          change(event.currentTarget.value);
          look();
        }}
        onKeyDown={pressed}
        onKeyUp={(event) => {
          if (/^(Arrow(Left|Right)|Home|End)$/.test(event.key)) look();
        }}
        onClick={look}
        onFocus={() => left.current && look()}
        onBlur={() => {
          left.current = list !== null;
          completer.look(null);
        }}
        onPaste={(event) => {
          const files = [...(event.clipboardData?.files ?? [])];
          if (files.length === 0) return;
          event.preventDefault();
          props.paste(files);
        }}
      />
    </>
  );
}

function useGrowing(box: { readonly current: HTMLTextAreaElement | null }, text: string): void {
  const fit = (): void => {
    const element = box.current;
    if (!element) return;
    element.style.height = "auto";
    element.style.height = `${element.scrollHeight}px`;
  };
  useLayoutEffect(fit, [text]);
  useEffect(() => {
    window.addEventListener("resize", fit);
    return () => window.removeEventListener("resize", fit);
  }, []);
}
