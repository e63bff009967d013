/**
 * Owns progress notifications: sent only to a client that asked for them, always increasing; a failure to send one fails no call.
 */
import type { Notification, ProgressToken } from "@modelcontextprotocol/server";

/** `done` out of `total`, in any one unit. */
export type ReportProgress = (done: number, total: number, message: string) => void;

/** A client's request, as far as it is told how that goes on. */
export interface Told {
  readonly _meta?: { readonly progressToken?: ProgressToken | undefined } | undefined;
  readonly notify: (notification: Notification) => Promise<void>;
}

export function progressOf({ _meta, notify }: Told): ReportProgress | undefined {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let last = -1;
  return (done, total, message) => {
    if (done <= last) return;
    last = done;
    const params = { progressToken, progress: done, total, message };
    notify({ method: "notifications/progress", params }).catch(() => {
      // The client is gone; the call itself is stopped by its signal.
    });
  };
}
