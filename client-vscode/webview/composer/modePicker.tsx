/** What the session may do without asking. What loosens it is confirmed, once in a session. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { Mode } from "../../src/view/messages";
import type { Bridge } from "../bridge";
import { t } from "../l10n";
import { countingMode, loosens, modeChoices, type Named, possibleModes } from "./modes";
import { Menu, Popup } from "./popup";

export interface ModePickerProps {
  readonly mode: Mode;
  readonly session: string | null;
  /** A run is live: it goes on in the mode that it has. */
  readonly live: boolean;
  /** The workspace is. */
  readonly trusted: boolean;
  readonly bridge: Bridge;
}

export function ModePicker(props: ModePickerProps) {
  const confirmed = useRef(new Set<string>());
  const shown = modeChoices().find(({ value }) => value === countingMode(props.mode, props.trusted))?.label ?? t("Mode");
  // What is open is about the session that it was opened in.
  return (
    <Popup key={props.session ?? ""} name={t("Mode")} shown={shown} title={t("What may be done without asking")} icon="shield">
      {(close) => <Modes {...props} confirmed={confirmed.current} close={close} />}
    </Popup>
  );
}

function Modes(props: ModePickerProps & { confirmed: Set<string>; close: () => void }) {
  const { session, live, trusted, bridge, confirmed, close } = props;
  const mode = countingMode(props.mode, trusted);
  const [wanted, setWanted] = useState<Named | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const use = (value: Named): void => {
    bridge.call("configure", { mode: value }).then(close, (error: unknown) => {
      setWanted(null);
      setProblem(error instanceof Error ? error.message : String(error));
    });
  };
  const choose = (value: string): void => {
    const choice = modeChoices().find((each) => each.value === value);
    if (!choice) return;
    const asked = confirmed.has(`${session} ${choice.value}`);
    if (loosens(mode, choice.value) && !asked) setWanted(choice.value);
    else use(choice.value);
  };
  if (wanted !== null) {
    return (
      <Confirm
        mode={wanted}
        cancel={() => setWanted(null)}
        accept={() => {
          confirmed.add(`${session} ${wanted}`);
          use(wanted);
        }}
      />
    );
  }
  return (
    <>
      <Menu label={t("Mode")} choices={possibleModes(trusted)} checked={mode} choose={choose} />
      {!trusted && <p class="popup-note">{t("Modes that ask less need a trusted workspace.")}</p>}
      {live && <p class="popup-note">{t("A change counts from the next run on.")}</p>}
      {problem !== null && (
        <p class="popup-problem" role="alert">
          {problem}
        </p>
      )}
    </>
  );
}

function Confirm({ mode, accept, cancel }: { mode: Named; accept: () => void; cancel: () => void }) {
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => first.current?.focus(), []);
  return (
    <div class="popup-confirm">
      <p>
        {mode === "full-auto"
          ? t("In this session files are changed and commands are run without a question, except where something is protected or outside the workspace.")
          : t("In this session files in the workspace are changed without a question. Commands are still asked about.")}
      </p>
      <div class="popup-buttons">
        <button class="button" onClick={accept}>
          {t("Allow in this session")}
        </button>
        <button class="button secondary" ref={first} onClick={cancel}>
          {t("Cancel")}
        </button>
      </div>
    </div>
  );
}
