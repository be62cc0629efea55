/** Shows what the last run changed: marks on lines, lenses with Revert in each file, a badge in file lists. */

import * as vscode from "vscode";
import { t } from "../l10n";
import type { Mark } from "./ranges";
import { countsText } from "./reverting";
import type { TrackedChanges } from "./tracked";

export const SETTING = "changes.decorations";

export function decorationsWanted(): boolean {
  return vscode.workspace.getConfiguration("steersman").get<boolean>(SETTING, true);
}

export class ChangeDecorations implements vscode.CodeLensProvider, vscode.FileDecorationProvider, vscode.Disposable {
  private readonly types: Readonly<Record<Mark["kind"], vscode.TextEditorDecorationType>> = {
    added: lineType("editorGutter.addedBackground", "solid", "0 0 0 3px"),
    modified: lineType("editorGutter.modifiedBackground", "solid", "0 0 0 3px"),
    removed: lineType("editorGutter.deletedBackground", "dashed", "1px 0 0 0"),
  };
  private readonly lenses = new vscode.EventEmitter<void>();
  private readonly badges = new vscode.EventEmitter<vscode.Uri[] | undefined>();
  private badged: readonly string[] = [];
  private readonly disposables: vscode.Disposable[];
  readonly onDidChangeCodeLenses = this.lenses.event;
  readonly onDidChangeFileDecorations = this.badges.event;

  constructor(private readonly tracked: TrackedChanges) {
    this.disposables = [
      tracked.onDidChange(() => this.redraw()),
      vscode.window.onDidChangeVisibleTextEditors(() => this.draw()),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (!event.affectsConfiguration(`steersman.${SETTING}`)) return;
        tracked.look();
        this.redraw();
      }),
      vscode.languages.registerCodeLensProvider({ scheme: "file" }, this),
      vscode.window.registerFileDecorationProvider(this),
      ...Object.values(this.types),
    ];
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const change = decorationsWanted() ? this.tracked.of(document.uri) : undefined;
    // While the agent writes, lenses would make the lines jump.
    if (!change || change.run.live) return [];
    const line = Math.min(this.tracked.marksIn(document.uri)[0]?.start ?? 0, Math.max(0, document.lineCount - 1));
    const lens = (title: string, command: string): vscode.CodeLens =>
      new vscode.CodeLens(new vscode.Range(line, 0, line, 0), {
        title,
        command: `steersman.ui.changes.${command}`,
        arguments: [document.uri],
      });
    const counts = countsText(change.file);
    return [
      lens([t("Changed by Steersman"), counts].filter(Boolean).join(" "), "next"),
      lens(t("Revert…"), "revertFile"),
      lens(t("Dismiss"), "dismiss"),
    ];
  }

  provideFileDecoration(uri: vscode.Uri): vscode.FileDecoration | undefined {
    if (uri.scheme !== "file" || !decorationsWanted() || !this.tracked.of(uri)) return undefined;
    return new vscode.FileDecoration("S", t("Changed by Steersman"));
  }

  dispose(): void {
    for (const disposable of this.disposables) disposable.dispose();
    this.lenses.dispose();
    this.badges.dispose();
  }

  private redraw(): void {
    this.draw();
    this.lenses.fire();
    const now = this.tracked.changed.flatMap(({ files }) => [...files.keys()]);
    const changed = new Set([...now, ...this.badged]);
    this.badged = now;
    if (changed.size > 0) this.badges.fire([...changed].map((uri) => vscode.Uri.parse(uri)));
  }

  private draw(): void {
    const wanted = decorationsWanted();
    for (const editor of vscode.window.visibleTextEditors) {
      const marks = wanted ? this.tracked.marksIn(editor.document.uri) : [];
      for (const [kind, type] of Object.entries(this.types)) {
        editor.setDecorations(
          type,
          marks.filter((mark) => mark.kind === kind).map((mark) => rangeOf(mark, editor.document)),
        );
      }
    }
  }
}

function rangeOf({ kind, start, end }: Mark, document: vscode.TextDocument): vscode.DecorationOptions {
  const last = kind === "removed" ? start : end - 1;
  const range = document.validateRange(new vscode.Range(start, 0, last, 0));
  const messages = {
    added: t("Added by Steersman"),
    modified: t("Changed by Steersman"),
    removed: t("Steersman removed lines above this one"),
  };
  return { range, hoverMessage: messages[kind] };
}

/** A bar left of whole lines (above a line for removed ones), in the colour of the editor's own gutter. */
function lineType(color: string, borderStyle: string, borderWidth: string): vscode.TextEditorDecorationType {
  return vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    borderStyle,
    borderWidth,
    borderColor: new vscode.ThemeColor(color),
    overviewRulerColor: new vscode.ThemeColor(color),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
  });
}
