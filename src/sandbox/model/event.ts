/** What a command changed, for whoever follows the exchange. */
import type { BalanceRecord } from "./account.ts";
import type { MarketStatus, TradeRecord } from "./market.ts";
import type { FillRecord, OrderRecord, SettlementRecord } from "./order.ts";
import type { TransferEvent } from "./transfer.ts";
import type { Millis, Units } from "./units.ts";

/** Why an order is told of: it was placed, executed in part, or it ended. */
export type OrderChange = "created" | "executed" | "filled" | "canceled" | "expired";

/**
 * What a command changed, for whoever follows the exchange. Facts of one command come in the order things happened, then one
 * `book` per market and one `balance` per account and asset, each as it is after the command. What time brings about is told
 * with a command too (`passTime`).
 *
 * `book` holds the levels that differ, best first, `0n` where a level is gone. `seq` is what `Exchange.book` shows after the
 * command and rises by one from fact to fact of a market, so none is missing between two whose numbers follow each other; a
 * reader who starts with `Exchange.book` goes on with the fact of the next number. Levels are empty in the rare command that
 * ends where it began.
 *
 * An order has `created` when it was taken, `executed` after matches that left it open (an incoming order one for all its
 * matches, a resting one each time), and one for its end. Orders, fills and balances are those of customers, not of the house.
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
 * @param change the command's number: rises with every command that changed something, restarts included.
 */
export type EventListener = (facts: readonly ExchangeEvent[], at: Millis, change: number) => void;
