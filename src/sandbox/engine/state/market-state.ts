/** The state of a market: its rule, its book, its tape, and the state of the market flow. */
import type { MarketRule, MarketStatus, Units } from "../../model/index.ts";
import type { Book } from "../market/order-book.ts";
import type { Pace } from "../market/pace.ts";
import type { Tape } from "../market/tape.ts";
import type { Asset } from "./ledger.ts";

export interface MarketFlowState {
  fairPrice: Units;
  /** The ids of the maker's quotes by price. */
  readonly quotes: Map<Units, string>;
}

export interface MarketState {
  readonly rule: MarketRule;
  readonly pace: Pace;
  /** The numbers of the two assets. */
  readonly base: Asset;
  readonly quote: Asset;
  status: MarketStatus;
  book: Book;
  /** The number of commands that changed the book, and `State.changes` at the last of them. */
  bookSeq: number;
  bookChangedBy: number;
  tape: Tape;
  readonly flow: MarketFlowState;
}
