/**
 * Owns the decision how many calls of a venue's rate groups a process may make: a function from what all processes of the store have used, and hold, to
 * what is left for one of them.
 *
 * Invariants: what was used counts for the group's whole window, and what a process holds as if it were used at the last moment it may be; who asks once
 * more holds nothing of before; while others wait, nobody takes more than a share of what is there; nothing is given out while the scope is shut out. All times are the
 * store's own. A clock set back makes nobody wait longer than was said at first.
 *
 * Source: decision 0101.
 */

/** What a process asks of one group, and tells of it. */
export interface GroupClaim {
  readonly group: string;
  /** Calls in a window. */
  readonly limit: number;
  readonly windowMs: number;
  /** How much of the limit may be used by the call that asks. */
  readonly open: number;
  /** Without it no call goes; 0 where it only tells. */
  readonly needed: number;
  /** With those that stand behind it. */
  readonly wanted: number;
  /** More that would be of use, where most of the group is free. */
  readonly spare: number;
  /** A cancel: no pause keeps it back, and it leaves nothing to those that wait. */
  readonly isUrgent: boolean;
  /** What is over since it was told last. */
  readonly used: readonly (readonly [agoMs: number, calls: number])[];
  /** With what it keeps of what was granted before. */
  readonly underWay: number;
  /** How long it may be so at most. */
  readonly underWayMs: number;
  /** The same of what is granted, once it has left. */
  readonly flightMs: number;
  /** What the venue has just said is left of the window. */
  readonly left?: number;
  /** The venue takes none for so long. */
  readonly pauseMs?: number;
}

export interface ScopeClaim {
  /** Tells one process from the others. */
  readonly by: string;
  readonly groups: readonly GroupClaim[];
  /** The venue shuts all of it out; without a time it did not say how long. */
  readonly ban?: { readonly forMs?: number };
}

export interface GroupShare {
  readonly group: string;
  /** Calls that may be made within the lease. */
  readonly granted: number;
  /** Where fewer are granted than needed: when it is worth asking again. */
  readonly waitMs: number;
  readonly pausedMs: number;
  /** Used or held by all processes, with what was granted now. */
  readonly total: number;
}

export interface ScopeShare {
  readonly leaseMs: number;
  readonly bannedMs: number;
  readonly groups: readonly GroupShare[];
}

/** Times are the store's, Unix milliseconds. */
interface GroupState {
  readonly used: readonly (readonly [atMs: number, calls: number])[];
  readonly held: readonly (readonly [by: string, untilMs: number, calls: number])[];
  /** Who was turned away, and until when it counts as waiting. */
  readonly waiting: readonly (readonly [by: string, untilMs: number])[];
  readonly pausedUntilMs: number;
}

export interface ScopeState {
  readonly groups: Readonly<Record<string, GroupState>>;
  readonly bannedFromMs: number;
  readonly bannedUntilMs: number;
  /** One after another, for how long is guessed. */
  readonly bans: number;
}

export const UNUSED_SCOPE: ScopeState = { groups: {}, bannedFromMs: 0, bannedUntilMs: 0, bans: 0 };

/** How long what was granted may be used. It is as long as another process may be late to know of a ban. */
const LEASE_MS = 300;
/** No longer may what a process was granted be under way. */
const HELD_MAX_MS = LEASE_MS + 2_000;
/** Requests may arrive closer together than they leave. */
const JITTER_MS = 50;
const AGAIN_MS = 250;
/** Who was turned away comes back so much later at most, or counts as gone. */
const LATE_MS = 250;
/** What was used is kept in so many parts of a window. */
const PARTS = 20;
const PAUSE_MAX_MS = 600_000;
const BAN_GUESS_MS = 600_000;
const BAN_MAX_MS = 3 * 86_400_000;
/** After so long without one the next ban counts as the first. */
const BANS_FORGOTTEN_MS = 86_400_000;

export function decideShare(
  state: ScopeState,
  claim: ScopeClaim,
  nowMs: number,
): { readonly state: ScopeState; readonly share: ScopeShare } {
  const shut = claim.ban === undefined ? state : banned(state, claim.ban.forMs, nowMs);
  const bannedMs = banLeft(shut, nowMs);
  const groups: Record<string, GroupState> = { ...shut.groups };
  const shares = claim.groups.map((asked) => {
    const given = shareOf(groups[asked.group] ?? NOTHING, asked, { by: claim.by, nowMs, isShut: bannedMs > 0 });
    groups[asked.group] = given.state;
    return given.share;
  });
  return { state: { ...shut, groups }, share: { leaseMs: LEASE_MS, bannedMs, groups: shares } };
}

const NOTHING: GroupState = { used: [], held: [], waiting: [], pausedUntilMs: 0 };

function banned(state: ScopeState, toldMs: number | undefined, nowMs: number): ScopeState {
  const leftMs = banLeft(state, nowMs);
  const bans = nowMs > state.bannedUntilMs + BANS_FORGOTTEN_MS ? 0 : state.bans;
  // Answers to what was under way together tell of one ban.
  const forMs = leftMs > 0 ? (toldMs ?? 0) : (toldMs ?? BAN_GUESS_MS * 2 ** bans);
  return {
    ...state,
    bannedFromMs: nowMs,
    bannedUntilMs: nowMs + Math.max(leftMs, Math.min(Math.ceil(forMs), BAN_MAX_MS)),
    bans: leftMs > 0 ? state.bans : Math.min(bans + 1, 16),
  };
}

/** Of a clock that was set back since, no more than there was at first. */
function banLeft({ bannedFromMs, bannedUntilMs }: ScopeState, nowMs: number): number {
  return Math.max(0, Math.min(bannedUntilMs - nowMs, bannedUntilMs - bannedFromMs));
}

interface Asking {
  readonly by: string;
  readonly nowMs: number;
  readonly isShut: boolean;
}

function shareOf(
  before: GroupState,
  asked: GroupClaim,
  { by, nowMs, isShut }: Asking,
): { readonly state: GroupState; readonly share: GroupShare } {
  const spanMs = asked.windowMs + JITTER_MS;
  const held = before.held
    .map(([owner, untilMs, calls]) => [owner, Math.min(untilMs, nowMs + HELD_MAX_MS), calls] as const)
    .filter(([owner, untilMs]) => owner !== by && untilMs + spanMs > nowMs);
  const waiting = before.waiting.filter(
    ([owner, untilMs]) => owner !== by && untilMs > nowMs && untilMs <= nowMs + spanMs + LATE_MS + HELD_MAX_MS,
  );
  const told = asked.used.map(([agoMs, calls]) => [nowMs - Math.floor(agoMs), calls] as const);
  const seen = inParts([...before.used, ...told], nowMs, spanMs);
  const others = sumOf(seen.map(([, calls]) => calls)) + sumOf(held.map(([, , calls]) => calls)) + asked.underWay;
  // What the venue counts and no process does was used by another program.
  const unseen = asked.left === undefined ? 0 : Math.max(0, asked.limit - asked.left - others);
  const used = unseen === 0 ? seen : [...seen, [nowMs, unseen] as const];
  const pausedMs = Math.max(
    0,
    Math.min(before.pausedUntilMs - nowMs, PAUSE_MAX_MS),
    Math.min(Math.ceil(asked.pauseMs ?? 0), PAUSE_MAX_MS),
  );
  const isKeptBack = isShut || (pausedMs > 0 && !asked.isUrgent);
  const granted = isKeptBack ? 0 : grantedOf(asked, others + unseen, waiting.length);
  const isTurnedAway = granted < asked.needed;
  const owned = (
    [
      [by, nowMs + Math.ceil(asked.underWayMs), asked.underWay],
      [by, nowMs + LEASE_MS + asked.flightMs, granted],
    ] as const
  ).filter(([, , calls]) => calls > 0);
  const roomMs = isTurnedAway ? roomIn(used, held, { ...asked, nowMs, spanMs }) : 0;
  // Who holds something may say any moment that it was over before.
  const againMs = held.length === 0 ? roomMs : Math.min(roomMs, AGAIN_MS);
  const waitMs = isTurnedAway ? Math.max(1, pausedMs, againMs) : 0;
  return {
    state: {
      used,
      held: [...held, ...owned],
      waiting: isTurnedAway && !isKeptBack ? [...waiting, [by, nowMs + againMs + LATE_MS]] : waiting,
      pausedUntilMs: pausedMs === 0 ? 0 : nowMs + pausedMs,
    },
    share: { group: asked.group, granted, waitMs, pausedMs, total: others + unseen + granted },
  };
}

/** @param total used and held by all */
function grantedOf({ open, needed, wanted, spare, isUrgent }: GroupClaim, total: number, waiting: number): number {
  if (needed === 0) return 0;
  // A call that weighs more than its share goes when nothing else does.
  const room = Math.max(open, needed) - total;
  if (room < needed) return 0;
  const fair = isUrgent ? room : Math.max(needed, Math.ceil(room / (1 + waiting)));
  const granted = Math.min(wanted, fair);
  if (granted < wanted || waiting > 0) return granted;
  return granted + Math.max(0, Math.min(spare, Math.floor(open / 2) - total - granted));
}

/** When so much has run out that it fits. */
function roomIn(
  used: GroupState["used"],
  held: GroupState["held"],
  {
    open,
    needed,
    underWay,
    underWayMs,
    nowMs,
    spanMs,
  }: GroupClaim & { readonly nowMs: number; readonly spanMs: number },
): number {
  const uses = [
    ...used,
    ...held.map(([, untilMs, calls]) => [untilMs, calls] as const),
    ...(underWay === 0 ? [] : [[nowMs + underWayMs, underWay] as const]),
  ].sort(([one], [other]) => one - other);
  let over = sumOf(uses.map(([, calls]) => calls)) + needed - Math.max(open, needed);
  for (const [atMs, calls] of uses) {
    if (over <= 0) break;
    over -= calls;
    if (over <= 0) return Math.max(0, atMs + spanMs - nowMs);
  }
  return 0;
}

/** What still counts, oldest first; what is close together counts as the last of it. */
function inParts(uses: GroupState["used"], nowMs: number, spanMs: number): GroupState["used"] {
  const parts: [number, number][] = [];
  const partMs = Math.floor(spanMs / PARTS);
  const counted = uses.map(([atMs, calls]) => [Math.min(atMs, nowMs), calls] as const);
  for (const [atMs, calls] of counted.toSorted(([one], [other]) => one - other)) {
    if (calls === 0 || atMs + spanMs <= nowMs) continue;
    const last = parts.at(-1);
    if (last !== undefined && Math.floor(last[0] / partMs) === Math.floor(atMs / partMs)) {
      last[0] = atMs;
      last[1] += calls;
    } else parts.push([atMs, calls]);
  }
  return parts;
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
