/** Frames as the browser's own tracing tells them. */

import type { CDPSession } from "playwright-core";

interface TraceEvent {
  readonly name: string;
  readonly ts: number;
  readonly dur?: number;
  readonly pid: number;
  readonly tid: number;
  readonly args?: { readonly name?: string };
}

export interface Frames {
  /** Milliseconds between frames that were drawn. */
  readonly intervals: readonly number[];
  /** Milliseconds of the tasks that kept a page's main thread for longer than a frame at 60 Hz. */
  readonly longTasks: readonly number[];
  readonly seconds: number;
}

/** Traces all of the browser while `work` goes on. */
export async function frames(browser: CDPSession, work: () => Promise<void>): Promise<Frames> {
  const events: TraceEvent[] = [];
  browser.on("Tracing.dataCollected", ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  const complete = new Promise((resolve) => browser.once("Tracing.tracingComplete", resolve));
  await browser.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { includedCategories: ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline.frame"] },
  });
  const begun = performance.now();
  await work();
  const seconds = (performance.now() - begun) / 1000;
  await browser.send("Tracing.end");
  await complete;
  return { ...read(events), seconds };
}

function read(events: readonly TraceEvent[]): Omit<Frames, "seconds"> {
  const main = new Set(
    events
      .filter((event) => event.name === "thread_name" && event.args?.name === "CrRendererMain")
      .map((event) => `${event.pid}/${event.tid}`),
  );
  const drawn = events.filter((event) => event.name === "DrawFrame").map((event) => event.ts).sort((a, b) => a - b);
  const longTasks = events
    .filter((event) => /RunTask$/.test(event.name) && main.has(`${event.pid}/${event.tid}`))
    .map((event) => (event.dur ?? 0) / 1000)
    .filter((took) => took > 1000 / 60);
  return { intervals: drawn.slice(1).map((at, index) => (at - (drawn[index] ?? at)) / 1000), longTasks };
}

/** Numbers as "median 16.7, p95 20.1, most 48.0 (n 311)". */
export function told(values: readonly number[]): string {
  if (values.length === 0) return "none";
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0).toFixed(1);
  return `median ${at(0.5)}, p95 ${at(0.95)}, most ${at(1)} (n ${sorted.length})`;
}
