/** What every order of a plan would be refused for, whatever it is: that is said when the plan is made, not when it is needed. */
import { type Fault, localFault, type Market } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import type { Policy } from "../model/policy.ts";
import { policyLine } from "../risk/policy-line.ts";
import { checkMarket, modeDenial } from "../risk/policy-rules.ts";
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
