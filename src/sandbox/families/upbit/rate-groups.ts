/**
 * The rates of Upbit: so many requests of a group in any second, by address for quotations and by account for the rest; who goes on after a 429
 * is banned with 418, each time longer. Entry point: `RateGroups`.
 *
 * Invariant: a refused request counts for no window, and for the ban.
 */
import type { Millis } from "../../model/index.ts";

/** `perWindow` requests in `windowMs`. */
export const GROUPS = {
  market: { perWindow: 10, windowMs: 1_000 },
  candle: { perWindow: 10, windowMs: 1_000 },
  trade: { perWindow: 10, windowMs: 1_000 },
  ticker: { perWindow: 10, windowMs: 1_000 },
  orderbook: { perWindow: 10, windowMs: 1_000 },
  default: { perWindow: 30, windowMs: 1_000 },
  order: { perWindow: 12, windowMs: 1_000 },
  "order-test": { perWindow: 8, windowMs: 1_000 },
  "order-cancel-all": { perWindow: 1, windowMs: 2_000 },
  "websocket-connect": { perWindow: 5, windowMs: 1_000 },
  /** Quotations of a request that says which web page it comes from. */
  origin: { perWindow: 1, windowMs: 10_000 },
} as const;

export type GroupName = keyof typeof GROUPS;

/** So many refusals within that time lead to a ban; neither is documented. */
const STRIKES = 20;
const STRIKES_WITHIN_MS = 10_000;
const BAN_FIRST_MS = 10_000;
const BAN_MAX_MS = 600_000;
/** With more scopes than this, those that are idle are forgotten. */
const SCOPES_MAX = 1_024;

export type Entered =
  | { readonly ok: true; readonly left: number }
  | { readonly ok: false; readonly status: 429 | 418; readonly waitMs: Millis };

interface Ban {
  strikes: Millis[];
  until: Millis;
  lastMs: Millis;
}

export class RateGroups {
  /** Keyed by group and scope. */
  readonly #windows = new Map<string, Millis[]>();
  readonly #bans = new Map<string, Ban>();
  readonly #factor: number;

  /** @param factor multiplies every rate */
  constructor(factor: number) {
    this.#factor = factor;
  }

  /** @param scope the address or the account */
  enter(group: GroupName, scope: string, at: Millis): Entered {
    const ban = this.#bans.get(scope);
    if (ban !== undefined && ban.until > at) return { ok: false, status: 418, waitMs: ban.until - at };
    const { windowMs } = GROUPS[group];
    const most = GROUPS[group].perWindow * this.#factor;
    const times = this.#timesOf(`${group} ${scope}`, at - windowMs);
    if (times.length >= most) return this.#refuse(scope, at, (times[0] ?? at) + windowMs - at);
    times.push(at);
    return { ok: true, left: most - times.length };
  }

  #timesOf(name: string, after: Millis): Millis[] {
    const times = (this.#windows.get(name) ?? []).filter((time) => time > after);
    if (this.#windows.size >= SCOPES_MAX)
      for (const [other, kept] of this.#windows) if ((kept.at(-1) ?? 0) <= after) this.#windows.delete(other);
    this.#windows.set(name, times);
    return times;
  }

  #refuse(scope: string, at: Millis, waitMs: Millis): Entered {
    const ban = this.#bans.get(scope) ?? { strikes: [], until: 0, lastMs: 0 };
    this.#bans.set(scope, ban);
    ban.strikes = [...ban.strikes.filter((time) => time > at - STRIKES_WITHIN_MS), at];
    if (ban.strikes.length < STRIKES) return { ok: false, status: 429, waitMs };
    ban.lastMs = Math.min(BAN_MAX_MS, ban.lastMs === 0 ? BAN_FIRST_MS : 2 * ban.lastMs);
    ban.until = at + ban.lastMs;
    ban.strikes = [];
    return { ok: false, status: 418, waitMs: ban.lastMs };
  }
}
