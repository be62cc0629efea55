/** What the user has said, and what can be done from there. */

import type { UserEntry } from "../../src/transcript/entries";
import { t } from "../l10n";
import { useFold, useTranscript } from "./context";

/** Lines and characters of a message that are shown before it is opened. */
const LINES = 12;
const CHARACTERS = 1500;

export function UserMessage({ entry, locked }: { entry: UserEntry; locked: boolean }) {
  const long = entry.text.length > CHARACTERS || entry.text.split("\n", LINES + 1).length > LINES;
  const [open, toggle] = useFold(entry.id, false);
  return (
    <div class="user">
      {entry.source !== undefined && <p class="quiet">{t("Said by the extension {0}", entry.source)}</p>}
      {entry.text !== "" && <div class={long && !open ? "user-text cut" : "user-text"}>{entry.text}</div>}
      {long && (
        <button type="button" class="link-button" aria-expanded={open} onClick={toggle}>
          {open ? t("Show less") : t("Show all")}
        </button>
      )}
      {entry.images.length > 0 && (
        <div class="user-images">
          {entry.images.map(({ mimeType, data }, i) => (
            <img key={i} src={`data:${mimeType};base64,${data}`} alt={t("Image {0}", i + 1)} />
          ))}
        </div>
      )}
      {entry.attached.length > 0 && (
        <ul class="attached" aria-label={t("Attached")}>
          {entry.attached.map((name, i) => (
            <li key={i}>
              <span class="codicon codicon-attach" aria-hidden="true" />
              {name}
            </li>
          ))}
        </ul>
      )}
      <Menu entry={entry} locked={locked} />
    </div>
  );
}

function Menu({ entry, locked }: { entry: UserEntry; locked: boolean }) {
  const { act, revertTo } = useTranscript();
  const message = entry.id;
  return (
    <div class="message-menu" role="group" aria-label={t("Message")}>
      <Choice icon="copy" label={t("Copy")} onPress={() => act("copy", { text: entry.text })} />
      <Choice icon="repo-forked" label={t("Fork")} onPress={() => act("fork", { message, place: "new" })} />
      {!locked && (
        <>
          <Choice
            icon="edit"
            label={t("Edit and send again")}
            onPress={() => act("fork", { message, place: "here" })}
          />
          <Choice icon="discard" label={t("Revert to here")} onPress={() => revertTo(message)} />
        </>
      )}
    </div>
  );
}

function Choice({ icon, label, onPress }: { icon: string; label: string; onPress: () => void }) {
  return (
    <button type="button" class="icon-button" title={label} aria-label={label} onClick={onPress}>
      <span class={`codicon codicon-${icon}`} aria-hidden="true" />
    </button>
  );
}
