/**
 * The way into the lane and out of it. A lane that fails stops the call before it is sent, and never hides an answer that
 * came. (The store's lane goes on by itself when its disk fails, so that cancels leave.)
 *
 * Source: architecture rules 1 and 4.
 */
import { checkFault, type Fault, failed, localFault, ok, type Result } from "../../contract/index.ts";
import type { Deadline } from "./deadline.ts";
import type { ClientListener } from "./event.ts";
import type { Lane, LanePass, LaneRequest } from "./ports.ts";

/**
 * The venue may ask for a pause, and is obeyed this long at most: after ten minutes one call finds out whether it is still meant.
 * Cancels leave in between; the lane sees to it.
 */
const PAUSE_MAX_MS = 600_000;
/** Where the venue does not say how long. */
const PAUSE_DEFAULT_MS = 1_000;
/** After a turn that did not come: long enough for some of the calls ahead to end. */
const TURN_RETRY_MS = 2_000;

export interface Entry extends Omit<LaneRequest, "signal"> {
  readonly keyId: string;
}

export class LaneEntrance {
  readonly #lane: Lane;
  readonly #emit: ClientListener;

  constructor(lane: Lane, emit: ClientListener) {
    this.#lane = lane;
    this.#emit = emit;
  }

  /** @returns a fault when the deadline passes first or the lane fails; nothing was sent. */
  async enter({ keyId, ...request }: Entry, deadline: Deadline): Promise<Result<LanePass>> {
    const { signal } = deadline;
    try {
      return ok(await this.#lane.enter(keyId, { ...request, signal }));
    } catch {
      if (signal.aborted) return failed(turnMissed());
      this.#emit({ type: "lane_failed", step: "enter" });
      return failed(localFault("ELocal:Store unavailable"));
    }
  }

  /** A lane that cannot be left must not hide the answer that was just received; its lease runs out by itself. */
  async leave(pass: LanePass): Promise<void> {
    try {
      await pass.leave();
    } catch {
      this.#emit({ type: "lane_failed", step: "leave" });
    }
  }

  async pause(keyId: string, askedMs = PAUSE_DEFAULT_MS): Promise<void> {
    const forMs = Math.min(askedMs, PAUSE_MAX_MS);
    this.#emit({ type: "lane_paused", forMs });
    try {
      await this.#lane.pause(keyId, forMs);
    } catch {
      this.#emit({ type: "lane_failed", step: "pause" });
    }
  }
}

function turnMissed(): Fault {
  return checkFault("EAPI:Rate limit exceeded", {
    message: "The turn to send did not come in time: other calls on this key, or its rate limit. Nothing was sent.",
    retry: "after_delay",
    retryAfterMs: TURN_RETRY_MS,
    nextAction: "Ask for less at once: the limit leaves room after retry_after_ms, and nothing was sent.",
  });
}
