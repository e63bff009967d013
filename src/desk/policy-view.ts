/**
 * The policy as a caller may see it: every setting by its name in policy.toml, and in the file's units.
 */
import { type Rate, rate } from "../decimal/index.ts";
import type { Policy } from "./policy-terms.ts";
import type { TransferRules } from "./transfer/policy.ts";
import { maskedAccount } from "./transfer/task.ts";

/** What is in force, given or by default. */
export interface PolicyInForce {
  readonly mode: string;
  readonly markets: readonly string[];
  readonly order_types: readonly string[];
  readonly times_in_force: readonly string[];
  readonly max_order_krw: string;
  readonly max_day_krw: string;
  readonly max_open_orders: number;
  readonly max_open_krw: string;
  readonly max_orders_per_minute: number;
  readonly price_collar_pct: string;
  readonly max_slippage_pct: string;
  readonly approval_over_krw: string;
  readonly approval_ttl_s: number;
  readonly approval_drift_pct: string;
  readonly approve_by: readonly string[];
  readonly book_max_age_ms: number;
  /** Absent where nothing may be paid. */
  readonly payments?: TransferRulesInForce;
  /** Absent where nothing may be remitted. */
  readonly remittances?: TransferRulesInForce & {
    readonly countries: readonly string[];
    /** The last of each account; absent where anybody may get money, with a person's yes. */
    readonly beneficiaries?: readonly string[];
  };
}

interface TransferRulesInForce {
  readonly max_krw: string;
  readonly max_day_krw: string;
  readonly approval_over_krw: string;
}

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
    max_orders_per_minute: policy.maxOrdersPerMinute,
    price_collar_pct: percentage(policy.priceCollar),
    max_slippage_pct: percentage(policy.maxSlippage),
    approval_over_krw: policy.approvalOverKrw.toString(),
    approval_ttl_s: policy.approvalTtlMs / 1000,
    approval_drift_pct: percentage(policy.approvalDrift),
    approve_by: policy.approveBy,
    book_max_age_ms: policy.bookMaxAgeMs,
    ...transferRules(policy),
  };
}

function transferRules({ payments, remittances }: Policy): Pick<PolicyInForce, "payments" | "remittances"> {
  const named = remittances?.beneficiaries?.map(maskedPayee);
  return {
    ...(payments === undefined ? {} : { payments: limitsOf(payments) }),
    ...(remittances === undefined
      ? {}
      : {
          remittances: {
            ...limitsOf(remittances),
            countries: remittances.countries,
            ...(named === undefined ? {} : { beneficiaries: named }),
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
