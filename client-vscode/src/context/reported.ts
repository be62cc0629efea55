/** Diagnostics of the editor as `$/steersman/diagnostics` has them, bounded. Pure: it knows only their shape. */

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

/** As many as the server keeps of one document. */
export const MAX_REPORTED = 500;
/** Characters of a message that the server keeps. */
const MAX_MESSAGE = 2_000;

/** The gravest, each severity in the order in which the editor has them. */
export function reported(diagnostics: readonly DiagnosticLike[]): ReportedDiagnostic[] {
  const gravest =
    diagnostics.length <= MAX_REPORTED
      ? diagnostics
      : [...diagnostics].sort((one, other) => one.severity - other.severity).slice(0, MAX_REPORTED);
  return gravest.map((diagnostic) => ({
    range: spanOf(diagnostic.range),
    severity: diagnostic.severity + 1,
    message: diagnostic.message.slice(0, MAX_MESSAGE),
    ...(diagnostic.source ? { source: diagnostic.source } : {}),
    ...codeOf(diagnostic.code),
  }));
}

function codeOf(code: DiagnosticLike["code"]): { code?: string | number } {
  const value = typeof code === "object" ? code.value : code;
  return value === undefined || value === "" ? {} : { code: value };
}
