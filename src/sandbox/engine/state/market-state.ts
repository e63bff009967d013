/** A market as the exchange remembers it: its book, its tape, the orders that rest in it, and where the market flow stands. */
import type { FillRecord, MarketRule, MarketStatus, OrderRecord, Units } from "../../model/index.ts";
import type { Book, RestingOrder } from "../market/order-book.ts";
import type { Tape } from "../market/tape.ts";

/** An order with what the engine needs beside its record. */
export interface LiveOrder extends RestingOrder {
  readonly record: OrderRecord;
  /** Locked for this order: quote of a buy, base of a sell. Zero once it has ended. */
  hold: Units;
  /** Its executions; not kept for house accounts. */
  readonly fills: FillRecord[];
  /** Place in its account's history. */
  readonly position: number;
}

/** What the market flow remembers of a market. */
export interface MarketFlowState {
  fairPrice: Units;
  /** The maker's quotes by price. */
  readonly quotes: Map<Units, LiveOrder>;
}

export interface MarketState {
  readonly rule: MarketRule;
  status: MarketStatus;
  book: Book<LiveOrder>;
  /** Commands that changed the book, counted; and `State.changes` at the last of them. */
  bookSeq: number;
  bookChangedBy: number;
  tape: Tape;
  readonly flow: MarketFlowState;
}
