/** The state of a market: its rule, its book and the orders in it, its tape, and the state of the market flow. */
import type { FillRecord, MarketRule, MarketStatus, OrderRecord, Units } from "../../model/index.ts";
import type { Book, RestingOrder } from "../market/order-book.ts";
import type { Tape } from "../market/tape.ts";
import type { Account } from "./account-state.ts";

/** An order's record, and what the engine keeps beside it. */
export interface LiveOrder extends RestingOrder {
  readonly account: Account;
  /** Replaced with every change, so that events and answers can show it as it was. */
  record: OrderRecord;
  /** Locked for this order: quote of a buy, base of a sell. Zero once it has ended. */
  hold: Units;
  /** Its fills, oldest first; not kept for house accounts. */
  fills: readonly FillRecord[];
  /** Its place among all orders of the account, those in the archive included. */
  readonly position: number;
}

/** What the market flow keeps for each market. */
export interface MarketFlowState {
  fairPrice: Units;
  /** The maker's quotes by price. */
  readonly quotes: Map<Units, LiveOrder>;
}

export interface MarketState {
  readonly rule: MarketRule;
  status: MarketStatus;
  book: Book<LiveOrder>;
  /** The number of commands that changed the book, and `State.changes` at the last of them. */
  bookSeq: number;
  bookChangedBy: number;
  tape: Tape;
  readonly flow: MarketFlowState;
}
