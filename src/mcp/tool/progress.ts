/**
 * Owns progress notifications: sent only to a client that asked for them, always increasing; a failure to send one fails no call.
 */
import type { ServerContext } from "@modelcontextprotocol/server";

/** `done` out of `total`, in any one unit. */
export type ReportProgress = (done: number, total: number, message: string) => void;

export function progressOf(context: ServerContext): ReportProgress | undefined {
  const progressToken = context.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let last = -1;
  return (done, total, message) => {
    if (done <= last) return;
    last = done;
    const params = { progressToken, progress: done, total, message };
    context.mcpReq.notify({ method: "notifications/progress", params }).catch(() => {
      // The client is gone; the call itself is stopped by its signal.
    });
  };
}
