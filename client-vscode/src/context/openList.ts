/** What the user has open, of the editor's tabs and documents, as `steersman/openDocuments` lists it. Pure. */

import type { ListedDocument } from "../protocol";

export interface TabLike {
  readonly uri: string;
  readonly dirty: boolean;
  /** Its text is a document of the editor's; false: a notebook, an image, an editor of an extension's. */
  readonly text: boolean;
  /** It is in front in its group. */
  readonly visible: boolean;
  /** It is the one that the user is in. */
  readonly active: boolean;
}

export interface DocumentLike {
  readonly uri: string;
  readonly dirty: boolean;
}

/** Entries of a list: more tabs than that say nothing to anybody. */
export const MAX_LISTED = 1_000;

/**
 * All that has a tab, each once, and documents with unsaved text that have none.
 *
 * A document without a tab and without unsaved text is left out: an extension has looked at it, the user has not.
 */
export function openList(tabs: readonly TabLike[], documents: readonly DocumentLike[]): ListedDocument[] {
  const dirty = new Map(documents.map((document) => [document.uri, document.dirty]));
  const listed = new Map<string, ListedDocument>();
  for (const tab of tabs) {
    const before = listed.get(tab.uri);
    // A text's tab and its document say the same, the document sooner.
    const unsaved = tab.text ? (dirty.get(tab.uri) ?? tab.dirty) : tab.dirty || dirty.get(tab.uri) === true;
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

/** Of far too many those that are not saved or are seen go before the rest. */
function bounded(all: readonly ListedDocument[]): ListedDocument[] {
  if (all.length <= MAX_LISTED) return [...all];
  const matters = (each: ListedDocument): boolean => each.dirty || each.visible === true;
  return [...all.filter(matters), ...all.filter((each) => !matters(each))].slice(0, MAX_LISTED);
}
