/**
 * The policy as a caller may see it: every setting by its name in policy.toml, and in the file's units.
 */

import { defined, type Unit } from "../../contract/index.ts";
import { shownPlanSettings, shownSettings, sumSettingName } from "../../policy/index.ts";
import {
  POLICY_FILE,
  type Policy,
  type PolicyInForce,
  type TransferRules,
  type TransferRulesInForce,
} from "../model/policy.ts";
import { maskedAccount } from "../model/transfer-task.ts";

export function policyInForce(policy: Policy): PolicyInForce {
  return {
    file: POLICY_FILE,
    ...shownSettings(policy),
    plans: shownPlanSettings(policy),
    ...transferRules(policy),
  };
}

function transferRules({ payments, remittances, unit }: Policy): Pick<PolicyInForce, "payments" | "remittances"> {
  const named = remittances?.beneficiaries?.map(maskedPayee);
  return {
    ...(payments && { payments: limitsOf(payments, unit) }),
    ...(remittances && {
      remittances: {
        ...limitsOf(remittances, unit),
        countries: remittances.countries,
        ...defined({ beneficiaries: named }),
      },
    }),
  };
}

function limitsOf({ max, maxDay, approvalOver }: TransferRules, unit: Unit): TransferRulesInForce {
  return {
    [sumSettingName("max", unit)]: max.toString(),
    [sumSettingName("max_day", unit)]: maxDay.toString(),
    [sumSettingName("approval_over", unit)]: approvalOver.toString(),
  };
}

/** `BANKCODE/…6789`. */
function maskedPayee(payee: string): string {
  const [bank = "", account = ""] = payee.split("/");
  return `${bank}/${maskedAccount(account)}`;
}
