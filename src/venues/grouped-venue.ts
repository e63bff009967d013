/**
 * What the adapters of exchanges have alike that count calls in groups, sign with a key of two texts, and name neither the account nor the rules of all
 * markets: how they are opened and closed, and what they keep.
 */
import type { Market, Order, OrderPage, Result, ServerTime, VenueCard } from "../contract/index.ts";
import { failed, localFault, ok } from "../contract/index.ts";
import type {
  Charge,
  LimitNews,
  QueryOptions,
  RateGroup,
  ReadOptions,
  RequestSender,
  SenderOptions,
  SigningKey,
  VenueCall,
  WireOutcome,
} from "../transport/index.ts";
import { groupedSender, SENDER_TIMEOUTS, systemClock } from "../transport/index.ts";
import type { KeyOptions } from "./text-key.ts";

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
  readonly limitsIn: (
    answer: Extract<WireOutcome, { readonly kind: "answer" }>,
    charges: readonly Charge[],
    nowMs: number,
  ) => readonly LimitNews[];
  /** Reads the exchange's clock, where it has one. */
  readonly clockCall?: VenueCall<ServerTime, false>;
}

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

export class GroupedVenue<Card extends VenueCard> {
  readonly card: Card;
  readonly environment: "sandbox" | "live";
  readonly keyId: string | undefined;
  readonly writeTimeoutMs: number;
  protected readonly sender: RequestSender;
  protected readonly account: string;
  /** The exchange's time. */
  protected readonly now: () => number;
  readonly #rules = new Kept<Market>(() => this.now());

  /** @throws TypeError for a base URL that cannot be right; the error does not show it */
  constructor(card: Card, { account, ...options }: GroupedVenueOptions, parts: GroupedVenueParts) {
    const { environment, timeouts, clock = systemClock } = options;
    this.card = card;
    this.environment = environment;
    this.keyId = parts.credentials?.keyId;
    this.writeTimeoutMs = timeouts?.totalMs ?? SENDER_TIMEOUTS.totalMs;
    this.sender = groupedSender(options, parts);
    this.account = account ?? `${card.name}-${this.keyId?.slice(0, 8) ?? "public"}`;
    this.now = () => clock.now() + (this.sender.offset.currentMs ?? 0);
  }

  clockOffsetMs(): number | undefined {
    return this.sender.offset.currentMs;
  }

  get sandboxId(): string | undefined {
    return this.sender.sandboxId;
  }

  /** Ends every wait. Requests in flight are still answered. */
  async close(): Promise<void> {
    await this.sender.close();
  }

  toJSON(): object {
    return { venue: this.card.name, environment: this.environment, writeTimeoutMs: this.writeTimeoutMs };
  }

  /** The date of an answer, in whole seconds. */
  protected async timeBy(call: VenueCall<unknown, false>, options?: ReadOptions): Promise<Result<ServerTime>> {
    let date: unknown;
    const dated: typeof call = {
      ...call,
      answer: (outcome, nowMs) => {
        date = outcome.kind === "answer" ? outcome.headers["date"] : undefined;
        return call.answer(outcome, nowMs);
      },
    };
    const answer = await this.sender.read(dated, options);
    if (!answer.ok) return answer;
    const unix_ms = typeof date === "string" ? Date.parse(date) : Number.NaN;
    if (!(unix_ms > 0)) return failed(localFault("ELocal:Unreadable answer"));
    return ok({ unix_ms, iso: new Date(unix_ms).toISOString() });
  }

  /** For ten minutes a market's rules are those that were asked for last. */
  protected async keptRules(symbol: string, ask: () => Promise<Result<Market>>): Promise<Result<Market>> {
    return this.#rules.once(symbol, ask);
  }

  protected async mapped<T, U>(
    call: VenueCall<T, false>,
    options: QueryOptions | undefined,
    map: (answer: T) => U,
  ): Promise<Result<U>> {
    const answer = await this.sender.read(call, options);
    return answer.ok ? ok(map(answer.value)) : answer;
  }
}
