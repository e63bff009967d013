/**
 * The witness: stands beside the ports and the network and judges what can only be judged at the moment it happens.
 */
import { isDeepStrictEqual } from "node:util";
import type { CreateOrderBody } from "../../src/contract/index.ts";
import type { HaltReport, IntentBody, OrderRequest, TransferBody } from "../../src/desk/index.ts";
import type { OrderRecord } from "../../src/sandbox/model/index.ts";
import { isWantedInstead } from "./changes.ts";
import type { Violation } from "./history.ts";
import type { Departure } from "./network.ts";
import { DRIFT_DIVISOR, isFencedIn, type Plan } from "./plan.ts";
import { PlanWitness } from "./plan-witness.ts";
import type { Storage } from "./storage.ts";
import type { Trace } from "./trace.ts";
import { type Arrival, type SimVenue, unitsOf } from "./venue.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** Price and volume, in units of 1e-8. */
type Level = readonly [price: bigint, volume: bigint];

/** A book as a process saw it. */
export interface BookSeen {
  readonly symbol: string;
  readonly buys: readonly Level[];
  readonly asks: readonly Level[];
  readonly atMs: number;
}

/** What a yes is held to: for an order with a price the middle of the book, or its one side; for another its average. */
function referenceOf(order: CreateOrderBody, { buys, asks }: BookSeen): bigint | undefined {
  if (order.price === undefined) return averageOf(order, order.side === "buy" ? asks : buys);
  const best = [buys[0]?.[0], asks[0]?.[0]].filter((price) => price !== undefined);
  return best.length === 0 ? undefined : best.reduce((sum, each) => sum + each, 0n) / BigInt(best.length);
}

function averageOf({ volume, amount }: CreateOrderBody, levels: readonly Level[]): bigint | undefined {
  let [taken, value] = [0n, 0n];
  for (const [price, held] of levels) {
    const wanted = volume === undefined ? (unitsOf(amount ?? "0") * ONE - value) / price : unitsOf(volume) - taken;
    const take = held < wanted ? held : wanted;
    taken += take;
    value += price * take;
  }
  return taken === 0n ? undefined : value / taken;
}

const CLOCK_SLACK_MS = 10_000;
/** A little less than the desk waits, as the clocks of processes differ. */
const LONGEST_ON_THE_WAY_MS = 12_000;

const ONE = 10n ** 8n;
/** Averages are rounded, and by another rule here. */
const ROUNDING = 100n;

/** Within the drift that the simulated policy allows, in whole units of 1e-8. */
function isNear(now: bigint, then: bigint): boolean {
  const moved = now > then ? now - then : then - now;
  return (moved - ROUNDING) * DRIFT_DIVISOR <= then;
}

export interface WatchParts {
  readonly time: VirtualTime;
  readonly plan: Plan;
  readonly storage: Storage;
  /** Asked late, as the venue is made after its witness. */
  readonly venue: () => SimVenue;
  readonly trace: Trace | undefined;
}

export class Watch {
  readonly noticed: Violation[] = [];
  readonly departures: Departure[] = [];
  /** Userrefs of what left between a copy of the data directory and the moment when it was put back. */
  readonly forgotten = new Set<string>();
  readonly plans: PlanWitness;
  readonly #parts: WatchParts;
  /** Whether a process was told that the kill switch is on, and nobody has begun to lift it since. */
  #isHalted = false;
  #releases = 0;
  /** Whether somebody was told that nothing is open any more and nothing can become open. */
  #isStill = false;
  /** How often a person said yes to an intent, and how often it left. */
  readonly #approved = new Map<string, number>();
  readonly #left = new Map<string, number>();
  readonly #denied = new Set<string>();
  /** Nonces of the requests that were to move money. */
  readonly #movements = new Set<string>();
  readonly #approvedAtMs = new Map<string, number>();
  /** What was open when a process took the cancel timer. */
  readonly #openAtClaim = new Map<string, ReadonlySet<string>>();
  /** The order as a person saw it before the yes. */
  readonly #shown = new Map<string, string>();

  constructor(parts: WatchParts) {
    this.#parts = parts;
    this.plans = new PlanWitness({ ...parts, notice: (invariant, what) => this.notice(invariant, what) });
  }

  notice(invariant: string, what: string): void {
    this.noticed.push({ invariant, what });
    this.#parts.trace?.say("WRONG", `${invariant}: ${what}`);
  }

  /** Asked inside the transaction: an intent may begin. @param seen what the process has seen of the book lately */
  admitted(intentId: string, nowMs: number, seen: readonly BookSeen[], held: string): void {
    if (this.#isHalted) this.notice("under the brake no order begins", `${intentId} was let through`);
    this.plans.admitted(intentId, nowMs, held);
    const [stored] = this.#parts.storage.rows("SELECT body FROM intents WHERE intent_id = ?", [intentId]);
    const body = stored && (JSON.parse(String(stored["body"])) as IntentBody);
    const terms = body?.approval;
    if (body === undefined || terms === undefined) return;
    const { askedAtMs = nowMs, expiresAtMs, priceSeen } = terms;
    if (nowMs > expiresAtMs || nowMs < askedAtMs - CLOCK_SLACK_MS)
      this.notice("a yes holds for a while", `${intentId} began ${nowMs - expiresAtMs} ms after its end`);
    // Looked at since the yes: one of these it was judged by.
    const sinceMs = this.#approvedAtMs.get(intentId) ?? 0;
    const looks = seen.filter(({ symbol, atMs }) => symbol === body.order.symbol && atMs >= sinceMs);
    const prices = looks.flatMap((look) => referenceOf(body.order, look) ?? []);
    if (priceSeen !== null && !prices.some((units) => isNear(units, unitsOf(priceSeen))))
      this.notice("a yes holds near the price that was shown", `${intentId} was asked at ${priceSeen}`);
  }

  /** Asked inside the transaction: a transfer may begin. One that takes a remittance back only takes risk away. */
  transferAdmitted(transferId: string): void {
    const [stored] = this.#parts.storage.rows("SELECT body FROM transfers WHERE transfer_id = ?", [transferId]);
    const { task } = JSON.parse(String(stored?.["body"])) as TransferBody;
    if (this.#isHalted && task.kind !== "cancel_remittance")
      this.notice("under the brake no transfer begins", `${transferId} was let through`);
  }

  /** A copy was put back: what was said since is not known any more, unless everything was stopped. */
  putBack(isStopped: boolean, copiedAtMs: number): void {
    this.#isHalted = isStopped;
    this.#isStill = false;
    if (!isStopped) this.#denied.clear();
    for (const { order, atMs } of this.departures)
      if (order !== undefined && atMs >= copiedAtMs) this.forgotten.add(order.userref ?? "");
  }

  engaged(): void {
    if (this.#releases === 0) this.#isHalted = true;
  }

  async releasing<T extends { readonly ok: boolean }>(release: () => Promise<T>): Promise<T> {
    this.#isHalted = false;
    this.#isStill = false;
    this.#releases++;
    const end = this.plans.logEnd();
    try {
      const released = await release();
      if (released.ok) this.plans.released(end);
      return released;
    } finally {
      this.#releases--;
    }
  }

  /** What a process says it has stopped. */
  halted({ brake, remaining, unresolved }: HaltReport): void {
    if (brake !== "everywhere" || remaining !== 0 || unresolved.length > 0) return;
    if (!this.#isHalted || !isFencedIn(this.#parts.plan)) return;
    this.#isStill = true;
    const open = this.#parts.venue().openOrders().length;
    if (open > 0) this.notice("what was stopped stays stopped", `${open} orders are open, none remained by the report`);
  }

  /** A process takes a cancel timer that is due. */
  timerClaimed(process: string): void {
    this.#openAtClaim.set(process, new Set(this.#openIds()));
  }

  /** It says that the timer has done its work. */
  timerDone(process: string): void {
    const open = this.#openIds().filter((orderId) => this.#openAtClaim.get(process)?.has(orderId) === true);
    if (open.length > 0) this.notice("a cancel timer is done when nothing is open", `${open.length} orders are`);
  }

  #openIds(): readonly string[] {
    return this.#parts
      .venue()
      .openOrders()
      .map(({ orderId }) => orderId);
  }

  /** A person says yes to an intent. */
  approving(intentId: string, shown: unknown): void {
    this.#approved.set(intentId, (this.#approved.get(intentId) ?? 0) + 1);
    // The first of them, as two persons may say it at the same time in two processes.
    if (!this.#approvedAtMs.has(intentId)) this.#approvedAtMs.set(intentId, this.#parts.time.nowMs);
    this.#shown.set(intentId, JSON.stringify(shown));
  }

  /** A person has said no, and was told that it stands. */
  denied(intentId: string): void {
    this.#denied.add(intentId);
  }

  /** How many words of persons the log has. */
  wordsTaken(): number {
    return this.#parts.storage.rows("SELECT 1 AS taken FROM audit WHERE event = 'settled_by_person'").length;
  }

  /** That an order was not placed was taken from a person. */
  noteWord(userref: string): void {
    const { plan, time } = this.#parts;
    if (plan.troubles.some(({ type }) => type === "clock")) return;
    const sinceMs = time.nowMs - LONGEST_ON_THE_WAY_MS;
    if (this.departures.some(({ order, atMs }) => order?.userref === userref && atMs > sinceMs))
      this.notice("a person's word waits until nothing is on its way", `${userref} left a moment ago`);
  }

  arrived({ taken, nonce }: Arrival): void {
    if (this.#isStill && taken !== undefined)
      this.notice("what was stopped stays stopped", `the order with nonce ${nonce} took effect`);
  }

  left(departure: Departure): void {
    this.departures.push(departure);
    const { order, movement } = departure;
    if (movement !== undefined) this.#movementLeft(movement, departure);
    if (order === undefined) return;
    const userref = order.userref ?? "";
    const [stored] = this.#parts.storage.rows("SELECT intent_id, nonce, body FROM intents WHERE userref = ?", [
      userref,
    ]);
    const intentId = String(stored?.["intent_id"] ?? "");
    if (!this.#isOnDisk(intentId, stored?.["nonce"], departure.nonce)) {
      const what = `${departure.process} sent ${userref} with nonce ${departure.nonce}, stored is ${stored?.["nonce"] ?? "nothing"}`;
      this.notice("an intent is on disk before its request leaves", what);
    }
    if (this.plans.childLeft(order, intentId)) return;
    const body = stored === undefined ? undefined : (JSON.parse(String(stored["body"])) as IntentBody);
    const old = this.#oldOf(body);
    if (old?.state === "open") this.notice("a new order leaves when the old one is gone", `${userref}, ${old.orderId}`);
    const isAsked =
      body?.replaces === undefined
        ? this.#parts.plan.wishes.some((wish) => isWhatWasAsked(order, wish))
        : isWantedInstead(order, old, this.#parts.plan);
    if (!isAsked) this.notice("what leaves is what was asked for, field by field", JSON.stringify(order));
    const shown = this.#shown.get(intentId);
    if (shown !== undefined && !isSameOrder(shown, order, body?.replaces?.volume))
      this.notice("a yes is for every field that was shown", `${shown} was shown, ${JSON.stringify(order)} sent`);
    if (body !== undefined) this.#judgeApproval(intentId, body);
  }

  /** The order that one takes the place of, as the venue has it. */
  #oldOf(body: IntentBody | undefined): OrderRecord | undefined {
    const orderId = body?.replaces?.orderId;
    if (orderId === undefined) return undefined;
    return this.#parts
      .venue()
      .orders()
      .find((order) => order.orderId === orderId);
  }

  /** A transfer is sent once for each time that it was begun. */
  #movementLeft(movement: string, { keyId, nonce, process }: Departure): void {
    const sql = "SELECT transfer_id, nonce FROM transfers WHERE idempotency_key = ?";
    const [stored] = this.#parts.storage.rows(sql, [movement]);
    if (!this.#isOnDisk(String(stored?.["transfer_id"] ?? ""), stored?.["nonce"], nonce))
      this.notice("a transfer is on disk before its request leaves", `${process} sent ${movement} with nonce ${nonce}`);
    // Each key has nonces of its own.
    const request = `${keyId} ${nonce}`;
    if (this.#movements.has(request)) this.notice("a transfer is sent once", `nonce ${nonce} left again`);
    this.#movements.add(request);
  }

  /** With the nonce of this very request; or once, where it was begun anew by another process while this one stood still. */
  #isOnDisk(intentId: string, stored: unknown, nonce: string): boolean {
    if (stored === nonce) return true;
    const moves = this.#parts.storage.rows("SELECT detail FROM audit WHERE intent_id = ?", [intentId]);
    return moves.some(({ detail }) => (JSON.parse(String(detail)) as { nonce?: string }).nonce === nonce);
  }

  #judgeApproval(intentId: string, { approval }: IntentBody): void {
    const times = (this.#left.get(intentId) ?? 0) + 1;
    this.#left.set(intentId, times);
    if (this.#denied.has(intentId)) this.notice("what a person denied is not sent", intentId);
    const isAsked = approval !== undefined || this.#parts.plan.setting.policy.mode === "confirm";
    if (isAsked && times > (this.#approved.get(intentId) ?? 0))
      this.notice("a yes sends one order once", `${intentId} was sent ${times} times, approved less often`);
  }
}

/** By the words of the request alone; a wish without a name goes under one that is no wish's. */
function isWhatWasAsked({ userref = "", compliance: _beside, ...sent }: CreateOrderBody, wish: OrderRequest): boolean {
  const { base_volume, quote_amount, userref: name, ...rest } = wish;
  const asked = {
    ...rest,
    ...(base_volume === undefined ? {} : { volume: base_volume }),
    ...(quote_amount === undefined ? {} : { amount: quote_amount }),
  };
  return (name === undefined ? !userref.startsWith("wish-") : userref === name) && isDeepStrictEqual(sent, asked);
}

/** The same fields with the same words, in whatever order they stand. @param most what may be less when it leaves */
function isSameOrder(shown: string, sent: CreateOrderBody, most?: string): boolean {
  const isLess = most !== undefined && sent.volume !== undefined && unitsOf(sent.volume) <= unitsOf(most);
  // Some exchanges have no word for it: an order rests unless it says otherwise.
  const resting = { time_in_force: "GTC" };
  const whole = isLess ? { ...sent, volume: most } : sent;
  return isDeepStrictEqual({ ...resting, ...(JSON.parse(shown) as object) }, { ...resting, ...whole });
}
