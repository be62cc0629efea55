import { expect, test } from "vitest";
import { OwnEdits, type Standing } from "../../../src/context/ownEdits";

const URI = "file:///a.ts";

/** A document of an editor. */
class Document {
  version = 1;
  dirty = false;
  readonly own = new OwnEdits();

  get standing(): Standing {
    return { version: this.version, dirty: this.dirty };
  }

  type(): void {
    this.version += 1;
    this.dirty = true;
    this.own.changed(URI);
  }

  /** The agent's edit; `meanwhile` happens before it is made. */
  edit(meanwhile: () => void = () => undefined, made = true): void {
    const bracket = this.own.begin(URI, this.standing);
    meanwhile();
    if (made) this.type();
    this.own.end(bracket, this.standing);
  }

  save(): void {
    this.dirty = false;
    this.own.forget(URI);
  }

  get mayBeSaved(): boolean {
    return this.own.mayBeSaved(URI, this.standing);
  }
}

test("a document that was clean before the agent's edits may be saved, after several of them too", () => {
  const document = new Document();
  document.edit();
  expect(document.mayBeSaved).toBe(true);
  document.edit();
  expect(document.mayBeSaved).toBe(true);
});

test("unsaved text from before an edit is never saved with it", () => {
  const document = new Document();
  document.type();
  document.edit();
  expect(document.mayBeSaved).toBe(false);
});

test("a document that was typed into since, or while it was edited, is the user's to save", () => {
  const document = new Document();
  document.edit();
  document.type();
  expect(document.mayBeSaved).toBe(false);
  const other = new Document();
  other.edit(() => other.type());
  expect(other.mayBeSaved).toBe(false);
  other.edit();
  expect(other.mayBeSaved).toBe(false);
});

test("saving makes a new beginning", () => {
  const document = new Document();
  document.type();
  document.save();
  document.edit();
  expect(document.mayBeSaved).toBe(true);
  document.save();
  document.type();
  expect(document.mayBeSaved).toBe(false);
});

test("an edit that was not made, or of a document that was not open, allows nothing", () => {
  const document = new Document();
  document.edit(() => undefined, false);
  expect(document.mayBeSaved).toBe(false);
  const bracket = document.own.begin(URI, undefined);
  document.type();
  document.own.end(bracket, document.standing);
  expect(document.mayBeSaved).toBe(false);
});

test("an edit that was not made takes back nothing that may be saved", () => {
  const document = new Document();
  document.edit();
  document.edit(() => undefined, false);
  expect(document.mayBeSaved).toBe(true);
});
