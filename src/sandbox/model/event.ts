/** The events of the exchange: what a command changed, for subscribers. */
import type { BalanceRecord } from "./account.ts";
import type { MarketStatus, TradeRecord } from "./market.ts";
import type { FillRecord, OrderRecord, SettlementRecord } from "./order.ts";
import type { TransferEvent } from "./transfer.ts";
import type { Millis, Units } from "./units.ts";

/** Tells what happened to an order: it was placed, partly filled, or it ended. */
export type OrderChange = "created" | "executed" | "filled" | "canceled" | "expired";

/**
 * Tells what a command changed. The events of one command are in the order in which things happened, then one `book` per market and
 * one `balance` per account and asset, each as it is after the command. Scheduled work has its events with a command too
 * (`passTime`).
 *
 * `book` has the levels that differ, best first, with volume `0n` where a level is gone. `seq` is what `Exchange.book` shows
 * after the command and rises by one from event to event of a market, so a gap in the numbers shows a missing event; a subscriber
 * that starts with `Exchange.book` continues with the event of the next number. There are no levels in the rare command that
 * leaves the book as it was.
 *
 * An order has the event `created` when it was accepted, `executed` after matches that left it open (one for all matches of an
 * incoming order, one for each match of a resting order), and one for its end. Orders, fills and balances are those of
 * customers, not of house accounts.
 */
export type ExchangeEvent =
  | {
      readonly kind: "book";
      readonly symbol: string;
      readonly seq: number;
      readonly buys: readonly (readonly [price: Units, volume: Units])[];
      readonly asks: readonly (readonly [price: Units, volume: Units])[];
    }
  | { readonly kind: "trade"; readonly trade: TradeRecord }
  | { readonly kind: "order"; readonly order: Readonly<OrderRecord>; readonly cause: OrderChange }
  | { readonly kind: "fill"; readonly fill: FillRecord }
  | ({ readonly kind: "balance"; readonly accountId: string } & BalanceRecord)
  | { readonly kind: "settlement"; readonly settlement: SettlementRecord }
  | {
      readonly kind: "key";
      readonly keyId: string;
      readonly accountId: string;
      readonly change: "created" | "changed" | "revoked";
    }
  | TransferEvent
  | { readonly kind: "market"; readonly symbol: string; readonly status: MarketStatus };

/**
 * @param at the exchange's clock at the command.
 * @param change the command's number, which rises with every command that changed something, over restarts too.
 */
export type EventListener = (events: readonly ExchangeEvent[], at: Millis, change: number) => void;
