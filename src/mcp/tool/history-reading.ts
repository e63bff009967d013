/** Tells how far the trades of an account have been read: in a result, and as progress while a call waits for them. */
import { HISTORY_WAIT_MS, type HistoryReading, historyText } from "../../desk/index.ts";
import type { ReportProgress } from "./progress.ts";
import { closed, maybe, whole } from "./result-shape.ts";

export const historyReading = closed<HistoryReading>({ trades: whole, back_to: maybe });

/** For a client that asked for progress. */
export function historyProgress(progress: ReportProgress | undefined) {
  return (reading: HistoryReading, elapsedMs: number): void =>
    progress?.(elapsedMs / 1_000, HISTORY_WAIT_MS / 1_000, historyText(reading));
}
