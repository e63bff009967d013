/**
 * When "not found" proves that a request never takes effect: one rule for whatever is sent once.
 *
 * Invariant: never by age alone. Where the venue's rule proves nothing, an unknown ends only by what is found, or by a person.
 *
 * Source: architecture.md#rule-1, service.md#nonce-fence; decision 0064.
 */
import type { Absence, VenueCard } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import type { Evidence, ListEvidence } from "../model/evidence.ts";
import type { AuditDetail } from "../model/submission.ts";
import type { Found, VenueReads } from "../ports/venue.ts";

/** Where a venue checks when a request has run out, its answers may lag behind, and clocks are never quite right. */
const EXPIRY_SLACK_MS = 2_000;
const CLOCK_SLACK_MS = 10_000;
const EVERYWHERE = new Set(["open", "closed", "canceled"] as const);

/**
 * How long a request may be on its way: twice the deadline, as it may wait in the network. Nothing is concluded from it but that a person's word
 * comes too early.
 */
export function longestSendMs({ writeTimeoutMs }: Pick<VenueReads, "writeTimeoutMs">): number {
  return 2 * writeTimeoutMs + CLOCK_SLACK_MS;
}

/** A request that was numbered, and by which key. */
export interface SentRequest {
  readonly nonce: string | null;
  readonly sentAtMs: number | null;
  readonly body: { readonly keyId: string };
  /** When the venue takes it no more, by its own clock; absent where the request does not say so. */
  readonly expiresAtMs?: number;
}

export type None = Extract<Found, { readonly kind: "none" }>;

/** A look-up that covers every state, and has shown nothing. */
export function nothingFound({ parts: { venue, clock } }: DeskContext): None {
  return { kind: "none", covers: EVERYWHERE, atMs: clock.now() + (venue.clockOffsetMs() ?? 0) };
}

/** What a venue says of how absence can be proven there. */
interface Proving {
  readonly card: Pick<VenueCard, "absence" | "visible_after_ms">;
}

interface Looked {
  readonly none: None;
  /** What was known before this look-up. */
  readonly before: Evidence | undefined;
  readonly nowMs: number;
}

/** Whether an answer proves what became of every request numbered before it: then also a lost cancel can do nothing any more. */
export function isFenced({ card }: Proving): boolean {
  return card.absence.by === "nonce";
}

/** Whether "not found" can ever be final there: where it cannot, an order without an answer may need a person. */
export function mayProveAbsence({ card: { absence } }: Proving): boolean {
  return absence.by === "nonce" || (absence.by === "expiry" && absence.at === "engine");
}

/** Whether this look-up, with those before it, proves that the request cannot take effect any more. */
export function absenceIsFinal(
  { card, keyId }: Proving & Pick<VenueReads, "keyId">,
  sent: SentRequest,
  looked: Looked,
): boolean {
  const { absence } = card;
  switch (absence.by) {
    case "nonce":
      // The fence stands within one key, and the look-up was numbered after the request.
      return keyId === sent.body.keyId && sent.nonce !== null;
    case "expiry":
      return expiryIsFinal({ ...absence, visibleAfterMs: card.visible_after_ms }, sent, looked);
    case "id":
    case "none":
      return false;
    default:
      return absence satisfies never;
  }
}

function expiryIsFinal(absence: Visible<Expiry>, sent: SentRequest, { none, before, nowMs }: Looked): boolean {
  const first = before?.noneSince;
  if (first === undefined || sent.sentAtMs === null || !provesNone(absence, sent, none)) return false;
  const { visibleAfterMs } = absence;
  // By our own clock too: the venue's may have been set.
  const isOverHere = nowMs - sent.sentAtMs > absence.ms + graceMs(absence);
  return isOverHere && none.atMs - first.venueMs >= visibleAfterMs && nowMs - first.atMs >= visibleAfterMs;
}

type Expiry = Extract<Absence, { readonly by: "expiry" }>;
type Visible<Rule> = Rule & { readonly visibleAfterMs: number };

function graceMs({ visibleAfterMs, errorMs }: Visible<Expiry>): number {
  return visibleAfterMs + 2 * errorMs + EXPIRY_SLACK_MS;
}

/** Whether it counts as one of the two look-ups that expiry needs. */
function provesNone(absence: Visible<Absence>, { expiresAtMs }: SentRequest, { atMs, covers }: None): boolean {
  // A gate checks before the request waits for the engine, so one that has passed it may still take effect.
  if (absence.by !== "expiry" || absence.at !== "engine" || expiresAtMs === undefined) return false;
  return atMs > expiresAtMs + graceMs(absence) && [...EVERYWHERE].every((state) => covers.has(state));
}

/** What is known after a look-up that the venue has answered without settling it. */
export function evidenceAfter(
  { card: { absence, visible_after_ms: visibleAfterMs } }: Proving,
  sent: SentRequest,
  { found, before, nowMs, lists = before?.lists }: EvidenceStep,
): Evidence {
  const isFirst =
    before?.noneSince === undefined && found.kind === "none" && provesNone({ ...absence, visibleAfterMs }, sent, found);
  const noneSince = isFirst ? { venueMs: found.atMs, atMs: nowMs } : before?.noneSince;
  return {
    lookups: (before?.lookups ?? 0) + 1,
    sinceMs: before?.sinceMs ?? nowMs,
    lastAtMs: nowMs,
    ...(noneSince && { noneSince }),
    ...(lists && { lists }),
  };
}

interface EvidenceStep {
  readonly found: None | { readonly kind: "cannot_say" };
  readonly before: Evidence | undefined;
  readonly nowMs: number;
  readonly lists?: ListEvidence | undefined;
}

/** For the audit log, where look-ups before had not shown it. */
export function lateBy(
  { sentAtMs }: { readonly sentAtMs: number | null },
  evidence: Evidence | undefined,
  nowMs: number,
): { readonly event: "appeared_late"; readonly detail: AuditDetail } | undefined {
  if (evidence === undefined) return undefined;
  const after_ms = nowMs - (sentAtMs ?? evidence.sinceMs);
  return { event: "appeared_late", detail: { after_ms, lookups: evidence.lookups } };
}
