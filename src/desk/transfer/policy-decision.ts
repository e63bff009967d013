/**
 * Whether a transfer is allowed: one pure function, asked when it is about to be sent. Entry point: `decideTransfer`.
 *
 * Invariants: without a section of its own in the policy nothing of a family is paid or remitted; the first rule that denies speaks,
 * in the order of `TRANSFER_RULES`; an approval lifts no rule. Taking a remittance back is no matter of policy: as the cancel of an
 * order it only takes risk away, so it does not come here.
 *
 * Source: architecture.md#rule-2, architecture.md#rule-3; decision 0016.
 */

import type { Unit } from "../../contract/index.ts";
import { formatAmount, inUnit, rate, type Value } from "../../decimal/index.ts";
import { sumSettingName } from "../../policy/index.ts";
import type { Policy, TransferRules } from "../model/policy.ts";
import type { Environment } from "../model/submission.ts";
import type { TransferTask } from "../model/transfer.ts";
import { familyOf } from "../model/transfer-task.ts";
import type { TransferUsage } from "../ports/transfer.ts";
import { otherUnitFinding } from "../risk/other-unit.ts";

/** Every rule that can deny, in order of precedence. */
export const TRANSFER_RULES = [
  "environment",
  "brake",
  "mode",
  "section",
  "country",
  "size",
  "day_budget",
  // Last, as a quote is judged before anybody is named.
  "beneficiary",
] as const;

type TransferRule = (typeof TRANSFER_RULES)[number];

export interface TransferQuestion {
  readonly environment: { readonly ofTask: Environment; readonly ofVenue: Environment };
  readonly task: TransferTask;
  /** Undefined where there is no price to value it by. */
  readonly value: Value | undefined;
  /** Without the transfer itself. */
  readonly usage: TransferUsage;
  readonly approved: boolean;
}

interface Finding {
  readonly figure: string;
  readonly limit: string;
  /** For a person: what is wrong and what to do; ends without a full stop. */
  readonly message: string;
}

export type TransferVerdict =
  | { readonly kind: "allow" }
  | { readonly kind: "ask"; readonly why: string }
  | { readonly kind: "deny"; readonly rule: TransferRule; readonly finding: Finding };

const HUNDRED = rate("100");

interface Case extends TransferQuestion {
  readonly policy: Policy;
  readonly section: "payments" | "remittances";
  readonly rules: TransferRules | undefined;
}

export function decideTransfer(policy: Policy, question: TransferQuestion): TransferVerdict {
  const section = familyOf(question.task.kind) === "payment" ? "payments" : "remittances";
  const at: Case = { ...question, policy, section, rules: policy[section] };
  for (const rule of TRANSFER_RULES) {
    const finding = CHECKS[rule](at);
    if (finding !== undefined) return { kind: "deny", rule, finding };
  }
  const why = question.approved ? undefined : reasonToAsk(at);
  return why === undefined ? { kind: "allow" } : { kind: "ask", why };
}

const CHECKS: Readonly<Record<TransferRule, (at: Case) => Finding | undefined>> = {
  environment: ({ environment: { ofTask, ofVenue } }) =>
    ofTask === ofVenue
      ? undefined
      : { figure: ofTask, limit: ofVenue, message: `it was made for ${ofTask}, and this is ${ofVenue}` },
  brake: ({ usage: { killSwitch } }) =>
    killSwitch && { figure: "on", limit: "off", message: "trading is halted, so no money leaves" },
  mode: ({ policy: { mode } }) =>
    mode === "read-only" ? { figure: mode, limit: "confirm", message: "the policy is read-only" } : undefined,
  section: ({ rules, section, policy: { unit } }) =>
    rules === undefined
      ? {
          figure: "absent",
          limit: `[${section}]`,
          message: `the file policy.toml has no section [${section}]; a person has to add it, with ${sumSettingName("max", unit)} and ${sumSettingName("max_day", unit)}`,
        }
      : undefined,
  country: ({ policy: { remittances }, task }) => {
    if (task.kind !== "send_remittance" || remittances === undefined) return undefined;
    const limit = remittances.countries.join(", ");
    // The exchange's word and the caller's.
    const countries = [task.quote.destination_country, task.send.beneficiary.country];
    const country = countries.find((each) => !remittances.countries.includes(each));
    return country === undefined
      ? undefined
      : { figure: country, limit, message: `money goes to ${limit} only (remittances.countries)` };
  },
  beneficiary: ({ policy: { remittances }, task }) => {
    if (task.kind !== "send_remittance" || remittances?.beneficiaries === undefined) return undefined;
    return remittances.beneficiaries.includes(payeeOf(task.send.beneficiary))
      ? undefined
      : {
          figure: "another",
          limit: "the list",
          message: "the beneficiary is not one of those that policy.toml names (remittances.beneficiaries)",
        };
  },
  size: ({ rules, value, section, policy: { unit } }) => {
    if (rules === undefined || value?.lte(rules.max) === true) return undefined;
    const limit = rules.max.toString();
    return value === undefined
      ? {
          figure: "unknown",
          limit,
          message: `there is no price in ${unit} to count it by (both sides of the asset's book are needed)`,
        }
      : over({ figure: value, limit: rules.max, section, setting: "max", unit });
  },
  day_budget: ({ rules, value, usage, section, policy: { unit } }) => {
    if (rules === undefined || value === undefined) return undefined;
    const others = usage.unit ?? unit;
    if (others !== unit) return otherUnitFinding(others, unit);
    const total = inUnit(usage.day).plus(value);
    return total.lte(rules.maxDay)
      ? undefined
      : over({ figure: total, limit: rules.maxDay, section, setting: "max_day", unit });
  },
};

interface Over {
  readonly figure: Value;
  readonly limit: Value;
  readonly section: string;
  readonly setting: "max" | "max_day";
  readonly unit: Unit;
}

function over({ figure, limit, section, setting, unit }: Over): Finding {
  const name = `${section}.${sumSettingName(setting, unit)}`;
  return {
    figure: figure.toString(),
    limit: limit.toString(),
    message: `it comes to ${formatAmount(figure, unit)}, and ${name} allows ${formatAmount(limit, unit)}`,
  };
}

/** How the policy names a beneficiary. */
function payeeOf({ bank_code, account }: { readonly bank_code: string; readonly account: string }): string {
  return `${bank_code}/${account}`;
}

/** A payment whose rate takes more than the bill is worth, by more than the collar: a person has to see that. */
function overpaidBy({ priceCollar, unit }: Policy, task: TransferTask, value: Value | undefined): string | undefined {
  if (task.kind !== "confirm_payment" || value === undefined || priceCollar === "off") return undefined;
  const bill = inUnit(task.quote.amount);
  if (value.lte(bill.plus(bill.scale(priceCollar)))) return undefined;
  const limit = priceCollar.scale(HUNDRED).toString();
  return `what is paid is worth ${formatAmount(value, unit)}, and the bill is ${formatAmount(bill, unit)}: further apart than price_collar_pct ${limit}`;
}

function reasonToAsk({ policy, rules, value, task, section }: Case): string | undefined {
  const overpaid = overpaidBy(policy, task, value);
  if (overpaid !== undefined) return overpaid;
  if (policy.mode !== "bounded") return `mode is ${policy.mode}: a person approves every one of the ${section}`;
  if (task.kind === "send_remittance" && policy.remittances?.beneficiaries === undefined)
    return "policy.toml names no beneficiaries who get money without a person";
  if (rules !== undefined && value?.lte(rules.approvalOver) === true) return undefined;
  const { unit } = policy;
  const limit = rules?.approvalOver ?? inUnit("0");
  return `it comes to ${value === undefined ? "more" : formatAmount(value, unit)}, more than ${section}.${sumSettingName("approval_over", unit)} ${formatAmount(limit, unit)}`;
}
