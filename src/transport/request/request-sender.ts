/**
 * Sends calls to the venue: finds the address, takes a turn in the lane, numbers and signs the request, reads the answer.
 *
 * Entry points: `read` (retried until it succeeds or its deadline passes) and `write` (one request or none).
 *
 * Invariants:
 * - A private call is signed after all waiting, with the lane's nonce, and always leaves the lane.
 * - Every answer passes `redact` before any other code sees it.
 * - A public call waits while the venue says that this address has used up its limit.
 * - At a venue with groups of calls every call takes its turn in the lane, and its answer is searched for what is left of them.
 * - Every request says which program it is of, and none an origin.
 * - `write` calls `#attempt` once, and `#attempt` calls `transport.send` at most once. There is no loop around either.
 *
 * Source: service.md#one-lane-per-key, service.md#public-limit, service.md#nonce-fence, architecture.md#rule-1.
 */
import { setMaxListeners } from "node:events";
import { checkFault, defined, type Fault, failed, localFault, type Result } from "../../contract/index.ts";
import type { Address, BaseUrl } from "./base-url.ts";
import type { QueryOptions, WriteOptions } from "./call-options.ts";
import { ClockOffset } from "./clock-offset.ts";
import { Deadline } from "./deadline.ts";
import type { ClientListener } from "./event.ts";
import { type LaneEntrance, PAUSE_DEFAULT_MS, PAUSE_MAX_MS } from "./lane-entrance.ts";
import type { Charge, LimitNews, SteadyClock, Transport, WireOutcome } from "./ports.ts";
import { type Redact, redactResult } from "./redaction.ts";
import { NONCE_RETRIES, retryDelayMs } from "./retry.ts";
import { USER_AGENT } from "./user-agent.ts";
import type { AnswerListener, RequestParts, Signer, SigningKey, VenueCall } from "./venue-call.ts";

export interface RequestSenderParts {
  readonly baseUrl: BaseUrl;
  readonly credentials: SigningKey | undefined;
  readonly lane: LaneEntrance;
  readonly clock: SteadyClock;
  readonly transport: Transport;
  readonly random: () => number;
  readonly emit: ClientListener;
  /** Must not throw. */
  readonly inspect?: AnswerListener;
  readonly redact: Redact;
  /** Reads the venue's clock. Absent: it has none, and the date of its answers has to do, which is in whole seconds. */
  readonly clockCall?: VenueCall<{ readonly unix_ms: number }>;
  /** What an answer says of a venue's groups of calls. */
  readonly limitsIn?: (answer: WireAnswer, charges: readonly Charge[], nowMs: number) => readonly LimitNews[];
  /** The id that the headers of an answer give the exchange, where it is a sandbox. */
  readonly sandboxIdIn: (headers: AnswerHeaders) => string | undefined;
  /** Bounds one request, connect to last byte. */
  readonly requestMs: number;
  /** A read over all its tries; also how long a write waits for its turn. */
  readonly deadlineMs: number;
}

type AnswerHeaders = Parameters<LaneEntrance["learn"]>[1];
type WireAnswer = Extract<WireOutcome, { readonly kind: "answer" }>;

/** Short, because an order may be waiting for it. */
const CLOCK_READ_MS = 2_000;

interface OpenKey {
  readonly keyId: string;
  readonly signer: Signer;
}

interface Attempt {
  readonly deadline: Deadline;
  readonly number: number;
  readonly signal?: AbortSignal | undefined;
  readonly urgent?: boolean;
  readonly background?: boolean;
  readonly beforeSend?: WriteOptions["beforeSend"];
  readonly afterNonce?: string | undefined;
  /** Called with what may tell of the limits. */
  readonly onAnswer?: (answer: WireAnswer) => void;
}

export class RequestSender {
  readonly offset: ClockOffset;
  readonly #parts: RequestSenderParts;
  readonly #closing = new AbortController();
  /** On the steady clock: public calls go on then. */
  #publicFromMs = Number.NEGATIVE_INFINITY;
  #sandboxId: string | undefined;

  constructor(parts: RequestSenderParts) {
    // Every call that waits adds a listener.
    setMaxListeners(0, this.#closing.signal);
    this.#parts = parts;
    this.offset = new ClockOffset(parts.clock, () => this.#readClock());
  }

  /** Name of the key that signs; undefined without one. */
  get keyId(): string | undefined {
    return this.#parts.credentials?.keyId;
  }

  /** The id that the last readable answer gave the exchange; undefined before the first, and of one that does not say it is a sandbox. */
  get sandboxId(): string | undefined {
    return this.#sandboxId;
  }

  /** @throws the signal's reason when the caller aborts. */
  async read<T>(call: VenueCall<T, false>, options: QueryOptions = {}): Promise<Result<T>> {
    const { signal, afterNonce, urgent = false, background = false, deadlineMs } = options;
    signal?.throwIfAborted();
    const deadline = this.#deadline(signal, deadlineMs);
    try {
      let refusals = 0;
      for (let number = 1; ; number++) {
        const result = await this.#attempt(call, { deadline, number, signal, afterNonce, urgent, background });
        signal?.throwIfAborted();
        if (result.ok) return result;
        const { fault } = result;
        if (fault.retry === "new_nonce") refusals++;
        const afterMs = retryDelayMs(fault, number - refusals, refusals, this.#parts.random());
        if (refusals > NONCE_RETRIES) return failed(nonceAhead(fault));
        if (afterMs === undefined || afterMs >= deadline.remainingMs) return result;
        this.#parts.emit({ type: "read_retried", endpoint: call.endpoint, afterMs, code: fault.code });
        if (afterMs > 0) await deadline.sleep(afterMs);
        signal?.throwIfAborted();
        if (deadline.hasPassed) return result;
      }
    } finally {
      deadline.dispose();
    }
  }

  /** Sends one request or none. An error thrown by `beforeSend` passes through; nothing was sent then. */
  async write<T>(call: VenueCall<T, true>, { deadlineMs, ...options }: WriteOptions = {}): Promise<Result<T>> {
    const deadline = this.#deadline(undefined, deadlineMs);
    try {
      return await this.#attempt(call, { ...options, deadline, number: 1 });
    } finally {
      deadline.dispose();
    }
  }

  /** Ends every wait. Requests in flight may still be answered. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#parts.transport.close();
  }

  #deadline(signal: AbortSignal | undefined, forMs = this.#parts.deadlineMs): Deadline {
    const signals = signal === undefined ? [this.#closing.signal] : [this.#closing.signal, signal];
    return new Deadline(this.#parts.clock, forMs, signals);
  }

  async #attempt<T>(call: VenueCall<T>, attempt: Attempt): Promise<Result<T>> {
    const address = await this.#address(attempt.deadline);
    if (address === undefined) return failed(this.#unreachable());
    if (!call.isPrivate)
      return call.charges === undefined
        ? this.#sendPublic(call, address, attempt)
        : this.#inLane(call, undefined, attempt);
    const { credentials } = this.#parts;
    if (credentials === undefined) return failed(localFault("ELocal:No key"));
    const signer = credentials.signer();
    if (signer === undefined)
      return failed(
        localFault("ELocal:No key", { message: "The secret of the API key cannot be read. Nothing was sent." }),
      );
    const measuring = this.#parts.clockCall && this.offset.ready();
    if (measuring !== undefined) await attempt.deadline.resultBefore(measuring);
    return this.#inLane(call, { keyId: credentials.keyId, signer }, attempt);
  }

  async #sendPublic<T>(call: VenueCall<T>, address: Address, attempt: Attempt): Promise<Result<T>> {
    const { clock } = this.#parts;
    const leftMs = (): number => this.#publicFromMs - clock.rising();
    // More than once: the timer of a busy process may end a little early, and another call may have been refused meanwhile.
    while (leftMs() > 0 && !attempt.deadline.hasPassed) {
      const waitMs = leftMs();
      if (waitMs >= attempt.deadline.remainingMs) return failed(publicTurnMissed(waitMs));
      await attempt.deadline.sleep(waitMs);
    }
    if (attempt.deadline.hasPassed) return failed(publicTurnMissed(0));
    const result = await this.#send(call, address, call.request(address), attempt);
    if (!result.ok && isLimited(result.fault)) {
      const { retryAfterMs = PAUSE_DEFAULT_MS } = result.fault;
      this.#publicFromMs = clock.rising() + Math.min(retryAfterMs, PAUSE_MAX_MS);
    }
    return result;
  }

  /** @param key of a private call */
  async #inLane<T>(call: VenueCall<T>, key: OpenKey | undefined, attempt: Attempt): Promise<Result<T>> {
    const { lane, clock, emit } = this.#parts;
    const { charges, weight } = call;
    const keyId = key?.keyId ?? "";
    const { deadline, urgent = false, background = false, beforeSend, afterNonce } = attempt;
    const clockOffsetMs = (): number => this.offset.currentMs ?? 0;
    const askedAtMs = clock.rising();
    const entered = await lane.enter(
      {
        keyId,
        weight,
        clockOffsetMs,
        ...(urgent ? { urgent } : background ? { background } : {}),
        ...defined({ charges }),
      },
      deadline,
    );
    if (!entered.ok) return this.#closing.signal.aborted ? failed(this.#unreachable()) : entered;
    const pass = entered.value;
    emit({ type: "lane_entered", waitedMs: clock.rising() - askedAtMs });
    try {
      // Again, because the venue may have moved while this call waited for its turn.
      const address = await this.#address(deadline);
      if (address === undefined) return failed(this.#unreachable());
      const nonce = pass.nonce.toString();
      // A lane whose store failed makes its own nonces. A query with too small a nonce would prove nothing.
      if (afterNonce !== undefined && pass.nonce <= BigInt(afterNonce)) return failed(belowFence());
      if (beforeSend !== undefined && !(await beforeSend(nonce)))
        return failed(localFault("ELocal:Not placed", { message: "The order was withdrawn before it was sent." }));
      // Others may have gone on without a process that stood still, and settled what it was about to send.
      if (beforeSend !== undefined && pass.holds?.() === false) return failed(turnOver());
      let learned: Promise<void> | undefined;
      const onAnswer: Attempt["onAnswer"] = (answer) => {
        learned =
          charges === undefined ? lane.learn(keyId, answer.headers) : lane.hear(keyId, this.#limitsIn(answer, charges));
      };
      const request = call.request(address, key && { nonce, signer: key.signer });
      const result = await this.#send(call, address, request, { ...attempt, onAnswer });
      await learned;
      if (charges === undefined && !result.ok && isLimited(result.fault))
        await lane.pause(keyId, result.fault.retryAfterMs);
      if (!result.ok && result.fault.retry === "new_nonce") this.offset.expire();
      return result;
    } finally {
      // Nobody waits for others to be let in; it never rejects.
      void lane.leave(pass);
    }
  }

  #limitsIn(answer: WireAnswer, charges: readonly Charge[]): readonly LimitNews[] {
    return this.#parts.limitsIn?.(answer, charges, this.#parts.clock.now()) ?? [];
  }

  async #send<T>(
    call: VenueCall<T>,
    { origin }: Address,
    request: RequestParts,
    { deadline, number, signal, onAnswer }: Attempt,
  ): Promise<Result<T>> {
    const { clock, transport, emit, redact } = this.#parts;
    // A write keeps its whole time even when it waited long for its turn: cut short, its outcome would be unknown.
    const totalMs = call.isWrite ? this.#parts.requestMs : Math.min(this.#parts.requestMs, deadline.remainingMs);
    const sentAtMs = clock.now();
    const outcome = await transport.send({
      origin,
      method: call.method,
      totalMs,
      ...request,
      headers: { "user-agent": USER_AGENT, ...request.headers },
      ...defined({ signal }),
    });
    const now = clock.now();
    if (outcome.kind === "answer") this.offset.noteDate(outcome.headers["date"]);
    if (outcome.kind === "answer") onAnswer?.(outcome);
    if (outcome.kind === "answer" && call.response !== undefined)
      this.#parts.inspect?.({ ...outcome, endpoint: call.endpoint, response: call.response });
    const result = redactResult(call.answer(outcome, now), redact);
    if (result.ok && outcome.kind === "answer") this.#sandboxId = this.#parts.sandboxIdIn(outcome.headers);
    emit({
      type: "request_ended",
      endpoint: call.endpoint,
      attempt: number,
      elapsedMs: now - sentAtMs,
      ...defined({
        status: outcome.kind === "answer" ? outcome.status : undefined,
        code: result.ok ? undefined : result.fault.code,
      }),
      reachedVenue: result.ok ? "yes" : result.fault.reachedVenue,
    });
    if (result.ok && outcome.kind === "answer" && call.endpoint === this.#parts.clockCall?.endpoint) {
      const waitedMs = Math.min(outcome.waitedMs ?? 0, Math.max(0, now - sentAtMs));
      this.offset.note((result.value as { unix_ms: number }).unix_ms, sentAtMs + waitedMs, now);
    }
    return result;
  }

  async #address(deadline: Deadline): Promise<Address | undefined> {
    if (this.#closing.signal.aborted) return undefined;
    const { baseUrl } = this.#parts;
    try {
      const address = baseUrl.address();
      return address instanceof Promise ? await deadline.resultBefore(address) : address;
    } catch {
      return undefined;
    }
  }

  /** Tries once and never rejects: calls go on without it. */
  async #readClock(): Promise<void> {
    const { clockCall } = this.#parts;
    if (clockCall === undefined) return;
    const deadline = new Deadline(this.#parts.clock, CLOCK_READ_MS, [this.#closing.signal]);
    try {
      await this.#attempt(clockCall, { deadline, number: 1, signal: deadline.signal });
    } finally {
      deadline.dispose();
    }
  }

  #unreachable(): Fault {
    return localFault(
      "ELocal:Venue unreachable",
      this.#closing.signal.aborted ? { message: "The client is closed. Nothing was sent." } : {},
    );
  }
}

/** The venue refused the call because a limit is used up. */
function isLimited({ status, retry, reachedVenue }: Fault): boolean {
  return status === 429 || (retry === "after_delay" && reachedVenue === "yes");
}

function publicTurnMissed(waitMs: number): Fault {
  return checkFault("EAPI:Rate limit exceeded", {
    message: "The exchange takes no more public calls from this address for now. Nothing was sent.",
    retry: "after_delay",
    retryAfterMs: Math.ceil(waitMs),
    nextAction: "Wait retry_after_ms.",
  });
}

/** No nonce was large enough, although they follow the exchange's own time. */
function nonceAhead(fault: Fault): Fault {
  return {
    ...fault,
    message:
      "The exchange refused every nonce as too small: the key was last used with a nonce ahead of the exchange's clock, by another " +
      "program or on a machine whose clock was ahead.",
    nextAction:
      "Give hoga a key of its own, or stop the other program; this key works again once the clock has passed that nonce. Cancel at the " +
      "exchange what cannot wait.",
  };
}

function turnOver(): Fault {
  const message = "This process, or its store, stood still until its turn to send was over. Nothing was sent.";
  return localFault("ELocal:Not placed", { message });
}

function belowFence(): Fault {
  const message =
    "The query got a smaller nonce than the order it is about, so its answer would prove nothing. Nothing was sent.";
  return localFault("ELocal:Store unavailable", { message });
}
