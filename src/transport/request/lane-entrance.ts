/**
 * Entering and leaving the lane. A lane that fails stops the call before it is sent, and never hides an answer that was received.
 * (The store's lane goes on without its disk, so that cancels are still sent.)
 *
 * Source: architecture.md#rule-1, architecture.md#rule-4.
 */
import {
  checkFault,
  type Fault,
  failed,
  LIMITS,
  localFault,
  ok,
  RATE_HEADERS,
  type Result,
} from "../../contract/index.ts";
import type { Deadline } from "./deadline.ts";
import type { ClientListener } from "./event.ts";
import type { Lane, LanePass, LaneRequest, LimitNews, WeightNews, WireOutcome } from "./ports.ts";

type AnswerHeaders = Extract<WireOutcome, { readonly kind: "answer" }>["headers"];

/**
 * Longest pause that the venue may ask for: after ten minutes one call finds out whether the limit still holds. The lane lets
 * cancels through in between.
 */
export const PAUSE_MAX_MS = 600_000;
/** Used when the venue does not say how long. */
export const PAUSE_DEFAULT_MS = 1_000;
/** Suggested wait after a turn that did not come: long enough for some of the calls ahead to end. */
const TURN_RETRY_MS = 2_000;

/** A lane throws it: the venue has shut this key or address out for longer than the call can wait. */
export class ShutOut extends Error {
  readonly forMs: number;

  constructor(forMs: number) {
    super("the venue takes nothing for now");
    this.forMs = forMs;
  }
}

export interface Entry extends Omit<LaneRequest, "deadline"> {
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
    try {
      return ok(await this.#lane.enter(keyId, { ...request, deadline }));
    } catch (error) {
      if (error instanceof ShutOut) return failed(shutOut(error.forMs));
      if (deadline.hasPassed) return failed(turnMissed());
      this.#emit({ type: "lane_failed", step: "enter" });
      return failed(localFault("ELocal:Store unavailable"));
    }
  }

  /** A failure here must not hide the answer that was just received. The lease of the lane expires by itself. */
  async leave(pass: LanePass): Promise<void> {
    try {
      await pass.leave();
    } catch {
      this.#emit({ type: "lane_failed", step: "leave" });
    }
  }

  /** Also of an answer that refuses. */
  async learn(keyId: string, headers: AnswerHeaders): Promise<void> {
    const news = weightNewsIn(headers);
    if (news === undefined) return;
    try {
      await this.#lane.learn?.(keyId, news);
    } catch {
      this.#emit({ type: "lane_failed", step: "pause" });
    }
  }

  /** Also of an answer that refuses. */
  async hear(keyId: string, news: readonly LimitNews[]): Promise<void> {
    if (news.length === 0) return;
    for (const { kind, ...told } of news)
      if (kind !== "left") this.#emit({ type: "lane_paused", forMs: "forMs" in told ? told.forMs : 0 });
    try {
      await this.#lane.hear?.(keyId, news);
    } catch {
      this.#emit({ type: "lane_failed", step: "pause" });
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

/**
 * Reads the weight, where it is the nearer of a key's two limits, which is the one that an answer shows. Source: service.md#rate-headers.
 */
function weightNewsIn(headers: AnswerHeaders): WeightNews | undefined {
  const [limit, remaining] = [RATE_HEADERS.limit, RATE_HEADERS.remaining].map((name) => wholeIn(headers, name));
  if (limit === undefined || remaining === undefined || remaining > limit) return undefined;
  return limit > LIMITS.callsPerSecond ? { limit, remaining } : undefined;
}

function wholeIn(headers: AnswerHeaders, name: string): number | undefined {
  const text = headers[name.toLowerCase()];
  return typeof text === "string" && /^\d{1,9}$/.test(text) ? Number(text) : undefined; // not money: a count
}

function shutOut(forMs: number): Fault {
  return checkFault("EAPI:Rate limit exceeded", {
    message:
      "The exchange has shut this key or address out for a while, as too many calls were made. Nothing was sent, and no cancel is either.",
    retry: "after_delay",
    retryAfterMs: Math.ceil(forMs),
    nextAction: "Wait retry_after_ms. Cancel at the exchange itself what cannot wait.",
  });
}

function turnMissed(): Fault {
  return checkFault("EAPI:Rate limit exceeded", {
    message: "The turn to send did not come in time: other calls on this key, or its rate limit. Nothing was sent.",
    retry: "after_delay",
    retryAfterMs: TURN_RETRY_MS,
    nextAction: "Send fewer calls at once. After retry_after_ms the limit leaves room again.",
  });
}
