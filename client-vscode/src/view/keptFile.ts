/**
 * A few values kept in a file, from the moment they are said: the editor's own memory is written seconds later, and a
 * window that is reloaded before has forgotten them. It knows no editor.
 */

import { mkdirSync, readFileSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Keep } from "./undelivered";

export class KeptFile implements Keep {
  private values: Record<string, unknown>;
  private writing: Promise<void> | undefined;
  private again = false;

  /** `failed` is told why nothing can be kept; what is said is then remembered for as long as this window lives. */
  constructor(
    private readonly path: string,
    private readonly failed: (error: unknown) => void,
  ) {
    this.values = read(path);
  }

  get(key: string): unknown {
    return this.values[key];
  }

  /** Resolves when the file has it, or something newer. */
  update(key: string, value: unknown): Promise<void> {
    this.values = { ...this.values, [key]: value };
    this.again = true;
    this.writing ??= this.write().finally(() => (this.writing = undefined));
    return this.writing;
  }

  private async write(): Promise<void> {
    try {
      mkdirSync(dirname(this.path), { recursive: true });
      while (this.again) {
        this.again = false;
        const whole = `${this.path}.new`;
        await writeFile(whole, JSON.stringify(this.values), { mode: 0o600 });
        await rename(whole, this.path);
      }
    } catch (error) {
      this.failed(error);
    }
  }
}

/** A file that is not there, or that nobody can make sense of, holds nothing. */
function read(path: string): Record<string, unknown> {
  try {
    const values: unknown = JSON.parse(readFileSync(path, "utf8"));
    return typeof values === "object" && values !== null && !Array.isArray(values) ? { ...values } : {};
  } catch {
    return {};
  }
}
