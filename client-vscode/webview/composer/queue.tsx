/** What waits to be said to the live run: each can be changed, moved and taken out until it goes to the model. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { QueuedItem } from "../../src/protocol";
import type { ViewCalls } from "../../src/view/messages";
import { type Bridge, CallFailed } from "../bridge";
import { t } from "../l10n";
import { composes } from "./keys";
import { moveBy, moveOnto, otherKind, type Move } from "./queueMoves";

export interface QueueProps {
  /** The session that it is of. */
  readonly session: string | null;
  readonly items: readonly QueuedItem[];
  readonly bridge: Bridge;
  /** Tells the user what could not be done. */
  readonly tell: (message: string) => void;
  /** A changed text that can't be queued any more: it belongs where it can be sent again. */
  readonly bringBack: (text: string) => void;
}

interface Editing {
  readonly session: string | null;
  readonly id: string;
  readonly before: string;
  readonly text: string;
}

export function Queue({ session, items, bridge, tell, bringBack }: QueueProps) {
  const [begun, setEditing] = useState<Editing | null>(null);
  // While another session is shown it waits, and is delivered to nobody.
  const editing = begun?.session === session ? begun : null;
  const dragged = useRef<string | null>(null);

  useEffect(() => {
    if (!editing || items.some(({ id }) => id === editing.id)) return;
    // It went to the model while it was being changed.
    setEditing(null);
    if (editing.text !== editing.before && editing.text.trim() !== "") {
      bringBack(editing.text);
      tell(t("The message was delivered before you had changed it. Your text is in the box below."));
    }
  }, [items, editing]);

  const call = async (params: ViewCalls["queue"]["params"]): Promise<void> => {
    try {
      await bridge.call("queue", params);
    } catch (error) {
      if (params.op === "edit" && params.text) bringBack(params.text);
      tell(why(error));
    }
  };
  const move = (id: string, to: Move | null): void => {
    if (to) void call({ op: "move", id, ...to });
  };

  if (items.length === 0) return null;
  return (
    <ul class="composer-queue" aria-label={t("Queued messages")}>
      {items.map((item) => (
        <li
          key={item.id}
          class="composer-queued"
          draggable={editing?.id !== item.id}
          onDragStart={() => (dragged.current = item.id)}
          onDragOver={(event) => dragged.current !== null && event.preventDefault()}
          onDragEnd={() => (dragged.current = null)}
          onDrop={(event) => {
            event.preventDefault();
            if (dragged.current !== null) move(dragged.current, moveOnto(items, dragged.current, item.id));
            dragged.current = null;
          }}
        >
          {editing?.id === item.id ? (
            <EditBox
              text={editing.text}
              change={(text) => setEditing({ ...editing, text })}
              cancel={() => setEditing(null)}
              save={() => {
                setEditing(null);
                if (editing.text.trim() === "") void call({ op: "remove", id: item.id });
                else if (editing.text !== item.text) void call({ op: "edit", id: item.id, text: editing.text });
              }}
            />
          ) : (
            <Chip
              item={item}
              edit={() => setEditing({ session, id: item.id, before: item.text, text: item.text })}
              remove={() => void call({ op: "remove", id: item.id })}
              change={() => void call({ op: "move", id: item.id, kind: otherKind(item) })}
              moveBy={(by) => move(item.id, moveBy(items, item.id, by))}
            />
          )}
        </li>
      ))}
    </ul>
  );
}

function why(error: unknown): string {
  const code = error instanceof CallFailed ? error.code : "";
  if (code === "unknownItem") return t("The message was delivered already.");
  if (code === "notRunning" || code === "unknownRun") return t("The run has ended: nothing is queued any more.");
  return error instanceof Error ? error.message : String(error);
}

interface ChipProps {
  readonly item: QueuedItem;
  readonly edit: () => void;
  readonly remove: () => void;
  readonly change: () => void;
  readonly moveBy: (by: 1 | -1) => void;
}

function Chip({ item, edit, remove, change, moveBy }: ChipProps) {
  const steer = item.kind === "steer";
  return (
    <>
      <button
        class="icon-button composer-grip"
        aria-label={t("Move with the arrow keys")}
        title={t("Drag, or move with the arrow keys")}
        onKeyDown={(event) => {
          if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
          event.preventDefault();
          moveBy(event.key === "ArrowUp" ? -1 : 1);
        }}
      >
        <span class="codicon codicon-gripper" aria-hidden="true" />
      </button>
      <button
        class="composer-kind"
        onClick={change}
        title={
          steer
            ? t("Said with the run's next request. Click to say it when the run would end.")
            : t("Said when the run would end. Click to say it with the next request.")
        }
      >
        {steer ? t("Steer") : t("Follow-up")}
      </button>
      <span class="composer-queued-text" title={item.text}>
        {item.text}
      </span>
      <button class="icon-button" aria-label={t("Edit")} title={t("Edit")} onClick={edit}>
        <span class="codicon codicon-edit" aria-hidden="true" />
      </button>
      <button class="icon-button" aria-label={t("Remove")} title={t("Remove")} onClick={remove}>
        <span class="codicon codicon-close" aria-hidden="true" />
      </button>
    </>
  );
}

interface EditBoxProps {
  readonly text: string;
  readonly change: (text: string) => void;
  readonly save: () => void;
  readonly cancel: () => void;
}

function EditBox({ text, change, save, cancel }: EditBoxProps) {
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => box.current?.focus(), []);
  return (
    <>
      <textarea
        ref={box}
        class="composer-edit"
        aria-label={t("Edit the queued text")}
        value={text}
        rows={Math.min(6, text.split("\n").length)}
        onInput={(event) => change(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (composes(event)) return;
          if (event.key === "Escape") cancel();
          else if (event.key === "Enter" && !event.shiftKey) save();
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <button class="icon-button" aria-label={t("Save")} title={t("Save")} onClick={save}>
        <span class="codicon codicon-check" aria-hidden="true" />
      </button>
      <button class="icon-button" aria-label={t("Cancel")} title={t("Cancel")} onClick={cancel}>
        <span class="codicon codicon-close" aria-hidden="true" />
      </button>
    </>
  );
}
