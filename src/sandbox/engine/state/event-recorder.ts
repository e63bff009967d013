/**
 * Records the events of a command, while somebody subscribes to them. Entry point: `EventRecorder`.
 *
 * Invariants: of levels and balances it keeps what they were before the command's first change, so one event shows each that
 * differs after the command, as it is then; house accounts appear in books and trades alone. Without a recorder the engine pays
 * one comparison with null.
 */
import type { Side } from "../../../contract/index.ts";
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
import { grouped } from "../core/grouped.ts";
import type { Level } from "../market/order-book.ts";
import type { LiveOrder } from "../rows/live-order.ts";
import { type Balance, byAsset, type Holder, withdrawableOf } from "./ledger.ts";
import type { MarketState } from "./market-state.ts";

/** A level that changes, before the next one; its volume before the command is the level's `recorded`. */
interface ChangedLevel {
  readonly market: MarketState;
  readonly side: Side;
  readonly level: Level;
  next: ChangedLevel | null;
}

/** What the recorder reads of the exchange's state. */
interface RecordedState {
  readonly accounts: ReadonlyMap<string, { readonly house: boolean }>;
}

export class EventRecorder {
  readonly #state: RecordedState;
  #events: ExchangeEvent[] = [];
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
    this.#events.push({ kind: "trade", trade });
  }

  order(order: LiveOrder, cause: OrderChange): void {
    if (!order.house) this.#events.push({ kind: "order", order: order.record, cause });
  }

  fill(fill: FillRecord): void {
    this.#events.push({ kind: "fill", fill });
  }

  settlement(settlement: SettlementRecord): void {
    this.#events.push({ kind: "settlement", settlement });
  }

  key({ keyId, accountId }: KeyRecord, change: "created" | "changed" | "revoked"): void {
    this.#events.push({ kind: "key", keyId, accountId, change });
  }

  transfer(event: TransferEvent): void {
    this.#events.push(event);
  }

  market({ rule, status }: MarketState): void {
    this.#events.push({ kind: "market", symbol: rule.symbol, status });
  }

  /** @param before the level's volume before this change. */
  level(market: MarketState, side: Side, level: Level, before: Units): void {
    if (level.recorded !== null) return;
    level.recorded = before;
    const changed = { market, side, level, next: null };
    if (this.#lastLevel === null) this.#firstLevel = changed;
    else this.#lastLevel.next = changed;
    this.#lastLevel = changed;
  }

  /** The ledger's `onChange`. */
  readonly balance = (balance: Balance): void => {
    if (balance.recorded !== null) return;
    const { holder, available, locked, unsettled } = balance;
    balance.recorded = { available, locked, unsettled };
    if (holder.recorded === null) this.#addHolder(holder);
    chainByAsset(holder, balance);
  };

  /** Removes and returns all events recorded so far. */
  take(): readonly ExchangeEvent[] {
    const events = this.#events;
    this.#events = [];
    if (this.#firstLevel !== null) {
      pushBooks(events, this.#firstLevel);
      this.#firstLevel = null;
      this.#lastLevel = null;
    }
    for (let holder = this.#firstHolder; holder !== null; holder = this.#takeHolder(holder))
      pushBalances(this.#isHouse(holder.accountId) ? null : events, holder);
    return events;
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

  #isHouse(accountId: string): boolean {
    return this.#state.accounts.get(accountId)?.house === true;
  }
}

/** One event for the levels of each market. Nearly all commands change one market, and most of them one level. */
function pushBooks(events: ExchangeEvent[], first: ChangedLevel): void {
  if (first.next === null) {
    pushLevel(events, first);
    return;
  }
  const all: ChangedLevel[] = [];
  for (let changed: ChangedLevel | null = first; changed !== null; changed = changed.next) all.push(changed);
  for (const [market, changed] of grouped(all, (each) => each.market)) {
    const { rule, bookSeq: seq } = market;
    const [buys, asks] = [changedLevels("buy", changed), changedLevels("sell", changed)];
    events.push({ kind: "book", symbol: rule.symbol, seq, buys, asks });
    for (const { level } of changed) level.recorded = null;
  }
}

function pushLevel(events: ExchangeEvent[], { market, side, level }: ChangedLevel): void {
  const { price, volume, recorded } = level;
  const shown: (readonly [Units, Units])[] = volume === recorded ? [] : [[price, volume]];
  const { rule, bookSeq: seq } = market;
  const [buys, asks] = side === "buy" ? [shown, []] : [[], shown];
  events.push({ kind: "book", symbol: rule.symbol, seq, buys, asks });
  level.recorded = null;
}

/** Best first. */
function changedLevels(side: Side, changed: readonly ChangedLevel[]): (readonly [price: Units, volume: Units])[] {
  const levels: Level[] = [];
  for (const each of changed) if (each.side === side) levels.push(each.level);
  // The sort keeps the order of the levels of one price: the first knows what was before, the last what is now.
  if (levels.length > 1) levels.sort(side === "buy" ? (a, b) => order(b, a) : order);
  const shown: (readonly [Units, Units])[] = [];
  let before: Units | null = null;
  for (const [index, { price, volume, recorded }] of levels.entries()) {
    before ??= recorded;
    if (levels[index + 1]?.price === price) continue;
    if (volume !== before) shown.push([price, volume]);
    before = null;
  }
  return shown;
}

function order({ price: one }: Level, { price: other }: Level): number {
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
function pushBalances(events: ExchangeEvent[] | null, holder: Holder): void {
  let balance = holder.recorded;
  holder.recorded = null;
  while (balance !== null) {
    if (events !== null && isChanged(balance)) events.push(balanceEvent(balance));
    const next: Balance | null = balance.nextRecorded;
    balance.recorded = null;
    balance.nextRecorded = null;
    balance = next;
  }
}

function isChanged({ available, locked, unsettled, recorded: before }: Balance): boolean {
  return (
    before !== null && (available !== before.available || locked !== before.locked || unsettled !== before.unsettled)
  );
}

/** Written field by field: an object spread takes longer than all the rest. */
function balanceEvent(balance: Balance): ExchangeEvent {
  const { holder, asset, available, locked, unsettled } = balance;
  const { accountId } = holder;
  return { kind: "balance", accountId, asset, available, locked, withdrawable: withdrawableOf(balance), unsettled };
}
