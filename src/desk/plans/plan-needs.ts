/** What every order of a plan would be refused for, whatever it is: that is said when the plan is made, not when it is needed. */
import { type Fault, localFault, type Market, type VenueCard } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import type { OrderRequest } from "../model/intent.ts";
import { isProtection, type PlanTerms } from "../model/plan.ts";
import type { Policy } from "../model/policy.ts";
import { checkCard } from "../risk/order-validation.ts";
import { policyLine } from "../risk/policy-line.ts";
import { checkMarket, checkOrderType, checkTimeInForce, modeDenial } from "../risk/policy-rules.ts";
import { denialFault } from "../risk/pre-trade-check.ts";

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

/** Why the exchange, or the file, would refuse the form of every order that comes of such a plan; undefined where they take them. */
export function checkOrderForm(
  { card, policy }: { readonly card: VenueCard; readonly policy: Policy },
  market: Market,
  terms: PlanTerms,
): Fault | undefined {
  if (terms.kind === "alert") return undefined;
  const order = formOf(terms);
  const type = checkOrderType({ policy, order });
  if (type !== undefined) return denialFault({ rule: "order_type", ...type }, policyLine("order_type", policy));
  const lasting = checkTimeInForce({ policy, order });
  if (lasting !== undefined)
    return denialFault({ rule: "time_in_force", ...lasting }, policyLine("time_in_force", policy));
  const [problem] = checkCard(card, market, order);
  if (problem === undefined) return undefined;
  const { field = "", message } = problem;
  const fields = field === "time_in_force" ? { field: "kind", nextAction: instead(terms) } : { field };
  return localFault("ELocal:Invalid input", { ...fields, message });
}

function formOf(terms: Exclude<PlanTerms, { readonly kind: "alert" }>): OrderRequest {
  const { symbol } = terms;
  const isLimited = isProtection(terms) || terms.limitPrice !== undefined;
  const type = isLimited ? ({ type: "limit", time_in_force: "IOC" } as const) : ({ type: "market" } as const);
  if (!isProtection(terms)) {
    const { side, size } = terms;
    return {
      symbol,
      side,
      ...type,
      ...("quoteAmount" in size ? { quote_amount: size.quoteAmount } : { base_volume: size.volume }),
    };
  }
  const rests = terms.kind === "stop" && terms.limitPrice !== undefined;
  return { symbol, side: "sell", ...type, ...(rests && { time_in_force: "GTC" }), base_volume: terms.volume };
}

function instead(terms: PlanTerms): string {
  return terms.kind === "recurring" || terms.kind === "slices"
    ? "Leave limit_price out: then each order is a market order."
    : "Use kind stop with limit_price, whose order rests there, or an alert.";
}
