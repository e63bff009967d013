/**
 * Owns how many sessions there are, of every transport together, and which of them end by themselves.
 *
 * Invariants: their number is bounded; a session that nobody uses or listens to ends, and none that was used lately gives way to another;
 * one whose caller is not let in any more ends.
 *
 * Source: decision 0034, decision 0035.
 */
import { defined } from "../../contract/index.ts";
import type { Caller } from "../../mcp/index.ts";
import { type Grant, type Identity, OWNER } from "../wire/caller.ts";
import type { OpenRequests } from "../wire/open-requests.ts";
import { noSession, noSessionOfCaller } from "../wire/refusal.ts";
import { type AssistantSeat, type AssistantWatch, clientIn } from "./assistant.ts";

export interface SessionLimits {
  readonly sessionsMax: number;
  /** Bounds those of one caller that is not the owner. */
  readonly callerSessionsMax: number;
  readonly sessionIdleMs: number;
  /** A session that was used this lately stays, however many others ask to begin. */
  readonly sessionKeptMs: number;
}

/**
 * Says how a session ends: by its client, for another (`limit`), with its token, as it was not used for long (`idle`), or with the server,
 * which counts none.
 */
export type SessionEnd = "client" | "limit" | "token" | "idle" | "stop";

/** When a client of a session opens a stream again that broke. */
export const RETRY_MS = 1_000;
const SWEEP_MS = 30_000;

/** Holds one session, and how it is used. */
export class Seat {
  /** Tells whether its client has asked for anything but to begin. */
  isUsed = false;
  readonly end: (why: SessionEnd) => Promise<void>;
  /** Who calls by it. */
  readonly caller: Caller;
  readonly #assistant: AssistantSeat | undefined;
  /** The key of the identity that began it. */
  readonly #owner: string;
  #open = 0;
  #usedAtMs = Date.now();

  constructor({ identity }: Grant, end: Seat["end"], assistant?: AssistantSeat) {
    this.caller = callerOf(identity, assistant);
    this.#assistant = assistant;
    this.#owner = identity.key;
    this.end = end;
  }

  isOf({ identity }: Grant): boolean {
    return identity.key === this.#owner;
  }

  /** Its client has sent this, and may say in it how it is called. */
  heard(body: unknown): void {
    const client = this.#assistant && clientIn(body);
    if (client !== undefined) this.#assistant?.named(client);
  }

  left(): void {
    this.#assistant?.left();
  }

  /** A request or a stream of it is open, until this resolves. */
  opened(ended: Promise<void>): void {
    this.#open += 1;
    this.#usedAtMs = Date.now();
    void ended.then(() => {
      this.#open -= 1;
      this.#usedAtMs = Date.now();
    });
  }

  get isOpen(): boolean {
    return this.#open > 0;
  }

  get usedAtMs(): number {
    return this.#usedAtMs;
  }
}

function callerOf(identity: Identity, client: AssistantSeat | undefined): Caller {
  const { key, name } = identity;
  return { key, name, ...(identity === OWNER && { isOwner: true }), ...defined({ client }) };
}

export class SessionTable {
  /** With what says that it does not end with its caller's token any more. */
  readonly #seats = new Map<Seat, () => void>();
  readonly #limits: SessionLimits;
  readonly #open: OpenRequests;
  readonly #assistants: AssistantWatch | undefined;
  readonly #onEnd: (why: SessionEnd) => void;
  readonly #sweeper: NodeJS.Timeout;

  /** @param onEnd called when a session has ended, but for the end of all of them */
  constructor(
    limits: SessionLimits,
    open: OpenRequests,
    {
      assistants,
      onEnd,
    }: { readonly assistants: AssistantWatch | undefined; readonly onEnd: (why: SessionEnd) => void },
  ) {
    this.#assistants = assistants;
    this.#onEnd = onEnd;
    this.#limits = limits;
    this.#open = open;
    this.#sweeper = setInterval(() => this.#sweep(), Math.min(SWEEP_MS, limits.sessionIdleMs));
    this.#sweeper.unref();
  }

  get size(): number {
    return this.#seats.size;
  }

  /**
   * @param grant it ends with this
   * @returns a refusal when every session is used
   */
  async take(grant: Grant, end: Seat["end"]): Promise<Seat | Response> {
    const { sessionsMax, callerSessionsMax } = this.#limits;
    const own = (seat: Seat): boolean => grant.identity !== OWNER && seat.isOf(grant);
    if (!(await this.#isRoomFor(own, callerSessionsMax))) return noSessionOfCaller(callerSessionsMax);
    if (!(await this.#isRoomFor(() => true, sessionsMax))) return noSession();
    const seat = new Seat(grant, end, this.#assistants?.join(grant.identity.name));
    const release = this.#open.begin(grant, () => void this.#end(seat, "token"));
    this.#seats.set(seat, release);
    return seat;
  }

  leave(seat: Seat, why: SessionEnd = "client"): void {
    this.#seats.get(seat)?.();
    if (!this.#seats.delete(seat)) return;
    seat.left();
    if (why !== "stop") this.#onEnd(why);
  }

  /** A client that has no session asks for something. @param ended as of the request */
  pass({ identity }: Grant, body: unknown, ended: Promise<void>): Caller {
    return callerOf(identity, this.#assistants?.pass(identity, clientIn(body) ?? "", ended));
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    await Promise.all([...this.#seats.keys()].map((seat) => this.#end(seat, "stop")));
  }

  #sweep(): void {
    const oldest = Date.now() - this.#limits.sessionIdleMs;
    for (const seat of this.#seats.keys()) if (!seat.isOpen && seat.usedAtMs < oldest) void this.#end(seat, "idle");
  }

  /** Makes it, where one of these may end. */
  async #isRoomFor(counts: (seat: Seat) => boolean, max: number): Promise<boolean> {
    for (;;) {
      const seats = [...this.#seats.keys()].filter(counts);
      if (seats.length < max) return true;
      const oldest = this.#oldestOf(seats);
      if (oldest === undefined) return false;
      await this.#end(oldest, "limit");
    }
  }

  /** First one whose client has only begun. */
  #oldestOf(seats: readonly Seat[]): Seat | undefined {
    const keptSinceMs = Date.now() - this.#limits.sessionKeptMs;
    const [oldest] = seats
      .filter(({ isOpen, isUsed, usedAtMs }) => !isOpen && (!isUsed || usedAtMs <= keptSinceMs))
      .sort((a, b) => Number(a.isUsed) - Number(b.isUsed) || a.usedAtMs - b.usedAtMs);
    return oldest;
  }

  async #end(seat: Seat, why: SessionEnd): Promise<void> {
    this.leave(seat, why);
    await seat.end(why);
  }
}
