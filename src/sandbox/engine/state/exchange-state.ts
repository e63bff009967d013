/**
 * The whole state of the exchange, as a snapshot writes and restores it. Entry points: `emptyState`, `marketOf`, `accountOf`,
 * `openAccount`, `addOrder`, `addFill`, `removeFromOpen`, `recordBookChange`.
 *
 * Invariants: `orders` is in order of placing, and so is every queue of a book, so that a restore can rebuild the books from it;
 * an order is in its account's `open` exactly while its state is `open`.
 */

import type { Side } from "../../../contract/index.ts";
import type {
  FillRecord,
  KeyRecord,
  MarketRule,
  Millis,
  OrderRecord,
  RemittanceQuoteRecord,
  Units,
  WebhookRecord,
} from "../../model/index.ts";
import { InvariantError, invariant } from "../core/invariant.ts";
import { Random } from "../core/random.ts";
import { assertMarketRules } from "../market/market-rules.ts";
import { Book } from "../market/order-book.ts";
import { Pace } from "../market/pace.ts";
import { Tape } from "../market/tape.ts";
import { type Level, type LiveOrder, Names, Orders } from "../memory/index.ts";
import type { Account, IdempotentAnswer, PaymentEntry, RemittanceEntry, SettlementEntry } from "./account-state.ts";
import type { EventRecorder } from "./event-recorder.ts";
import { type Holder, Ledger } from "./ledger.ts";
import type { MarketState } from "./market-state.ts";
import type { OrderArchive, PlacedOrder } from "./order-archive.ts";
import { Schedule } from "./schedule.ts";

/**
 * The exchange's own accounts, to which order limits do not apply: they quote, trade and collect fees; the treasury is the
 * counterparty of payments; the transit account holds what remittances have sent.
 */
export const HOUSE = {
  maker: "house-maker",
  taker: "house-taker",
  fees: "house-fees",
  treasury: "house-treasury",
  transit: "house-transit",
} as const;

export interface State {
  readonly marketMaker: boolean;
  readonly seed: number;
  readonly random: Random;
  readonly markets: Map<string, MarketState>;
  readonly accounts: Map<string, Account>;
  /** The same, by the numbers that orders have in place of their ids. */
  readonly accountsByNumber: Account[];
  readonly keys: Map<string, KeyRecord>;
  readonly revokedKeys: Set<string>;
  readonly webhooks: Map<string, WebhookRecord>;
  readonly nonces: Map<string, bigint>;
  /** When a key last used a userref, oldest first; only for keys that reject duplicates. */
  readonly userrefs: Map<string, Millis>;
  /** All orders in memory, in order of placing. */
  readonly orders: Orders;
  /** Ended orders that have left memory; null while none has. */
  archive: OrderArchive | null;
  /** In the order they are due. */
  readonly pendingSettlements: SettlementEntry[];
  /** Derived from the rest of the state. */
  readonly schedule: Schedule;
  readonly payments: Map<string, PaymentEntry>;
  /** Those that can still be used. */
  readonly remittanceQuotes: Map<string, RemittanceQuoteRecord>;
  readonly remittances: Map<string, RemittanceEntry>;
  /** By idempotency key and account. */
  readonly idempotentAnswers: Map<string, IdempotentAnswer>;
  /** The assets by number. */
  readonly assets: Names;
  ledger: Ledger;
  /** Of the account that fees are paid to. */
  feeHolder: Holder;
  /** The latest time of a command. The exchange's clock never runs back, even when the machine's does. */
  now: Millis;
  /** How far the exchange's clock is ahead of the machine's; included in `now`. */
  clockOffset: Millis;
  lastTickAt: Millis;
  tradeSeq: number;
  houseOrderSeq: number;
  /** Rises with every command that changed something. */
  changes: number;
  /** Records events while somebody subscribes to them. Not part of a snapshot. */
  recorder: EventRecorder | null;
}

export interface StateOptions {
  readonly markets: readonly MarketRule[];
  readonly seed: number;
  readonly marketMaker: boolean;
}

/** An exchange with its markets and house accounts, and nothing else. @throws InvariantError for invalid markets. */
export function emptyState({ markets, seed, marketMaker }: StateOptions): State {
  assertMarketRules(markets);
  invariant(Number.isSafeInteger(seed) && seed >= 0, "a seed is a whole number, zero or larger");
  const assets = new Names();
  const ledger = new Ledger(assets);
  const state: State = {
    marketMaker,
    seed,
    random: Random.fromSeed(seed),
    markets: new Map(),
    accounts: new Map(),
    accountsByNumber: [],
    keys: new Map(),
    revokedKeys: new Set(),
    webhooks: new Map(),
    nonces: new Map(),
    userrefs: new Map(),
    orders: new Orders(),
    archive: null,
    pendingSettlements: [],
    schedule: new Schedule(),
    payments: new Map(),
    remittanceQuotes: new Map(),
    remittances: new Map(),
    idempotentAnswers: new Map(),
    assets,
    ledger,
    feeHolder: ledger.holder(HOUSE.fees),
    now: 0,
    clockOffset: 0,
    lastTickAt: 0,
    tradeSeq: 0,
    houseOrderSeq: 0,
    changes: 0,
    recorder: null,
  };
  for (const [rank, rule] of markets.entries()) {
    const pace = new Pace(seed, rule.symbol, rank);
    const flow = { fairPrice: rule.anchorPrice, quotes: new Map() };
    const book = { book: new Book(state.orders), bookSeq: 0, bookChangedBy: -1 };
    const [base, quote] = [assets.numberOf(rule.base), assets.numberOf(rule.quote)];
    state.markets.set(rule.symbol, { rule, pace, base, quote, status: "trading", ...book, tape: new Tape(), flow });
  }
  for (const accountId of Object.values(HOUSE)) openAccount(state, accountId, true, true);
  return state;
}

/** @throws InvariantError for an unknown market; callers check symbols from outside first. */
export function marketOf(state: State, symbol: string): MarketState {
  const market = state.markets.get(symbol);
  invariant(market !== undefined, `no market ${symbol}`);
  return market;
}

export function accountOf(state: State, accountId: string): Account {
  const account = state.accounts.get(accountId);
  invariant(account !== undefined, `no account ${accountId}`);
  return account;
}

export function ownerOf(state: State, { account }: LiveOrder): Account {
  const owner = state.accountsByNumber[account];
  if (owner === undefined) throw new InvariantError(`no account ${account}`);
  return owner;
}

/** An account that is not one of the exchange's own. */
export function customer(state: State, accountId: string): Account | undefined {
  const account = state.accounts.get(accountId);
  return account?.house === true ? undefined : account;
}

export function openAccount(state: State, accountId: string, krwAccountLinked: boolean, house = false): Account {
  invariant(!state.accounts.has(accountId), `account ${accountId} exists`);
  const orders = {
    open: state.orders.noneOpen(),
    history: [],
    fills: [],
    byUserref: new Map(),
    settlements: new Map(),
  };
  const records = { ...orders, payments: [], remittances: [] };
  const number = state.orders.accountNumber(accountId);
  const holder = state.ledger.holder(accountId);
  holder.house = house;
  const more = { krwAccountLinked, house, holder, nextPosition: 0, cancelAt: null };
  const account: Account = { accountId, number, ...more, ...records };
  state.accounts.set(accountId, account);
  state.accountsByNumber[number] = account;
  return account;
}

/** An order in memory or in the archive. */
export function placedOrder({ orders, archive }: State, orderId: string): PlacedOrder | undefined {
  return orders.get(orderId) ?? archive?.order(orderId);
}

/** Adds a fill to the order, which is a customer's, and to its account. */
export function addFill(account: Account, order: LiveOrder, fill: FillRecord): void {
  account.fills.push(fill);
  order.addFill(fill);
}

/** Adds an order's record to the state. @param position unless given, it is the account's newest */
export function addOrder(
  state: State,
  record: OrderRecord,
  account = accountOf(state, record.accountId),
  position = account.nextPosition,
): LiveOrder {
  const { house, history } = account;
  const order = state.orders.add(record, account, position);
  if (record.state === "open") account.open.add(order);
  if (house) return order;
  account.nextPosition = position + 1;
  history.push(order.handle);
  const { userref } = record;
  if (userref !== null) addNamed(account, userref, order);
  return order;
}

function addNamed({ byUserref }: Account, userref: string, { handle }: LiveOrder): void {
  const named = byUserref.get(userref);
  if (named === undefined) byUserref.set(userref, [handle]);
  else named.push(handle);
}

/** Removes an ended order from the open ones; a house account's order is not kept at all. */
export function removeFromOpen(state: State, { flow }: MarketState, account: Account, order: LiveOrder): void {
  account.open.remove(order);
  if (!account.house) return;
  const { price } = order;
  if (flow.quotes.get(price) === order.orderId) flow.quotes.delete(price);
  state.orders.remove(order);
}

/** To be called at each change of a level: counts the change in `bookSeq` and records the level. @param before its volume before */
export function recordBookChange(state: State, market: MarketState, side: Side, level: Level, before: Units): void {
  if (market.bookChangedBy !== state.changes) {
    market.bookChangedBy = state.changes;
    market.bookSeq += 1;
  }
  state.recorder?.level(market, side, level, before);
}
