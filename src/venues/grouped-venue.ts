/**
 * What the adapters of exchanges have alike that count calls in groups, sign with a key of two texts, and name neither the account nor the rules of all
 * markets: how they are opened and closed, and what they keep.
 */
import type {
  Accounts,
  BatchCancel,
  Fault,
  Market,
  Order,
  OrderPage,
  Result,
  ServerTime,
  Ticker,
  VenueCard,
} from "../contract/index.ts";
import { defined, failed, faultKind, localFault, ok } from "../contract/index.ts";
import type {
  LimitsIn,
  QueryOptions,
  RateGroup,
  ReadOptions,
  RequestSender,
  SenderOptions,
  SigningKey,
  UrgentOptions,
  VenueCall,
  WriteOptions,
} from "../transport/index.ts";
import { groupedSender, SENDER_TIMEOUTS, systemClock } from "../transport/index.ts";
import type { KeyOptions } from "./text-key.ts";
import type { GroupCall } from "./venue-calls.ts";

export interface GroupedVenueOptions extends SenderOptions {
  readonly credentials?: KeyOptions;
  /** The account's name here, as the exchange tells none. Default: made of the key's. */
  readonly account?: string;
  /** How far back orders and fills are read where nobody says. */
  readonly historyDays?: number;
  /** Makes what a signature uses once. */
  readonly uuid?: () => string;
}

export interface GroupedVenueParts {
  readonly credentials: SigningKey | undefined;
  readonly groups: readonly RateGroup[];
  readonly limitsIn: LimitsIn;
  /** Makes a request of a call, signed where it is private. @param onTimeRefused where the exchange took its time for wrong: the clock is read anew */
  readonly wire: <T, IsWrite extends boolean>(
    call: GroupCall<T, IsWrite>,
    onTimeRefused: () => void,
  ) => VenueCall<T, IsWrite>;
  /** Reads the exchange's clock, where it has one. */
  readonly clockCall?: VenueCall<ServerTime, false>;
}

export type BeforeSend = WriteOptions["beforeSend"];
export type Deadline = Pick<UrgentOptions, "deadlineMs">;

/** States in which a look-up by our own id searches. */
export const EVERYWHERE: ReadonlySet<"open" | "closed" | "canceled"> = new Set(["open", "closed", "canceled"] as const);

export type FoundOrders =
  | { readonly kind: "found"; readonly item: readonly Order[] }
  | { readonly kind: "none"; readonly covers: typeof EVERYWHERE; readonly atMs: number }
  | { readonly kind: "cannot_say"; readonly why: string };

/** What a look-up by our own id has found, as a list. That nobody can say is no empty one. */
export function pageFound(found: Result<FoundOrders>): Result<OrderPage> {
  if (!found.ok) return found;
  if (found.value.kind === "cannot_say") return failed(localFault("ELocal:Unreadable answer"));
  return ok({ orders: found.value.kind === "found" ? found.value.item : [], next_cursor: null });
}

export function cannotSay(why: string): Result<FoundOrders> {
  return ok({ kind: "cannot_say", why });
}

export function invalid(field: string, message?: string): Result<never> {
  return failed(localFault("ELocal:Invalid input", { field, ...defined({ message }) }));
}

/** How the rules of one market are asked for. */
interface RuleReads<Ticks, Fees> {
  readonly ticks: Promise<Result<Ticks>>;
  /** Not called without a key. */
  readonly fees: () => Promise<Result<Fees>>;
  /** @param last price, for the tick of now */
  readonly withTicks: (market: Market, told: Ticks, last: string | null) => Market;
  readonly withFees: (market: Market, told: Fees) => Market;
}

/** How all orders are canceled, each by itself. */
interface CancelReads {
  /** Looks for all that are open. @param onFound called with those of a list as soon as it is there */
  readonly open: (onFound: (orders: readonly Order[]) => Promise<void>) => Promise<Result<unknown>>;
  readonly cancel: (order: Order) => Promise<Result<unknown>>;
  /** Whether the exchange is still placing the order, and has not looked at its cancel. */
  readonly isNotReady: (fault: Fault) => boolean;
}

/** Rounds of a cancel of all orders: after each it is looked what is still open. */
const CANCEL_ROUNDS = 5;
/** Until an order that was not ready to be canceled is asked for again. */
const NOT_READY_MS = 1_000;

/** For so long what seldom changes is not asked for again: rules, fees, names. */
const KEPT_MS = 600_000;

/** Answers that are asked for once in a while, by name: whoever asks meanwhile waits for the same one. What failed is asked for again. */
export class Kept<Value = unknown> {
  readonly #now: () => number;
  readonly #kept = new Map<string, { readonly untilMs: number; readonly value: Promise<Result<Value>> }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  async once<T extends Value>(name: string, ask: () => Promise<Result<T>>): Promise<Result<T>> {
    const known = this.#kept.get(name);
    if (known !== undefined && known.untilMs > this.#now()) return known.value as Promise<Result<T>>;
    const value = ask();
    this.#kept.set(name, { untilMs: this.#now() + KEPT_MS, value });
    let answer: Result<T> | undefined;
    try {
      answer = await value;
      return answer;
    } finally {
      if (answer?.ok !== true) this.#kept.delete(name);
    }
  }
}

export const BEHIND: QueryOptions = { background: true };

/** The past of an account, as it is read by who waits for it and behind them: each remembers what it has seen. Any other way of reading begins anew. */
export class Pasts<Past> {
  readonly #read: (options: QueryOptions) => Past;
  readonly #kept = new Map<"asked" | "behind", Past>();

  constructor(read: (options: QueryOptions) => Past) {
    this.#read = read;
  }

  of(options: QueryOptions): Past {
    if (options !== BEHIND && Object.keys(options).length > 0) return this.#read(options);
    const name = options === BEHIND ? "behind" : "asked";
    const past = this.#kept.get(name) ?? this.#read(options);
    this.#kept.set(name, past);
    return past;
  }
}

export abstract class GroupedVenue<Card extends VenueCard> {
  readonly card: Card;
  readonly environment: "sandbox" | "live";
  readonly keyId: string | undefined;
  readonly writeTimeoutMs: number;
  readonly #sender: RequestSender;
  readonly #wire: GroupedVenueParts["wire"];
  readonly #pause: (ms: number) => Promise<void>;
  readonly #account: string;
  /** The exchange's time. */
  protected readonly now: () => number;
  protected readonly kept = new Kept(() => this.now());

  /** @throws TypeError for a base URL that cannot be right; the error does not show it */
  constructor(card: Card, { account, ...options }: GroupedVenueOptions, parts: GroupedVenueParts) {
    const { environment, timeouts, clock = systemClock } = options;
    this.card = card;
    this.environment = environment;
    this.keyId = parts.credentials?.keyId;
    this.writeTimeoutMs = timeouts?.totalMs ?? SENDER_TIMEOUTS.totalMs;
    this.#sender = groupedSender(options, parts);
    this.#wire = parts.wire;
    this.#pause = (ms) => clock.sleep(ms);
    this.#account = account ?? `${card.name}-${this.keyId?.slice(0, 8) ?? "public"}`;
    this.now = () => clock.now() + (this.#sender.offset.currentMs ?? 0);
  }

  abstract tickers(symbols?: readonly string[], options?: ReadOptions): Promise<Result<readonly Ticker[]>>;

  clockOffsetMs(): number | undefined {
    return this.#sender.offset.currentMs;
  }

  get sandboxId(): string | undefined {
    return this.#sender.sandboxId;
  }

  /** Ends every wait. Requests in flight are still answered. */
  async close(): Promise<void> {
    await this.#sender.close();
  }

  toJSON(): object {
    return { venue: this.card.name, environment: this.environment, writeTimeoutMs: this.writeTimeoutMs };
  }

  /** The date of an answer, in whole seconds. */
  protected async timeBy<T>(asked: GroupCall<T, false>, options?: ReadOptions): Promise<Result<ServerTime>> {
    let date: unknown;
    const call = this.#wired(asked);
    const dated: typeof call = {
      ...call,
      answer: (outcome, nowMs) => {
        date = outcome.kind === "answer" ? outcome.headers["date"] : undefined;
        return call.answer(outcome, nowMs);
      },
    };
    const answer = await this.#sender.read(dated, options);
    if (!answer.ok) return answer;
    const unix_ms = typeof date === "string" ? Date.parse(date) : Number.NaN;
    if (!(unix_ms > 0)) return failed(localFault("ELocal:Unreadable answer"));
    return ok({ unix_ms, iso: new Date(unix_ms).toISOString() });
  }

  /** The last price of each market, null where it cannot be had. */
  protected async lastPrices(symbols?: readonly string[]): Promise<(symbol: string) => string | null> {
    const prices = await this.tickers(symbols);
    const last = new Map(prices.ok ? prices.value.map((ticker) => [ticker.symbol, ticker.last]) : []);
    return (symbol) => last.get(symbol) ?? null;
  }

  /** For ten minutes a market's rules are those that were asked for last. */
  protected async keptRules<Ticks, Fees>(
    market: Market,
    asking: () => RuleReads<Ticks, Fees>,
  ): Promise<Result<Market>> {
    return this.kept.once(`rules ${market.symbol}`, async () => {
      const { withTicks, withFees, ...asked } = asking();
      const [ticks, lastOf, fees] = await Promise.all([
        asked.ticks,
        this.lastPrices([market.symbol]),
        this.keyId === undefined ? undefined : asked.fees(),
      ]);
      if (!ticks.ok) return ticks;
      if (fees?.ok === false) return fees;
      const ticked = withTicks(market, ticks.value, lastOf(market.symbol) || null);
      return ok(fees === undefined ? ticked : withFees(ticked, fees.value));
    });
  }

  protected async holding<T>(
    call: GroupCall<T, false>,
    options: QueryOptions | undefined,
    balancesOf: (held: T) => Accounts["balances"],
  ): Promise<Result<Accounts>> {
    return this.shown(call, options, (held) => ({ account_id: this.#account, balances: balancesOf(held) }));
  }

  /** What a look-up by our own id has come to. @param isBelieved with which statuses the exchange's own word is that there is none */
  protected lookedUp(
    found: Result<Order>,
    userref: string,
    isBelieved: (status: number) => boolean,
  ): Result<FoundOrders> {
    if (!found.ok && found.fault.code === "EOrder:Unknown order" && isBelieved(found.fault.status ?? Number.NaN))
      return ok({ kind: "none", covers: EVERYWHERE, atMs: this.now() });
    if (!found.ok) return found;
    if (found.value.userref === userref) return ok({ kind: "found", item: [found.value] });
    return cannotSay(`${this.card.title.en} answered with an order of another name.`);
  }

  /** By a request for each order, as soon as it is found; then for what is open still, and was not ready. What was canceled is known whatever fails later. */
  protected async cancelEach({ open, cancel, isNotReady }: CancelReads): Promise<Result<BatchCancel>> {
    const requested = new Set<string>();
    const refused = new Map<string, Fault>();
    const ask = async (order: Order): Promise<void> => {
      const { orderId } = order;
      const before = refused.get(orderId);
      if (requested.has(orderId) || (before !== undefined && !isNotReady(before))) return;
      const answer = await cancel(order);
      if (!answer.ok && faultKind(answer.fault.code) !== "closed") return void refused.set(orderId, answer.fault);
      refused.delete(orderId);
      requested.add(orderId);
    };
    for (let round = 0, known = -1; round < CANCEL_ROUNDS; round++) {
      const isWaiting = [...refused.values()].some(isNotReady);
      if (!isWaiting && requested.size + refused.size === known) break;
      if (isWaiting) await this.#pause(NOT_READY_MS);
      known = requested.size + refused.size;
      const found = await open(async (orders) => void (await Promise.all(orders.map(ask))));
      if (!found.ok && requested.size + refused.size === 0) return found;
      if (!found.ok) break;
    }
    const unheard = [...refused.values()].find(({ reachedVenue }) => reachedVenue !== "yes");
    if (unheard !== undefined && requested.size === 0) return failed(unheard);
    return ok({ requested: [...requested], failed: [...refused].map(([uuid, { code: error }]) => ({ uuid, error })) });
  }

  protected async read<T>(call: GroupCall<T, false>, options?: QueryOptions): Promise<Result<T>> {
    return this.#sender.read(this.#wired(call), options);
  }

  protected async shown<T, U>(
    call: GroupCall<T, false>,
    options: QueryOptions | undefined,
    map: (answer: T) => U,
  ): Promise<Result<U>> {
    const answer = await this.read(call, options);
    return answer.ok ? ok(map(answer.value)) : answer;
  }

  protected async write<T>(call: GroupCall<T, true>, options: WriteOptions): Promise<Result<T>> {
    return this.#sender.write(this.#wired(call), options);
  }

  /** Answered with no more than that it was taken. */
  protected async taken<T>(
    call: GroupCall<T, true>,
    options: WriteOptions,
  ): Promise<Result<{ readonly count: number }>> {
    const answer = await this.write(call, options);
    return answer.ok ? ok({ count: 1 }) : answer;
  }

  #wired<T, IsWrite extends boolean>(call: GroupCall<T, IsWrite>): VenueCall<T, IsWrite> {
    return this.#wire(call, () => this.#sender.offset.expire());
  }
}
