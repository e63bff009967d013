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
  OrderRecord,
  SettlementRecord,
  TradeRecord,
  TransferEvent,
  Units,
} from "../../model/index.ts";
import { grouped } from "../core/grouped.ts";
import { type Balance, balanceRecord, byAsset } from "./ledger.ts";
import type { MarketState } from "./market-state.ts";

type Level = readonly [price: Units, volume: Units];

/** A level that changes, with its volume before the change. */
interface ChangedLevel {
  readonly market: MarketState;
  readonly side: Side;
  readonly price: Units;
  readonly before: Units;
}

/** A balance that changes, with what it was before the command. */
interface ChangedBalance {
  readonly accountId: string;
  readonly asset: string;
  readonly balance: Balance;
  readonly available: Units;
  readonly locked: Units;
  readonly unsettled: Units;
}

/** What the recorder reads of the exchange's state. */
interface RecordedState {
  readonly accounts: ReadonlyMap<string, { readonly house: boolean }>;
}

export class EventRecorder {
  readonly #state: RecordedState;
  #events: ExchangeEvent[] = [];
  /** In the order of the changes; of one level the first counts. */
  #levels: ChangedLevel[] = [];
  /** Each balance once. */
  #balances: ChangedBalance[] = [];

  constructor(state: RecordedState) {
    this.#state = state;
  }

  trade(trade: TradeRecord): void {
    this.#events.push({ kind: "trade", trade });
  }

  order(record: OrderRecord, cause: OrderChange): void {
    if (!this.#isHouse(record.accountId)) this.#events.push({ kind: "order", order: { ...record }, cause });
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

  level(market: MarketState, side: Side, price: Units): void {
    this.#levels.push({ market, side, price, before: market.book.volumeAt(side, price) });
  }

  /** The ledger's `onChange`. */
  readonly balance = (accountId: string, asset: string, balance: Balance): void => {
    if (balance.isRecorded) return;
    balance.isRecorded = true;
    const { available, locked, unsettled } = balance;
    this.#balances.push({ accountId, asset, balance, available, locked, unsettled });
  };

  /** Removes and returns all events recorded so far. */
  take(): readonly ExchangeEvent[] {
    const events = this.#events;
    for (const [{ rule, bookSeq: seq, book }, changed] of grouped(this.#levels, ({ market }) => market)) {
      const [buys, asks] = [changedLevels(book, "buy", changed), changedLevels(book, "sell", changed)];
      events.push({ kind: "book", symbol: rule.symbol, seq, buys, asks });
    }
    for (const [accountId, changed] of grouped(this.#balances, (each) => each.accountId)) {
      for (const { balance } of changed) balance.isRecorded = false;
      if (!this.#isHouse(accountId)) events.push(...changedBalances(accountId, changed));
    }
    this.#events = [];
    this.#levels = [];
    this.#balances = [];
    return events;
  }

  #isHouse(accountId: string): boolean {
    return this.#state.accounts.get(accountId)?.house === true;
  }
}

/** Best first. */
function changedLevels(book: MarketState["book"], side: Side, changed: readonly ChangedLevel[]): Level[] {
  const up = side === "buy" ? -1 : 1;
  const ofSide = changed.filter((each) => each.side === side);
  // The sort keeps the order of the changes of one level.
  if (ofSide.length > 1) ofSide.sort((a, b) => (a.price === b.price ? 0 : a.price < b.price ? -up : up));
  const levels: Level[] = [];
  for (const [index, { price, before }] of ofSide.entries()) {
    if (ofSide[index - 1]?.price === price) continue;
    const now = book.volumeAt(side, price);
    if (now !== before) levels.push([price, now]);
  }
  return levels;
}

function changedBalances(accountId: string, changed: readonly ChangedBalance[]): ExchangeEvent[] {
  return changed
    .filter(({ balance: now, available, locked, unsettled }) => {
      return available !== now.available || locked !== now.locked || unsettled !== now.unsettled;
    })
    .sort(byAsset)
    .map(({ asset, balance }): ExchangeEvent => ({ kind: "balance", accountId, ...balanceRecord(asset, balance) }));
}
