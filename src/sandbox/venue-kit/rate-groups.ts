/**
 * The rates of an exchange: so many requests of a group in any window, by address or by account; where the exchange bans, who goes on after
 * a 429 is banned with 418, each time longer. Entry point: `RateGroups`.
 *
 * Invariant: a refused request counts for no window, and for the ban.
 */
import type { Millis } from "../model/index.ts";

/** `perWindow` requests in `windowMs`. */
export interface Rate {
  readonly perWindow: number;
  readonly windowMs: Millis;
}

/** So many refusals within that time lead to a ban; each is twice as long as the one before. */
export interface BanTerms {
  readonly strikes: number;
  readonly withinMs: Millis;
  readonly firstMs: Millis;
  readonly maxMs: Millis;
}

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

export class RateGroups<Name extends string> {
  /** Keyed by group and scope. */
  readonly #windows = new Map<string, Millis[]>();
  readonly #bans = new Map<string, Ban>();
  readonly #groups: Readonly<Record<Name, Rate>>;
  readonly #factor: number;
  readonly #terms: BanTerms | undefined;

  /** @param factor multiplies every rate. @param terms without them nobody is banned */
  constructor(groups: Readonly<Record<Name, Rate>>, factor: number, terms?: BanTerms) {
    this.#groups = groups;
    this.#factor = factor;
    this.#terms = terms;
  }

  /** @param scope the address or the account */
  enter(group: Name, scope: string, at: Millis): Entered {
    const ban = this.#bans.get(scope);
    if (ban !== undefined && ban.until > at) return { ok: false, status: 418, waitMs: ban.until - at };
    const { windowMs, perWindow } = this.#groups[group];
    const most = perWindow * this.#factor;
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
    if (this.#terms === undefined) return { ok: false, status: 429, waitMs };
    const { strikes, withinMs, firstMs, maxMs } = this.#terms;
    const ban = this.#bans.get(scope) ?? { strikes: [], until: 0, lastMs: 0 };
    this.#bans.set(scope, ban);
    ban.strikes = [...ban.strikes.filter((time) => time > at - withinMs), at];
    if (ban.strikes.length < strikes) return { ok: false, status: 429, waitMs };
    ban.lastMs = Math.min(maxMs, ban.lastMs === 0 ? firstMs : 2 * ban.lastMs);
    ban.until = at + ban.lastMs;
    ban.strikes = [];
    return { ok: false, status: 418, waitMs: ban.lastMs };
  }
}
