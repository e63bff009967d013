/**
 * Fees of a market in the dialect's shapes: rates, of which only the standard ones are not zero. Entry points: `commissionView`,
 * `testedView`. Source: service.md#alias-private.
 */
import type { AliasCommission, AliasTested } from "../../../contract/index.ts";
import type { MarketRule } from "../../model/index.ts";
import { aliasSymbolOf, amountText } from "./amount-text.ts";

const ZERO = amountText(0n);
const NO_RATES = { maker: ZERO, taker: ZERO } as const;
const NO_DISCOUNT = {
  enabledForAccount: false,
  enabledForSymbol: false,
  discountAsset: "",
  discount: ZERO,
} as const;

export function commissionView(market: MarketRule): AliasCommission {
  const none = { ...NO_RATES, buyer: ZERO, seller: ZERO };
  return {
    symbol: aliasSymbolOf(market.symbol),
    standardCommission: { ...none, ...ratesOf(market) },
    specialCommission: none,
    taxCommission: none,
    discount: NO_DISCOUNT,
  };
}

export function testedView(market: MarketRule): AliasTested {
  return {
    standardCommissionForOrder: ratesOf(market),
    specialCommissionForOrder: NO_RATES,
    taxCommissionForOrder: NO_RATES,
    discount: NO_DISCOUNT,
  };
}

function ratesOf({ makerFeeRate, takerFeeRate }: MarketRule) {
  return { maker: amountText(makerFeeRate), taker: amountText(takerFeeRate) };
}
