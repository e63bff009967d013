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
import type { Ledger } from "./ledger.ts";
import type { MarketState } from "./market-state.ts";

type Level = readonly [price: Units, volume: Units];

interface Before {
  readonly available: Units;
  readonly locked: Units;
  readonly unsettled: Units;
}

/** What the recorder reads of the exchange's state. */
interface RecordedState {
  readonly ledger: Ledger;
  readonly accounts: ReadonlyMap<string, { readonly house: boolean }>;
}

export class EventRecorder {
  readonly #state: RecordedState;
  #events: ExchangeEvent[] = [];
  /** The volumes of changed levels as they were before the command. */
  readonly #levels = new Map<MarketState, Record<Side, Map<Units, Units>>>();
  /** The changed balances as they were before the command, by account and asset. */
  readonly #balances = new Map<string, Map<string, Before>>();

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
    let touched = this.#levels.get(market);
    if (touched === undefined) {
      touched = { buy: new Map(), sell: new Map() };
      this.#levels.set(market, touched);
    }
    if (!touched[side].has(price)) touched[side].set(price, market.book.volumeAt(side, price));
  }

  /** The ledger's `onChange`. */
  readonly balance = (accountId: string, asset: string, before: Before): void => {
    let touched = this.#balances.get(accountId);
    if (touched === undefined) {
      touched = new Map();
      this.#balances.set(accountId, touched);
    }
    if (!touched.has(asset)) touched.set(asset, { ...before });
  };

  /** Removes and returns all events recorded so far. */
  take(): readonly ExchangeEvent[] {
    const events = this.#events;
    for (const [market, { buy, sell }] of this.#levels) {
      const { rule, bookSeq: seq } = market;
      const [buys, asks] = [changedLevels(market, "buy", buy), changedLevels(market, "sell", sell)];
      events.push({ kind: "book", symbol: rule.symbol, seq, buys, asks });
    }
    for (const [accountId, touched] of this.#balances)
      if (!this.#isHouse(accountId)) events.push(...this.#changedBalances(accountId, touched));
    this.#events = [];
    this.#levels.clear();
    this.#balances.clear();
    return events;
  }

  #changedBalances(accountId: string, touched: ReadonlyMap<string, Before>): ExchangeEvent[] {
    return this.#state.ledger
      .balances(accountId)
      .filter(({ asset, available, locked, unsettled }) => {
        const before = touched.get(asset);
        if (before === undefined) return false;
        return before.available !== available || before.locked !== locked || before.unsettled !== unsettled;
      })
      .map((balance): ExchangeEvent => ({ kind: "balance", accountId, ...balance }));
  }

  #isHouse(accountId: string): boolean {
    return this.#state.accounts.get(accountId)?.house === true;
  }
}

/** Best first. */
function changedLevels({ book }: MarketState, side: Side, before: ReadonlyMap<Units, Units>): Level[] {
  const levels: Level[] = [];
  for (const [price, volume] of before) {
    const now = book.volumeAt(side, price);
    if (now !== volume) levels.push([price, now]);
  }
  const up = side === "buy" ? -1 : 1;
  return levels.sort(([a], [b]) => (a < b ? -up : up));
}
