/** Names the line of `policy.toml` that a rule goes by, so that a person knows what to change and where. */
import { type SettingStem, settingName, shownSetting } from "../../policy/index.ts";
import type { Policy, Rule } from "../model/policy.ts";

/** Rules that go by no setting: what they find cannot be allowed. */
const SETTINGS = {
  mode: "mode",
  market: "markets",
  order_type: "order_types",
  time_in_force: "times_in_force",
  order_size: "max_order",
  book_age: "book_max_age_ms",
  price_collar: "price_collar_pct",
  slippage: "max_slippage_pct",
  orders_per_minute: "max_orders_per_minute",
  open_orders: "max_open_orders",
  open_exposure: "max_open",
  day_budget: "max_day",
  day_loss: "max_day_loss",
} as const satisfies Partial<Record<Rule, SettingStem>>;

/** @returns the line as it stands, or by default would: `max_order_krw = "1000000"` */
export function policyLine(rule: Rule, policy: Policy): string | undefined {
  if (!isSet(rule)) return undefined;
  const stem = SETTINGS[rule];
  return lineOf(settingName(stem, policy.unit), shownSetting(stem, policy));
}

export function lineOf(name: string, value: string | number | readonly string[]): string {
  return `${name} = ${Array.isArray(value) ? `[${value.map((each) => JSON.stringify(each)).join(", ")}]` : JSON.stringify(value)}`;
}

function isSet(rule: Rule): rule is keyof typeof SETTINGS {
  return rule in SETTINGS;
}
