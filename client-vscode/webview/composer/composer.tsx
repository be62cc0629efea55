/** Where the user writes: queued messages, text and pictures, model and mode, Send and Stop. */

import { useEffect, useState } from "preact/hooks";
import type { PastedImage } from "../../src/view/messages";
import { type Bridge, CallFailed } from "../bridge";
import { t } from "../l10n";
import { type Store, useStore } from "../store";
import { helpFor } from "../shell/help";
import { saidBefore } from "./history";
import { refuseFile, refuseImage } from "./images";
import { ModelPicker } from "./modelPicker";
import { ModePicker } from "./modePicker";
import { Queue } from "./queue";
import { readImage } from "./readImage";
import { TextBox } from "./textBox";
import { useDraft } from "./useDraft";
import { isEmpty, useSubmit } from "./useSubmit";

export function Composer({ store, bridge }: { store: Store; bridge: Bridge }) {
  const session = useStore(store, (state) => state.session);
  const focus = useStore(store, (state) => state.focus);
  const connected = useStore(store, (state) => state.connected);
  const trusted = useStore(store, (state) => state.trusted);
  const serverIsUp = useStore(store, (state) => state.server.kind === "running");
  const [problem, setProblem] = useState<Told | null>(null);
  const tell = (text: string | null, code?: string): void => setProblem(text === null ? null : { text, code });
  const state = useDraft(store, bridge);
  const { sending, submit } = useSubmit(bridge, state, () => store.said(), tell);
  const live = isBusy(session);
  useEffect(() => tell(null), [session.id, serverIsUp]);

  const stop = (): void => {
    bridge.call("stop", {}).catch((error: unknown) => {
      // It has ended by itself: just what was wanted.
      if (!(error instanceof CallFailed) || error.code !== "notRunning") tell(messageOf(error));
    });
  };
  const paste = async (files: readonly File[]): Promise<void> => {
    tell(null);
    for (const file of files) {
      const refused = refuseFile(file.type, file.size);
      if (refused !== null) {
        tell(refused);
        continue;
      }
      const image = await readImage(file);
      const why = refuseImage(image, state.latest.current.images);
      const { mimeType, data } = image;
      if (why === null) state.change({ images: [...state.latest.current.images, { mimeType, data }] });
      else tell(why);
    }
  };
  const { draft } = state;
  const empty = isEmpty(draft);

  return (
    <section class="composer" aria-label={t("Composer")}>
      <Queue session={session.id} items={session.queue} bridge={bridge} tell={tell} bringBack={state.prepend} />
      {problem !== null && <Problem problem={problem} bridge={bridge} close={() => tell(null)} />}
      <div class="composer-box">
        <Images images={draft.images} remove={(image) => state.change({ images: draft.images.filter((each) => each !== image) })} />
        <TextBox
          text={draft.text}
          live={live}
          connected={connected}
          bridge={bridge}
          history={() => saidBefore(store.state.transcript.entries)}
          focus={focus}
          change={(text) => state.change({ text })}
          send={submit}
          stop={stop}
          paste={(files) => void paste(files)}
        />
        <div class="composer-bar">
          <ModelPicker key={session.id ?? ""} model={session.model} bridge={bridge} />
          <ModePicker mode={session.mode} session={session.id} live={live} trusted={trusted} bridge={bridge} />
          <span class="composer-gap" />
          {live && !empty && (
            <button
              class="icon-button"
              aria-label={t("Queue as follow-up")}
              title={t("Queue as follow-up (Alt+Enter)")}
              aria-disabled={sending || !connected}
              onClick={() => submit("later")}
            >
              <span class="codicon codicon-list-ordered" aria-hidden="true" />
            </button>
          )}
          {(!live || !empty) && (
            <button
              class={`icon-button composer-send${empty ? "" : " ready"}`}
              aria-label={t("Send")}
              title={live ? t("Steer the run (Enter)") : t("Send (Enter)")}
              aria-disabled={sending || empty || !connected}
              onClick={() => submit("now")}
            >
              <span class={`codicon codicon-${sending ? "loading codicon-modifier-spin" : "send"}`} aria-hidden="true" />
            </button>
          )}
          {live && (
            <button
              class="composer-stop"
              aria-label={t("Stop")}
              title={t("Stop the run (Escape)")}
              aria-disabled={session.state === "aborting"}
              onClick={stop}
            >
              <span class="composer-stop-square" aria-hidden="true" />
              <span class="composer-stop-word">{t("Stop")}</span>
            </button>
          )}
        </div>
      </div>
    </section>
  );
}

/** Something goes on in the session that can be stopped: a run, or the shortening of a conversation without one. */
export function isBusy(session: { readonly run: string | null; readonly state: string }): boolean {
  return session.run !== null || !["idle", "interrupted"].includes(session.state);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What could not be done, and the code of why. */
interface Told {
  readonly text: string;
  readonly code: string | undefined;
}

function Problem({ problem, bridge, close }: { problem: Told; bridge: Bridge; close: () => void }) {
  const help = helpFor(problem.code);
  return (
    <div class="composer-problem" role="alert">
      <span class="codicon codicon-warning" aria-hidden="true" />
      <div class="composer-problem-text">
        <p>{problem.text}</p>
        {help && (
          <button class="button secondary" onClick={() => void bridge.call("remedy", help.remedy).catch(() => undefined)}>
            {help.label}
          </button>
        )}
      </div>
      <button class="icon-button" aria-label={t("Dismiss")} title={t("Dismiss")} onClick={close}>
        <span class="codicon codicon-close" aria-hidden="true" />
      </button>
    </div>
  );
}

interface ImagesProps {
  readonly images: readonly PastedImage[];
  readonly remove: (image: PastedImage) => void;
}

function Images({ images, remove }: ImagesProps) {
  if (images.length === 0) return null;
  return (
    <ul class="composer-images" aria-label={t("Images")}>
      {images.map((image, place) => (
        <li key={place} class="composer-image">
          <img src={`data:${image.mimeType};base64,${image.data}`} alt={t("Image {0}", place + 1)} />
          <button
            class="icon-button"
            aria-label={t("Remove image {0}", place + 1)}
            title={t("Remove")}
            onClick={() => remove(image)}
          >
            <span class="codicon codicon-close" aria-hidden="true" />
          </button>
        </li>
      ))}
    </ul>
  );
}
