/**
 * Owns finding out what an order's view needs besides the order.
 */

import type { Service } from "../service/service.ts";
import type { OrderSetting } from "./order-view.ts";

export function settingOf({ exchange, markets }: Service, accountId: string, symbol: string): OrderSetting {
  return {
    quote: markets.quoteOf(symbol),
    krwAccountLinked: exchange.account(accountId)?.krwAccountLinked ?? false,
  };
}
