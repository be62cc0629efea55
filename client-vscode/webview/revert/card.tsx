/** What a revert would do, file by file, with a choice for each that somebody has changed since; and doing it. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { FileToRevert, RevertedFile } from "../../src/protocol";
import type { Entry } from "../../src/transcript/entries";
import type { RevertPreview } from "../../src/view/messages";
import { type Bridge, CallFailed } from "../bridge";
import { t } from "../l10n";
import { type Store, useStore } from "../store";
import { type Choice, FileRow } from "./file";
import { outcomeText, summaryOf } from "./summary";

interface Props {
  readonly store: Store;
  readonly bridge: Bridge;
  /** Id of a message of the user, of a revert, or of a run. */
  readonly checkpoint: string;
  readonly onClose: () => void;
}

export function RevertCard({ store, bridge, checkpoint, onClose }: Props) {
  const live = useStore(store, (state) => state.session.run !== null);
  const undo = useStore(store, ({ transcript }) => isRevert(transcript.entries, checkpoint));
  const root = useRef<HTMLDivElement>(null);
  const { preview, error, busy, begun, load, revert } = useRevert(bridge, checkpoint);
  const outcome = useOutcome(store, begun);
  const [choices, setChoices] = useState<Readonly<Record<string, Choice>>>({});
  const summary = preview ? summaryOf(preview.files, choices) : undefined;
  const ready = summary !== undefined && summary.undecided === 0 && summary.changed > 0 && !live && !busy;
  const told = outcome ? outcomeText(outcome) : live && preview && !busy ? t("Stop the run first.") : summary?.text;

  useEffect(() => root.current?.focus(), []);

  return (
    <div
      class="card revert"
      role="group"
      aria-label={t("Revert")}
      aria-busy={(busy && !outcome) || !preview}
      tabIndex={-1}
      ref={root}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.isComposing) return;
        // It closes this card; a run that goes on elsewhere is not meant.
        event.stopPropagation();
        onClose();
      }}
    >
      <div class="card-title">
        <span class="codicon codicon-discard" aria-hidden="true" />
        <span>{undo ? t("Undo this revert") : t("Revert to here")}</span>
      </div>
      {!preview && error === null && <p class="revert-note">{t("Looking at the files…")}</p>}
      {preview && <Preview preview={preview} bridge={bridge} choices={choices} busy={busy} onChoose={setChoices} />}
      {error !== null && (
        <p class="card-error" role="alert">
          {error}
        </p>
      )}
      <p class="revert-note" role="status">
        {told}
      </p>
      <div class="card-buttons">
        {outcome ? null : error !== null && !preview ? (
          <button type="button" class="primary" onClick={load}>
            {t("Retry")}
          </button>
        ) : (
          <button
            type="button"
            class="primary"
            aria-disabled={!ready}
            onClick={() => ready && revert(choices)}
          >
            {busy ? t("Reverting…") : t("Revert")}
          </button>
        )}
        <button type="button" onClick={onClose}>
          {begun ? t("Close") : t("Cancel")}
        </button>
      </div>
    </div>
  );
}

function isRevert(entries: readonly Entry[], id: string): boolean {
  return entries.some((entry) => entry.kind === "revert" && entry.id === id);
}

interface PreviewProps {
  readonly preview: RevertPreview;
  readonly bridge: Bridge;
  readonly choices: Readonly<Record<string, Choice>>;
  readonly busy: boolean;
  readonly onChoose: (choices: Readonly<Record<string, Choice>>) => void;
}

function Preview({ preview, bridge, choices, busy, onChoose }: PreviewProps) {
  const { files, commands, notRevertible } = preview;
  const label = (uri: string): string => preview.labels?.[uri] ?? uri;
  return (
    <>
      {files.length === 0 && <p>{t("No file was changed since.")}</p>}
      <ul class="revert-files" aria-label={t("Files")}>
        {files.map((file: FileToRevert) => (
          <FileRow
            key={file.uri}
            file={file}
            label={label(file.uri)}
            choice={choices[file.uri]}
            disabled={busy}
            onChoose={(choice) => onChoose({ ...choices, [file.uri]: choice })}
            onOpen={() => void bridge.call("showFile", { uri: file.uri }).catch(() => undefined)}
          />
        ))}
      </ul>
      {commands.length > 0 && (
        <Left title={t("What these commands did is not taken back:")} names={commands} />
      )}
      {notRevertible.length > 0 && (
        <Left title={t("Written while a command ran, and left as it is:")} names={notRevertible.map(label)} />
      )}
    </>
  );
}

/** What a revert leaves as it is: the first few by name. */
function Left({ title, names }: { title: string; names: readonly string[] }) {
  const [all, setAll] = useState(false);
  const shown = all ? names : names.slice(0, 5);
  return (
    <div class="revert-left">
      <p>{title}</p>
      <ul>
        {shown.map((name, index) => (
          <li key={index}>
            <code>{name}</code>
          </li>
        ))}
      </ul>
      {shown.length < names.length && (
        <button type="button" class="revert-link" onClick={() => setAll(true)}>
          {t("Show {0} more", names.length - shown.length)}
        </button>
      )}
    </div>
  );
}

/** What became of the files, once the revert that this card has begun has ended. */
function useOutcome(store: Store, begun: boolean): readonly RevertedFile[] | undefined {
  const entries = useStore(store, (state) => state.transcript.entries);
  const reverts = entries.filter((entry) => entry.kind === "revert");
  const known = useRef(reverts.length);
  if (!begun) known.current = reverts.length;
  const [ours] = reverts.slice(known.current);
  return ours?.busy === false ? ours.files : undefined;
}

/** The preview as it is asked for, and the revert; what becomes of that is told by the session's events. */
function useRevert(bridge: Bridge, checkpoint: string) {
  const [preview, setPreview] = useState<RevertPreview | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [begun, setBegun] = useState(false);
  const asked = useRef(0);

  const load = (): void => {
    const number = ++asked.current;
    bridge.call("revertPreview", { checkpoint }).then(
      (answer) => {
        if (number === asked.current) setPreview(answer);
      },
      (failure: unknown) => {
        if (number === asked.current) setError(textOf(failure));
      },
    );
  };
  const begin = (): (() => void) => {
    setPreview(null);
    setError(null);
    load();
    return () => (asked.current += 1);
  };
  useEffect(begin, [bridge, checkpoint]);

  const revert = (onConflict: Readonly<Record<string, Choice>>): void => {
    setBusy(true);
    setError(null);
    setBegun(true);
    bridge.call("revert", { checkpoint, onConflict }).catch((failure: unknown) => {
      setBusy(false);
      setBegun(false);
      setError(textOf(failure));
      // Somebody has changed a file meanwhile: what is there now is to be seen and chosen.
      if (failure instanceof CallFailed && (failure.code === "conflict" || failure.code === "nothingToDo")) load();
    });
  };
  return { preview, error, busy, begun, load: () => void begin(), revert };
}

function textOf(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure);
}
