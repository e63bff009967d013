/**
 * Keeps what was found out about a request that has no answer: kept with it, and shown to the person who has to decide where the venue's
 * "not found" proves nothing. Field names of the view are public, hence snake_case.
 *
 * Source: decision 0064.
 */

export interface Evidence {
  /** Look-ups that the venue has answered without settling it. */
  readonly lookups: number;
  readonly sinceMs: number;
  readonly lastAtMs: number;
  /** The first look-up that said "none" after the request had run out, by the venue's clock and by ours. */
  readonly noneSince?: { readonly venueMs: number; readonly atMs: number };
  readonly lists?: ListEvidence;
}

/** Tells what the lists of the venue say besides; null where they could not be read to their end. */
export interface ListEvidence {
  readonly atMs: number;
  readonly inOpenList: boolean | null;
  readonly inClosedList: boolean | null;
  readonly lockedExplained: boolean | null;
}

/** All there is of a movement of money: no list says more of one than the look-up by its own key. */
export interface LookupView {
  /** Look-ups by its own name that the venue has answered: none of them has shown it. */
  readonly lookups: number;
  readonly since: string;
  readonly last_at: string;
}

export interface EvidenceView extends LookupView {
  /** Tells whether an order that asks for the same, and is known as nobody else's, is open; null where that could not be read. */
  readonly in_open_list: boolean | null;
  /** The same of closed orders since it was sent. */
  readonly in_closed_list: boolean | null;
  /** Tells whether what is locked of the asset is what the open orders lock: where it is more, an order may be there that is not shown. */
  readonly locked_explained: boolean | null;
}

/** An order that is not at the venue, and may be or come there: not sent yet, on its way, or without an answer. */
export interface UnresolvedIntent {
  readonly intent_id: string;
  readonly userref: string;
  readonly symbol: string;
  readonly state: "not_sent_yet" | "submitting" | "unknown";
  readonly since: string;
}

export function lookupView({ lookups, sinceMs, lastAtMs }: Evidence): LookupView {
  return { lookups, since: new Date(sinceMs).toISOString(), last_at: new Date(lastAtMs).toISOString() };
}

export function evidenceView({ lists, ...looked }: Evidence): EvidenceView {
  return {
    ...lookupView(looked),
    in_open_list: lists?.inOpenList ?? null,
    in_closed_list: lists?.inClosedList ?? null,
    locked_explained: lists?.lockedExplained ?? null,
  };
}

/** Whoever asks for one order looks at once, but not more often than this. */
export const LOOKUP_EVERY_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** After 1, 2, 4 … 60 s, then every five minutes for a day, then every hour. */
function pauseMs({ lookups, sinceMs }: Evidence, nowMs: number): number {
  const doubled = LOOKUP_EVERY_MS * 2 ** (lookups - 1);
  if (doubled < 2 * MINUTE_MS) return Math.min(doubled, MINUTE_MS);
  return nowMs - sinceMs < DAY_MS ? 5 * MINUTE_MS : HOUR_MS;
}

/** Tells whether it is time to look again by ourselves. A clock that was set back must not put it off. */
export function isLookupDue(evidence: Evidence | undefined, nowMs: number): boolean {
  return evidence === undefined || Math.abs(nowMs - evidence.lastAtMs) >= pauseMs(evidence, nowMs);
}

/** Tells whether somebody who asks now is answered by what was seen a moment ago. */
export function wasJustLookedUp(evidence: Evidence | undefined, nowMs: number): boolean {
  return evidence !== undefined && Math.abs(nowMs - evidence.lastAtMs) < LOOKUP_EVERY_MS;
}
