/**
 * Records the events of a command, while somebody subscribes to them. Entry point: `EventRecorder`.
 *
 * Invariants: of levels and balances it keeps what they were before the command's first change, so one event shows each that
 * differs after the command, as it is then; house accounts appear in books and trades alone. Without a recorder the engine pays
 * one comparison with null.
 */
import type { Side } from "../../../contract/index.ts";
import { grouped } from "../../lists.ts";
import type {
  ExchangeEvent,
  FillRecord,
  KeyRecord,
  OrderChange,
  SettlementRecord,
  TradeRecord,
  TransferEvent,
  Units,
} from "../../model/index.ts";
import type { Level, LiveOrder } from "../memory/index.ts";
import { type Balance, byAsset, type Holder, type Ledger, settledPart } from "./ledger.ts";
import type { MarketState } from "./market-state.ts";

/** A level that changes, or is gone, with its volume before the command; and the next one. */
interface ChangedLevel {
  readonly market: MarketState;
  readonly side: Side;
  readonly level: Level;
  readonly before: Units;
  next: ChangedLevel | null;
}

interface RecordedState {
  readonly ledger: Ledger;
}

const NO_LEVELS: readonly (readonly [Units, Units])[] = Object.freeze([]);

export class EventRecorder {
  readonly #state: RecordedState;
  /** The first event, and all of them once there are several: most commands have one, and an array that grows has room for many. */
  #first: ExchangeEvent | null = null;
  #events: ExchangeEvent[] | null = null;
  /** The first and the last of a chain in the order of their first changes. A price has more than one where its level went and another came. */
  #firstLevel: ChangedLevel | null = null;
  #lastLevel: ChangedLevel | null = null;
  /** The accounts with changed balances, in the order of their first changes. */
  #firstHolder: Holder | null = null;
  #lastHolder: Holder | null = null;

  constructor(state: RecordedState) {
    this.#state = state;
  }

  trade(trade: TradeRecord): void {
    this.#add({ kind: "trade", trade });
  }

  order(order: LiveOrder, cause: OrderChange): void {
    if (!order.house) this.#add({ kind: "order", order: order.record, cause });
  }

  fill(fill: FillRecord): void {
    this.#add({ kind: "fill", fill });
  }

  settlement(settlement: SettlementRecord): void {
    this.#add({ kind: "settlement", settlement });
  }

  key({ keyId, accountId }: KeyRecord, change: "created" | "changed" | "revoked"): void {
    this.#add({ kind: "key", keyId, accountId, change });
  }

  transfer(event: TransferEvent): void {
    this.#add(event);
  }

  market({ rule, status }: MarketState): void {
    this.#add({ kind: "market", symbol: rule.symbol, status });
  }

  /** To be called right before a level changes, or right after it was opened with a volume that was nothing `before`. */
  level(market: MarketState, side: Side, level: Level, before: Units): void {
    const { levels } = market.book;
    if (levels.isWatched(level)) return;
    levels.watch(level, true);
    const changed = { market, side, level, before, next: null };
    if (this.#lastLevel === null) this.#firstLevel = changed;
    else this.#lastLevel.next = changed;
    this.#lastLevel = changed;
  }

  /** The ledger's `onChange`. */
  readonly balance = (balance: Balance): void => {
    if (balance.recorded !== null) return;
    const { holder } = balance;
    this.#state.ledger.remember(balance);
    if (holder.recorded === null) this.#addHolder(holder);
    chainByAsset(holder, balance);
  };

  /** Removes and returns all events recorded so far. */
  take(): readonly ExchangeEvent[] {
    const [first, events, level] = [this.#first, this.#events, this.#firstLevel];
    this.#first = null;
    this.#events = null;
    this.#firstLevel = null;
    this.#lastLevel = null;
    if (events !== null) return this.#all(events, level);
    if (first === null) return this.#all([], level);
    return level === null || level.next !== null ? this.#all([first], level) : this.#few(first, bookEvent(level));
  }

  #all(events: ExchangeEvent[], level: ChangedLevel | null): readonly ExchangeEvent[] {
    if (level !== null) pushBooks(events, level);
    for (let holder = this.#firstHolder; holder !== null; holder = this.#takeHolder(holder))
      pushBalances(holder.house ? null : events, this.#state.ledger, holder);
    return events;
  }

  /** Of an order that has come or gone: its event, that of its level, and mostly that of one balance. */
  #few(order: ExchangeEvent, book: ExchangeEvent): readonly ExchangeEvent[] {
    const { ledger } = this.#state;
    const holder = this.#firstHolder;
    const balance = holder?.recorded ?? null;
    if (
      holder === null ||
      holder.house ||
      balance === null ||
      holder.nextRecorded !== null ||
      balance.nextRecorded !== null
    )
      return this.#all([order, book], null);
    const changed = ledger.hasChanged(balance);
    balance.recorded = null;
    holder.recorded = null;
    this.#takeHolder(holder);
    return changed ? [order, book, balanceEvent(ledger, balance)] : [order, book];
  }

  #add(event: ExchangeEvent): void {
    if (this.#events !== null) this.#events.push(event);
    else if (this.#first === null) this.#first = event;
    else this.#events = [this.#first, event];
  }

  #addHolder(holder: Holder): void {
    if (this.#lastHolder === null) this.#firstHolder = holder;
    else this.#lastHolder.nextRecorded = holder;
    this.#lastHolder = holder;
  }

  /** @returns the one after it */
  #takeHolder(holder: Holder): Holder | null {
    const next = holder.nextRecorded;
    holder.nextRecorded = null;
    this.#firstHolder = next;
    if (next === null) this.#lastHolder = null;
    return next;
  }
}

/** One event for the levels of each market. Nearly all commands change one market, and most of them one level. */
function pushBooks(events: ExchangeEvent[], first: ChangedLevel): void {
  if (first.next === null) {
    events.push(bookEvent(first));
    return;
  }
  const all: ChangedLevel[] = [];
  for (let changed: ChangedLevel | null = first; changed !== null; changed = changed.next) all.push(changed);
  for (const [market, changed] of grouped(all, (each) => each.market)) {
    const { rule, bookSeq: seq } = market;
    const [buys, asks] = [changedLevels("buy", changed), changedLevels("sell", changed)];
    events.push({ kind: "book", symbol: rule.symbol, seq, buys, asks });
    for (const { level } of changed) market.book.levels.watch(level, false);
  }
}

/** Of the one level that was changed. */
function bookEvent({ market, side, level, before }: ChangedLevel): ExchangeEvent {
  const { rule, bookSeq: seq } = market;
  const { levels } = market.book;
  const volume = levels.volume(level);
  const shown: readonly (readonly [Units, Units])[] = volume === before ? NO_LEVELS : [[levels.price(level), volume]];
  levels.watch(level, false);
  const isBuy = side === "buy";
  return {
    kind: "book",
    symbol: rule.symbol,
    seq,
    buys: isBuy ? shown : NO_LEVELS,
    asks: isBuy ? NO_LEVELS : shown,
  };
}

/** Best first. */
function changedLevels(
  side: Side,
  changed: readonly ChangedLevel[],
): readonly (readonly [price: Units, volume: Units])[] {
  const own = changed
    .filter((each) => each.side === side)
    .map(({ market: { book }, level, before }) => ({
      price: book.levels.price(level),
      volume: book.levels.volume(level),
      before,
    }));
  // The sort keeps the order of the levels of one price: the first knows what was before, the last what is now.
  if (own.length > 1) own.sort(side === "buy" ? (a, b) => order(b.price, a.price) : (a, b) => order(a.price, b.price));
  const shown: (readonly [Units, Units])[] = [];
  let first: Units | null = null;
  for (const [index, { price, volume, before }] of own.entries()) {
    first ??= before;
    if (own[index + 1]?.price === price) continue;
    if (volume !== first) shown.push([price, volume]);
    first = null;
  }
  return shown;
}

function order(one: Units, other: Units): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** Adds a balance to its holder's changed ones, which are in the order in which they are shown. An account has few assets. */
function chainByAsset(holder: Holder, balance: Balance): void {
  let before: Balance | null = null;
  let after = holder.recorded;
  while (after !== null && byAsset(after, balance) < 0) {
    before = after;
    after = after.nextRecorded;
  }
  balance.nextRecorded = after;
  if (before === null) holder.recorded = balance;
  else before.nextRecorded = balance;
}

/** Those of the holder's balances that differ after the command. @param events null where they are not shown */
function pushBalances(events: ExchangeEvent[] | null, ledger: Ledger, holder: Holder): void {
  let balance = holder.recorded;
  holder.recorded = null;
  while (balance !== null) {
    if (events !== null && ledger.hasChanged(balance)) events.push(balanceEvent(ledger, balance));
    const next: Balance | null = balance.nextRecorded;
    balance.recorded = null;
    balance.nextRecorded = null;
    balance = next;
  }
}

/** Written field by field: an object spread takes longer than all the rest. */
function balanceEvent(ledger: Ledger, balance: Balance): ExchangeEvent {
  const { asset, unsettled } = balance;
  const available = ledger.availableOf(balance);
  return {
    kind: "balance",
    accountId: balance.holder.accountId,
    asset,
    available,
    locked: ledger.lockedOf(balance),
    withdrawable: settledPart(available, unsettled),
    unsettled,
  };
}
