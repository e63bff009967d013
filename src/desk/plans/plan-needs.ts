/** What the orders of a plan would be refused for: that is said when the plan is made, not when it is needed. */
import { type Fault, localFault, type Market, type VenueCard } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import type { OrderRequest } from "../model/intent.ts";
import { isProtection, type PlanTerms } from "../model/plan.ts";
import type { Policy } from "../model/policy.ts";
import { checkCard } from "../risk/order-validation.ts";
import { policyLine } from "../risk/policy-line.ts";
import { checkMarket, checkOrderType, checkTimeInForce, modeDenial } from "../risk/policy-rules.ts";
import { denialFault } from "../risk/pre-trade-check.ts";

/** Of every plan that may trade, whatever its kind. */
export function checkOrderNeeds({ parts }: DeskContext, policy: Policy, market: Market): Fault | undefined {
  const { unproven, venue, compliance } = parts;
  const untried = unproven?.();
  if (untried !== undefined) return untried;
  if (venue.keyId === undefined) return localFault("ELocal:No key");
  const mode = modeDenial(policy);
  if (mode !== undefined) return denialFault(mode, policyLine("mode", policy));
  const found = checkMarket({ policy, market });
  if (found !== undefined) return denialFault({ rule: "market", ...found }, policyLine("market", policy));
  if (venue.needsCompliance !== true || compliance !== undefined) return undefined;
  return localFault("ELocal:Invalid input", {
    message:
      "The exchange takes no order without travel-rule metadata, and the profile has none that an order of a plan could have. Nothing was recorded.",
  });
}

/**
 * What the exchange has not, or the file does not take, that this plan's orders need, with what to do instead.
 *
 * @param markets of its orders
 */
export function checkKindNeeds(
  { card, policy }: { readonly card: VenueCard; readonly policy: Policy },
  markets: readonly Market[],
  terms: PlanTerms,
): Fault | undefined {
  if (terms.kind === "alert") return undefined;
  for (const order of ordersOf(terms)) {
    const type = checkOrderType({ policy, order });
    if (type !== undefined) return denialFault({ rule: "order_type", ...type }, policyLine("order_type", policy));
    const lasting = checkTimeInForce({ policy, order });
    if (lasting !== undefined)
      return denialFault({ rule: "time_in_force", ...lasting }, policyLine("time_in_force", policy));
    const market = markets.find(({ symbol }) => symbol === order.symbol);
    const lack = market && checkCard(card, market, order)[0];
    if (lack === undefined) continue;
    const { field, instead } = insteadOf(terms);
    return localFault("ELocal:Invalid input", {
      field,
      message: `${lack.message}, as a plan of kind ${terms.kind} would send it: ${instead}. Nothing was recorded.`,
    });
  }
  return undefined;
}

type Trading = Exclude<PlanTerms, { readonly kind: "alert" }>;

/** Of the kind that its orders are; how many coins, and at which price, makes no difference. */
function ordersOf(terms: Trading): readonly OrderRequest[] {
  if (terms.kind === "rebalance")
    return terms.orders.map(({ symbol, side, size }) => ({ symbol, side, type: "market", ...sized(size) }));
  const { symbol } = terms;
  if (isProtection(terms)) {
    const rests = terms.kind === "stop" && terms.limitPrice !== undefined;
    const { volume: base_volume } = terms;
    return [{ symbol, side: "sell", type: "limit", base_volume, time_in_force: rests ? "GTC" : "IOC" }];
  }
  const { side, size, limitPrice } = terms;
  if (limitPrice === undefined) return [{ symbol, side, type: "market", ...sized(size) }];
  return [{ symbol, side, type: "limit", price: limitPrice, time_in_force: "IOC", ...sized(size) }];
}

function sized(
  size: { readonly quoteAmount: string } | { readonly volume: string },
): Pick<OrderRequest, "quote_amount" | "base_volume"> {
  return "quoteAmount" in size ? { quote_amount: size.quoteAmount } : { base_volume: size.volume };
}

function insteadOf(terms: Trading): {
  readonly field: "kind" | "limit_price";
  readonly instead: string;
} {
  switch (terms.kind) {
    case "stop":
      return terms.limitPrice === undefined
        ? { field: "limit_price", instead: "give limit_price, at which an order then rests" }
        : { field: "kind", instead: "ask for an alert, and sell when it tells" };
    case "take_profit":
      return { field: "kind", instead: "place a limit order to sell at take_price, which waits there" };
    case "trailing_stop":
    case "oco":
      return { field: "kind", instead: "ask for a stop with limit_price, or for an alert" };
    case "recurring":
    case "slices":
      return terms.limitPrice === undefined
        ? { field: "kind", instead: "ask for an alert, and place the order then" }
        : { field: "limit_price", instead: "leave limit_price out, so that each order is one at the market" };
    case "rebalance":
      return { field: "kind", instead: "place its orders one by one, as the exchange takes them" };
    default:
      return terms satisfies never;
  }
}
