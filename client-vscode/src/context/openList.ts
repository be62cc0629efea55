/** What the user has open, from the editor's tabs and documents, as `steersman/openDocuments` lists it. Pure. */

import type { ListedDocument } from "../protocol";

export interface TabLike {
  readonly uri: string;
  readonly dirty: boolean;
  /** `text` edits the file's text document, `notebook` a model of its own, `custom` (an extension's editor) either. */
  readonly editor: "text" | "notebook" | "custom";
  /** It is in front in its group. */
  readonly visible: boolean;
  /** It is the one that the user is in. */
  readonly active: boolean;
}

export interface DocumentLike {
  readonly uri: string;
  readonly dirty: boolean;
}

/** Entries of a list: nobody reads more. */
export const MAX_LISTED = 1_000;

/**
 * Every file that has a tab, once, and every document with unsaved text that has none.
 *
 * A document with neither is left out: an extension has opened it, not the user.
 */
export function openList(tabs: readonly TabLike[], documents: readonly DocumentLike[]): ListedDocument[] {
  const dirty = new Map(documents.map((document) => [document.uri, document.dirty]));
  const listed = new Map<string, ListedDocument>();
  for (const tab of tabs) {
    const before = listed.get(tab.uri);
    // A text's tab and its document say the same, the document sooner.
    const unsaved = tab.editor === "text" ? (dirty.get(tab.uri) ?? tab.dirty) : tab.dirty || dirty.get(tab.uri) === true;
    listed.set(tab.uri, {
      uri: tab.uri,
      dirty: unsaved || before?.dirty === true,
      visible: tab.visible || before?.visible === true,
      active: tab.active || before?.active === true,
    });
  }
  for (const { uri, dirty: unsaved } of documents) {
    if (unsaved && !listed.has(uri)) listed.set(uri, { uri, dirty: true, visible: false, active: false });
  }
  return bounded([...listed.values()]);
}

/**
 * Whether another editor than the text document holds unsaved work on a file: a notebook, or an extension's editor with a
 * model of its own. Whatever is written to the file then, one of the two is lost.
 */
export function isUnsavedElsewhere(uri: string, tabs: readonly TabLike[], documents: readonly DocumentLike[]): boolean {
  // Some extensions' editors edit the text document: the two are unsaved together.
  const isDirty = documents.some((document) => document.uri === uri && document.dirty);
  return tabs.some(({ uri: shown, dirty, editor }) => {
    if (shown !== uri || !dirty) return false;
    return editor === "notebook" || (editor === "custom" && !isDirty);
  });
}

/** Where there are too many, those that are unsaved or visible come first. */
function bounded(all: readonly ListedDocument[]): ListedDocument[] {
  if (all.length <= MAX_LISTED) return [...all];
  const matters = (each: ListedDocument): boolean => each.dirty || each.visible === true;
  return [...all.filter(matters), ...all.filter((each) => !matters(each))].slice(0, MAX_LISTED);
}
