/**
 * The policy as a caller may see it: every setting by its name in policy.toml, and in the file's units.
 */

import { defined } from "../../contract/index.ts";
import { shownSettings } from "../../policy/index.ts";
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
    ...transferRules(policy),
  };
}

function transferRules({ payments, remittances }: Policy): Pick<PolicyInForce, "payments" | "remittances"> {
  const named = remittances?.beneficiaries?.map(maskedPayee);
  return {
    ...(payments && { payments: limitsOf(payments) }),
    ...(remittances && {
      remittances: {
        ...limitsOf(remittances),
        countries: remittances.countries,
        ...defined({ beneficiaries: named }),
      },
    }),
  };
}

function limitsOf({ maxKrw, maxDayKrw, approvalOverKrw }: TransferRules): TransferRulesInForce {
  return {
    max_krw: maxKrw.toString(),
    max_day_krw: maxDayKrw.toString(),
    approval_over_krw: approvalOverKrw.toString(),
  };
}

/** `BANKCODE/…6789`. */
function maskedPayee(payee: string): string {
  const [bank = "", account = ""] = payee.split("/");
  return `${bank}/${maskedAccount(account)}`;
}
