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
import type { LiveOrder } from "./account-state.ts";
import { type Balance, balanceRecord, byAsset, type Holder } from "./ledger.ts";
import type { MarketState } from "./market-state.ts";

/** A level that changes; its volume before the command is the level's `recorded`. */
interface ChangedLevel {
  readonly market: MarketState;
  readonly side: Side;
  readonly level: Level;
}

/** What the recorder reads of the exchange's state. */
interface RecordedState {
  readonly accounts: ReadonlyMap<string, { readonly house: boolean }>;
}

export class EventRecorder {
  readonly #state: RecordedState;
  #events: ExchangeEvent[] = [];
  /** In the order of their first changes. A price has more than one where its level went and another came. */
  #levels: ChangedLevel[] = [];
  /** The accounts with changed balances, in the order of their first changes. */
  #holders: Holder[] = [];

  constructor(state: RecordedState) {
    this.#state = state;
  }

  trade(trade: TradeRecord): void {
    this.#events.push({ kind: "trade", trade });
  }

  order({ account, record }: LiveOrder, cause: OrderChange): void {
    if (!account.house) this.#events.push({ kind: "order", order: record, cause });
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
    this.#levels.push({ market, side, level });
  }

  /** The ledger's `onChange`. */
  readonly balance = (balance: Balance): void => {
    if (balance.recorded !== null) return;
    const { holder, available, locked, unsettled } = balance;
    balance.recorded = { available, locked, unsettled };
    if (holder.recorded.length === 0) this.#holders.push(holder);
    holder.recorded.push(balance);
  };

  /** Removes and returns all events recorded so far. */
  take(): readonly ExchangeEvent[] {
    const events = this.#events;
    this.#events = [];
    if (this.#levels.length > 0) {
      const levels = this.#levels;
      this.#levels = [];
      if (levels.every(({ market }) => market === levels[0]?.market)) pushBook(events, levels);
      else for (const changed of grouped(levels, ({ market }) => market).values()) pushBook(events, changed);
    }
    for (const holder of this.#holders) {
      const isShown = !this.#isHouse(holder.accountId);
      pushBalances(isShown ? events : null, holder);
    }
    if (this.#holders.length > 0) this.#holders = [];
    return events;
  }

  #isHouse(accountId: string): boolean {
    return this.#state.accounts.get(accountId)?.house === true;
  }
}

/** One event for the levels of one market. */
function pushBook(events: ExchangeEvent[], changed: readonly ChangedLevel[]): void {
  const [first] = changed;
  if (first === undefined) return;
  const { rule, bookSeq: seq } = first.market;
  events.push({
    kind: "book",
    symbol: rule.symbol,
    seq,
    buys: changedLevels("buy", changed),
    asks: changedLevels("sell", changed),
  });
  for (const { level } of changed) level.recorded = null;
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

/** Those of the holder's balances that differ after the command. @param events null where they are not shown */
function pushBalances(events: ExchangeEvent[] | null, { accountId, recorded: changed }: Holder): void {
  if (changed.length > 1) changed.sort(byAsset);
  for (const balance of changed) {
    const { available, locked, unsettled, recorded: before } = balance;
    balance.recorded = null;
    if (events === null || before === null) continue;
    if (available === before.available && locked === before.locked && unsettled === before.unsettled) continue;
    events.push({ kind: "balance", accountId, ...balanceRecord(balance) });
  }
  changed.length = 0;
}
