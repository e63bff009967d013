/** Shows operators a process that serves. Loaded by servers over HTTP, and where spans are wanted, as it brings its libraries. */
import type { CollectorSettings } from "./span-export.ts";
import type { Spans } from "./spans.ts";

export { Assistants } from "./assistants.ts";
export { RequestLog } from "./log.ts";
export { Metrics } from "./metrics.ts";
export { watchedDesk } from "./watched-desk.ts";

export type { Spans };

/** Loaded when used: the libraries of OpenTelemetry are the largest of all. */
export async function openSpans(settings: CollectorSettings): Promise<Spans> {
  const spans = await import("./spans.ts");
  return new spans.Spans(settings);
}
