/**
 * Owns the lanes in the database: the state of each, and the line of processes that wait for it.
 *
 * Invariants: reading, deciding and writing are one transaction, or one statement that changes nothing where the lane is not as this process left it, with
 * nobody in line; who waits holds a ticket, and nobody passes before an
 * older ticket whose owner still comes back for it, so no process starves another. Urgent calls have tickets below zero, and
 * so stand before all others, oldest first among themselves.
 */
import { failed, ok, type Result } from "../../contract/index.ts";
import type { Connection, WaitLimit } from "../sql/connection.ts";
import { numberCell, type Row, type Statements, textCell, type Work } from "../sql/statement.ts";
import { resultOf, StoreInvariantError, storeError } from "../sql/store-error.ts";
import {
  type Decision,
  decideTurn,
  type LanePaces,
  type LaneState,
  lowerWeight,
  pauseLane,
  type Turn,
  UNUSED_LANE,
} from "./lane-turn.ts";

/** Tells of one attempt to pass the lane. `line`: an older ticket goes first, and is due in `waitMs`. */
export type TurnAttempt =
  | { readonly passes: true; readonly state: LaneState }
  | {
      readonly passes: false;
      readonly state: LaneState;
      readonly behind: "lease" | "pace" | "line";
      /** When it is worth trying again. */
      readonly waitMs: number;
      /** Undefined of a background call, and where no line is kept, as the store fails. */
      readonly place: Place | undefined;
    };

/** A ticket in the line, and until when its owner said it would come back. */
export interface Place {
  readonly ticket: number;
  readonly dueMs: number;
}

export interface TurnRequest extends Turn {
  readonly keyId: string;
  readonly place: Place | undefined;
  /** The largest nonce this process knows of, should the store have missed some. */
  readonly knownNonce: bigint;
}

/** A ticket whose owner is later than this is void: its process is gone or hangs. */
const LATE_MS = 250;
/** Who waits comes back at least this often, so what a ticket can cost others once its process is gone is bounded. */
export const RETRY_MS = 500;

/** Bounds how long an urgent call waits for the store before it goes without. */
const URGENT_MS = 500;
/** For one that goes without, so that it notices when the store is there again; between two of them nobody waits. */
const URGENT_LEAST_MS = 20;
const LOOK_EVERY_MS = 250;

const STATE = `SELECT last_nonce, calls_until_us, weight_until_us, paused_from_ms, paused_until_ms,
  lease_id, lease_from_ms, lease_until_ms FROM lanes WHERE key_id = ?`;
/** With whether anybody stands in line before such a call. */
const STATE_AND_LINE = STATE.replace(
  " FROM lanes",
  ", (SELECT min(ticket) FROM lane_line WHERE key_id = ? AND ticket < ?) AS first_ticket FROM lanes",
);
const SAVE = `INSERT INTO lanes (key_id, last_nonce, calls_until_us, weight_until_us, paused_from_ms, paused_until_ms,
  lease_id, lease_from_ms, lease_until_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (key_id) DO UPDATE SET last_nonce = excluded.last_nonce, calls_until_us = excluded.calls_until_us,
  weight_until_us = excluded.weight_until_us, paused_from_ms = excluded.paused_from_ms,
  paused_until_ms = excluded.paused_until_ms, lease_id = excluded.lease_id,
  lease_from_ms = excluded.lease_from_ms, lease_until_ms = excluded.lease_until_ms`;
/** Nobody was there since, and nobody waits. Whether the lease is written back already does not matter, as it was this process's own. */
const SAVE_IF_AS_LEFT = `UPDATE lanes SET last_nonce = ?, calls_until_us = ?, weight_until_us = ?, lease_id = ?, lease_from_ms = ?, lease_until_ms = ?
  WHERE key_id = ? AND last_nonce = ? AND calls_until_us = ? AND weight_until_us = ? AND paused_from_ms = ? AND paused_until_ms = ?
  AND lease_id = ? AND lease_from_ms = ? AND NOT EXISTS (SELECT 1 FROM lane_line WHERE key_id = ? AND ticket < ?)`;
const RELEASE_LEASE = "UPDATE lanes SET lease_until_ms = 0 WHERE key_id = ? AND lease_id = ?";
const LINE = "SELECT ticket, due_ms FROM lane_line WHERE key_id = ? AND ticket < ? ORDER BY ticket LIMIT ?";
const JOIN = "INSERT INTO lane_line (key_id, due_ms) VALUES (?, ?) RETURNING ticket";
const MAKE_URGENT = "UPDATE lane_line SET ticket = ? WHERE ticket = ?";
const EXTEND = "UPDATE lane_line SET due_ms = ? WHERE ticket = ?";
const REMOVE = "DELETE FROM lane_line WHERE ticket = ?";

/** More than there will ever be tickets; what an urgent one is below the number it was drawn as. */
const TICKETS = 2 ** 50;
/** Tickets read in one go: void ones are removed as they are met. */
const LINE_PAGE = 16;

/** The lane of a key is not as this process left it. */
class NotAsLeft extends Error {}

/** How this process left the lane of a key. */
interface Left {
  readonly state: LaneState;
  /** Its call is over. */
  isGivenBack: boolean;
  /** Nobody else was there between this call and the one before. */
  readonly isAlone: boolean;
}

export class LaneTable {
  readonly #connection: Connection;
  readonly #left = new Map<string, Left>();
  readonly #limit: WaitLimit;
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor(connection: Connection, limit: WaitLimit) {
    this.#connection = connection;
    this.#limit = limit;
  }

  /** Passes, or takes a place in the line. `request` is asked inside the transaction, so that its time is that of the decision. */
  async takeTurn(request: () => TurnRequest, paces: LanePaces, isUrgent: boolean): Promise<Result<TurnAttempt>> {
    if (isUrgent && this.#goesWithout(request().nowMs))
      return failed(storeError("no_answer", this.#connection.path).toFault());
    const limit = this.#limitOf(isUrgent);
    const asked = request();
    const next = this.#nextAsLeft(asked, paces);
    const atOnce = next && (await this.#takeAsLeft(asked, next, limit));
    if (atOnce !== undefined) return atOnce;
    const taken = await this.#transaction((statements) => this.#attempt(statements, request, paces), limit);
    return taken.ok ? ok(this.#noted(asked.keyId, taken.value)) : taken;
  }

  /** How it would be after this call; undefined where this process was not the last one there, and where it has to be waited for. */
  #nextAsLeft(request: TurnRequest, paces: LanePaces): readonly [from: LaneState, to: LaneState] | undefined {
    const { keyId, place, knownNonce } = request;
    const left = this.#left.get(keyId);
    if (left?.isGivenBack !== true || !left.isAlone || place !== undefined) return undefined;
    const { state } = left;
    const known = { ...state, leaseUntilMs: 0, lastNonce: largest(state.lastNonce, knownNonce) };
    const decision = decideTurn(known, request, paces);
    return decision.passes ? [state, decision.state] : undefined;
  }

  /** One question. @returns undefined where it has to be looked at after all */
  async #takeAsLeft(
    request: TurnRequest,
    [from, to]: readonly [LaneState, LaneState],
    limit: WaitLimit,
  ): Promise<Result<TurnAttempt> | undefined> {
    const { keyId } = request;
    const values = [...valuesOf(to), keyId, ...marksOf(from), keyId, ticketsBefore(request)];
    const work = ({ put }: Statements) => put(SAVE_IF_AS_LEFT, values, 1, notAsLeft);
    this.#doubt(keyId);
    try {
      const saved = await this.#transaction(work, { ...limit, isRepeatable: true });
      if (!saved.ok) return saved;
    } catch (error) {
      if (error instanceof NotAsLeft) return undefined;
      throw error;
    }
    this.#left.set(keyId, { state: to, isGivenBack: false, isAlone: true });
    return ok({ passes: true, state: to });
  }

  #noted(keyId: string, { wasAsLeft, ...attempt }: TurnAttempt & { readonly wasAsLeft: boolean }): TurnAttempt {
    if (attempt.passes)
      this.#left.set(keyId, { state: attempt.state, isGivenBack: false, isAlone: wasAsLeft || !this.#left.has(keyId) });
    return attempt;
  }

  /** It has to be looked at the next time. */
  #doubt(keyId: string): void {
    const left = this.#left.get(keyId);
    if (left !== undefined) this.#left.set(keyId, { ...left, isAlone: false });
  }

  /** Tells whether it is the call of this process that is over, written back or not. */
  #isOver(keyId: string, { leaseId, leaseFromMs, lastNonce }: LaneState): boolean {
    const left = this.#left.get(keyId);
    if (left?.isGivenBack !== true) return false;
    const { state } = left;
    return state.leaseId === leaseId && state.leaseFromMs === leaseFromMs && state.lastNonce === lastNonce;
  }

  /** From now on it holds up nobody in this process. @returns whether the next one of this process could pass in its place: nobody else was there of late */
  end(keyId: string, leaseId: number): boolean {
    const left = this.#left.get(keyId);
    if (left?.state.leaseId !== leaseId) return false;
    left.isGivenBack = true;
    return left.isAlone;
  }

  /** As `end`, and nobody elsewhere once it is written back. */
  free(keyId: string, leaseId: number, isUrgent: boolean): Promise<Result<void>> {
    this.end(keyId, leaseId);
    return this.#giveBack(RELEASE_LEASE, [keyId, leaseId], isUrgent);
  }

  leaveLine({ ticket }: Place, isUrgent: boolean): Promise<Result<void>> {
    return this.#giveBack(REMOVE, [ticket], isUrgent);
  }

  pause(keyId: string, nowMs: number, forMs: number): Promise<Result<void>> {
    return this.#change(keyId, (state) => pauseLane(state, nowMs, forMs));
  }

  /** @param left of the weight, at most */
  lower(keyId: string, nowMs: number, left: number, paces: LanePaces): Promise<Result<void>> {
    return this.#change(keyId, (state) => lowerWeight(state, nowMs, left, paces));
  }

  #change(keyId: string, change: (state: LaneState) => LaneState): Promise<Result<void>> {
    this.#doubt(keyId);
    return this.#transaction(function* (statements) {
      yield* save(statements, keyId, change(yield* load(statements, keyId)));
    });
  }

  #transaction<T>(work: (statements: Statements) => Work<T>, limit = this.#limit): Promise<Result<T>> {
    return resultOf(this.#connection.transaction(work, limit));
  }

  /** Spares an urgent call from waiting anew for what something else of this process has waited for in vain. */
  urgentWaitMs(): number {
    return Math.max(URGENT_LEAST_MS, URGENT_MS - this.#connection.waitingMs());
  }

  /** Tells whether the store is silent, and was looked at just now. */
  #goesWithout(nowMs: number): boolean {
    if (this.#connection.waitingMs() < URGENT_MS) return false;
    if (Math.abs(nowMs - this.#lookedAtMs) < LOOK_EVERY_MS) return true;
    this.#lookedAtMs = nowMs;
    return false;
  }

  #limitOf(isUrgent: boolean): WaitLimit {
    return isUrgent ? { busyMs: this.urgentWaitMs(), isHurried: true } : this.#limit;
  }

  /** After close nothing can be given back, and need not be: leases and tickets end by themselves. */
  async #giveBack(sql: string, values: readonly (string | number)[], isUrgent: boolean): Promise<Result<void>> {
    if (this.#connection.closed) return ok(undefined);
    return this.#transaction(({ put }) => put(sql, values), { ...this.#limitOf(isUrgent), isRepeatable: true });
  }

  *#attempt(
    statements: Statements,
    ask: () => TurnRequest,
    paces: LanePaces,
  ): Work<TurnAttempt & { readonly wasAsLeft: boolean }> {
    const asked = ask();
    const row = yield* statements.get(STATE_AND_LINE, [asked.keyId, ticketsBefore(asked), asked.keyId]);
    // Again: only with the answer it has its turn at the store.
    const request = ask();
    const { keyId, place, nowMs } = request;
    const stored = stateOf(row);
    const wasAsLeft = this.#isOver(keyId, stored);
    const state = {
      ...stored,
      lastNonce: largest(stored.lastNonce, request.knownNonce),
      ...(wasAsLeft && { leaseUntilMs: 0 }),
    };
    const isLineEmpty = row?.["first_ticket"] === null;
    const first = isLineEmpty ? undefined : yield* firstInLine(statements, request);
    if (first !== undefined && first.ticket !== place?.ticket) {
      const waitMs = Math.max(1, first.dueMs - nowMs);
      const kept = yield* keepPlace(statements, request, waitMs);
      return { passes: false, state, behind: "line", waitMs, place: kept, wasAsLeft };
    }
    const decision: Decision = decideTurn(state, request, paces);
    if (!decision.passes) {
      const kept = yield* keepPlace(statements, request, decision.waitMs);
      return { ...decision, state, place: kept, wasAsLeft };
    }
    yield* save(statements, keyId, decision.state);
    if (place !== undefined) yield* statements.put(REMOVE, [place.ticket]);
    return { ...decision, wasAsLeft };
  }
}

const notAsLeft = (error: unknown): unknown => (error instanceof StoreInvariantError ? new NotAsLeft() : error);

const largest = (one: bigint, other: bigint): bigint => (one > other ? one : other);

function valuesOf(state: LaneState): (string | number)[] {
  const { lastNonce, callsUntilUs, weightUntilUs, leaseId, leaseFromMs, leaseUntilMs } = state;
  return [String(lastNonce), callsUntilUs, weightUntilUs, leaseId, leaseFromMs, leaseUntilMs];
}

/** What a lane is known by. */
function marksOf(state: LaneState): (string | number)[] {
  const { lastNonce, callsUntilUs, weightUntilUs, pausedFromMs, pausedUntilMs, leaseId, leaseFromMs } = state;
  return [String(lastNonce), callsUntilUs, weightUntilUs, pausedFromMs, pausedUntilMs, leaseId, leaseFromMs];
}

function* load({ get }: Statements, keyId: string): Work<LaneState> {
  return stateOf(yield* get(STATE, [keyId]));
}

function stateOf(row: Row | undefined): LaneState {
  if (row === undefined) return UNUSED_LANE;
  return {
    lastNonce: BigInt(textCell(row, "last_nonce")),
    callsUntilUs: numberCell(row, "calls_until_us"),
    weightUntilUs: numberCell(row, "weight_until_us"),
    pausedFromMs: numberCell(row, "paused_from_ms"),
    pausedUntilMs: numberCell(row, "paused_until_ms"),
    leaseId: numberCell(row, "lease_id"),
    leaseFromMs: numberCell(row, "lease_from_ms"),
    leaseUntilMs: numberCell(row, "lease_until_ms"),
  };
}

function* save({ put }: Statements, keyId: string, state: LaneState): Work<void> {
  yield* put(SAVE, [
    keyId,
    String(state.lastNonce),
    state.callsUntilUs,
    state.weightUntilUs,
    state.pausedFromMs,
    state.pausedUntilMs,
    state.leaseId,
    state.leaseFromMs,
    state.leaseUntilMs,
  ]);
}

/** Those below stand before such a call. */
const ticketsBefore = ({ rank }: TurnRequest): number => (rank === "urgent" ? 0 : TICKETS);

/** The first valid ticket that goes before this call or is its own; void ones before it are removed. */
function* firstInLine(statements: Statements, request: TurnRequest): Work<Place | undefined> {
  const { keyId, place, nowMs } = request;
  for (;;) {
    const page = yield* statements.all(LINE, [keyId, ticketsBefore(request), LINE_PAGE]);
    for (const row of page) {
      const [ticket, dueMs] = [numberCell(row, "ticket"), numberCell(row, "due_ms")];
      // Due further ahead than anybody promises: the clock was set back since.
      const valid = nowMs <= dueMs + LATE_MS && dueMs <= nowMs + 2 * RETRY_MS;
      if (valid || ticket === place?.ticket) return { ticket, dueMs };
      yield* statements.put(REMOVE, [ticket]);
    }
    if (page.length < LINE_PAGE) return;
  }
}

/** Takes a place in the line, or tells that its owner is still there. A background call stands behind everybody, whenever it came: it takes none. */
function* keepPlace(
  statements: Statements,
  { keyId, place, nowMs, rank }: TurnRequest,
  waitMs: number,
): Work<Place | undefined> {
  if (rank === "background") return undefined;
  const dueMs = Math.ceil(nowMs + Math.min(waitMs, RETRY_MS));
  if (place !== undefined) {
    // Not at every attempt: half of what lateness is forgiven is left, and an attempt that writes nothing costs no commit.
    if (dueMs <= place.dueMs + LATE_MS / 2 && place.dueMs <= dueMs + RETRY_MS) return place;
    if ((yield* statements.run(EXTEND, [dueMs, place.ticket])).changes === 1) return { ...place, dueMs };
  }
  const row = yield* statements.get(JOIN, [keyId, dueMs]);
  if (row === undefined) throw new StoreInvariantError("the line took no ticket");
  const drawn = numberCell(row, "ticket");
  if (rank !== "urgent") return { ticket: drawn, dueMs };
  yield* statements.put(MAKE_URGENT, [drawn - TICKETS, drawn], 1);
  return { ticket: drawn - TICKETS, dueMs };
}
