/**
 * Whose it is what was let through and has not left: the process's that works on it, for as long as it says so. When that is over, or the
 * process is known to be gone, nobody sends it any more, and it ends as not sent.
 *
 * Invariant: the lease decides how soon it ends, never whether it may be sent: both are moves from `approved`, of which one wins.
 *
 * Source: architecture.md#rule-1; decision 0065.
 */
import { ok, type Result } from "../../contract/index.ts";
import { attempt } from "../core/attempt.ts";
import type { DeskContext } from "../core/context.ts";

/** For so long since it was last said; longer than clocks of machines that share a store differ, and than a store is busy. */
export const LEASE_MS = 10_000;
const RENEWED_MS = 3_000;

interface Leased {
  readonly updatedAtMs: number;
  readonly body: { readonly holder?: string };
}

/** For the body of what is let through. */
export function holderOf({ parts }: DeskContext): { readonly holder?: string } {
  const holder = parts.presence?.id;
  return holder === undefined ? {} : { holder };
}

/** Whether nobody works on it any more. The absolute age is taken, as a clock that was set back must not keep it for hours. */
export function isAbandoned({ parts: { clock, presence } }: DeskContext, { updatedAtMs, body }: Leased): boolean {
  if (Math.abs(clock.now() - updatedAtMs) >= LEASE_MS) return true;
  return body.holder !== undefined && presence?.isGone(body.holder) === true;
}

/**
 * Works on it, and says so as long as that takes.
 * @param renew writes that it is held still; what is not in the way of it any more changes nothing
 */
export async function whileHeld<T>(
  { parts: { clock } }: DeskContext,
  renew: () => Promise<Result<unknown>>,
  work: () => Promise<T>,
): Promise<T> {
  const done = new AbortController();
  const renewing = (async () => {
    for (;;) {
      await clock.sleep(RENEWED_MS, done.signal).catch(() => undefined);
      if (done.signal.aborted) return;
      await attempt(async () => ok(await renew()));
    }
  })();
  try {
    return await work();
  } finally {
    done.abort(DONE);
    void renewing;
  }
}

/** One for all: making an error with its stack each time costs more than the waiting. */
const DONE = new Error("done");
