/**
 * A few values in a file, written at once: the editor writes its own memory seconds later, and a window that is reloaded
 * before that has forgotten them. Several windows may keep theirs in one file: all those without a folder do. It knows no
 * editor.
 */

import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { SingleFlight } from "../singleFlight";
import type { Keep } from "./undelivered";

export class KeptFile implements Keep {
  private values: Record<string, unknown>;
  /** What this window has changed. */
  private readonly changed: Record<string, unknown> = {};
  /** Of this window alone. */
  private readonly unfinished: string;
  private readonly writing = new SingleFlight(() => this.write());

  /** `failed` is told why the file can't be written; the values then last as long as the window. */
  constructor(
    private readonly path: string,
    private readonly failed: (error: unknown) => void,
  ) {
    this.values = read(path);
    this.unfinished = `${path}.${randomUUID()}.new`;
  }

  get(key: string): unknown {
    return this.values[key];
  }

  /** Resolves when the file holds the value or a newer one, or can't be written. */
  update(key: string, value: unknown): Promise<void> {
    this.values = { ...this.values, [key]: value };
    this.changed[key] = value;
    return this.writing.run();
  }

  private async write(): Promise<void> {
    try {
      mkdirSync(dirname(this.path), { recursive: true });
      const whole = JSON.stringify({ ...read(this.path), ...this.changed });
      await writeFile(this.unfinished, whole, { mode: 0o600 });
      await rename(this.unfinished, this.path);
    } catch (error) {
      this.failed(error);
    }
  }
}

/** A file that is missing or can't be parsed holds nothing. */
function read(path: string): Record<string, unknown> {
  try {
    const values: unknown = JSON.parse(readFileSync(path, "utf8"));
    return typeof values === "object" && values !== null && !Array.isArray(values) ? { ...values } : {};
  } catch {
    return {};
  }
}
