/** Diagnostics of the editor as `$/steersman/diagnostics` sends them, bounded. Pure: it knows only their shape. */

import { cut } from "../cut";
import type { ReportedDiagnostic } from "../protocol";
import { spanOf, type RangeLike } from "./lspShapes";

/** A `vscode.Diagnostic`. */
export interface DiagnosticLike {
  readonly range: RangeLike;
  readonly message: string;
  /** From 0: error, warning, information, hint. */
  readonly severity: number;
  readonly source?: string;
  readonly code?: string | number | { readonly value: string | number };
}

/** The server keeps no more for one document. */
export const MAX_REPORTED = 500;
/** UTF-16 code units of a message; the server keeps no more. */
const MAX_MESSAGE = 2_000;

/** The most severe ones; those of one severity in the editor's order. */
export function reported(diagnostics: readonly DiagnosticLike[]): ReportedDiagnostic[] {
  const worst =
    diagnostics.length <= MAX_REPORTED
      ? diagnostics
      : [...diagnostics].sort((one, other) => one.severity - other.severity).slice(0, MAX_REPORTED);
  return worst.map((diagnostic) => ({
    range: spanOf(diagnostic.range),
    severity: diagnostic.severity + 1,
    message: cut(diagnostic.message, MAX_MESSAGE),
    ...(diagnostic.source ? { source: diagnostic.source } : {}),
    ...codeOf(diagnostic.code),
  }));
}

function codeOf(code: DiagnosticLike["code"]): { code?: string | number } {
  const value = typeof code === "object" ? code.value : code;
  return value === undefined || value === "" ? {} : { code: value };
}
