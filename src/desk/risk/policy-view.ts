/**
 * The policy as a caller may see it: every setting by its name in policy.toml, and in the file's units.
 */

import { defined } from "../../contract/index.ts";
import type { Rate } from "../../decimal/index.ts";
import { rate } from "../../decimal/index.ts";
import type { Policy, PolicyInForce, TransferRules, TransferRulesInForce } from "../model/policy.ts";
import { maskedAccount } from "../model/transfer-task.ts";

const HUNDRED = rate("100");

export function policyInForce(policy: Policy): PolicyInForce {
  return {
    mode: policy.mode,
    markets: policy.markets,
    order_types: policy.orderTypes,
    times_in_force: policy.timesInForce,
    max_order_krw: policy.maxOrderKrw.toString(),
    max_day_krw: policy.maxDayKrw.toString(),
    max_open_orders: policy.maxOpenOrders,
    max_open_krw: policy.maxOpenKrw.toString(),
    max_day_loss_krw: policy.maxDayLossKrw.toString(),
    day_loss_action: policy.dayLossAction,
    max_orders_per_minute: policy.maxOrdersPerMinute,
    price_collar_pct: percentage(policy.priceCollar),
    max_slippage_pct: percentage(policy.maxSlippage),
    approval_over_krw: policy.approvalOverKrw.toString(),
    approval_ttl_s: policy.approvalTtlMs / 1000,
    approval_drift_pct: percentage(policy.approvalDrift),
    approve_by: policy.approveBy,
    book_max_age_ms: policy.bookMaxAgeMs,
    over_limit_sells: policy.overLimitSells,
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

function percentage(setting: Rate | "off"): string {
  return setting === "off" ? setting : setting.scale(HUNDRED).toString();
}
