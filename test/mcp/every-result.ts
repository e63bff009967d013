/** Calls of every tool against a real sandbox that together bring out every form a result has, answers and failures. */
import { failed, localFault, ok } from "../../src/contract/index.ts";
import { inUnit } from "../../src/decimal/index.ts";
import { TOOLS } from "../../src/mcp/index.ts";
import type { ExchangeFixture } from "../fixture/exchange.ts";
import { LOOSE } from "../fixture/policy.ts";
import { sampleOf } from "../skills/taught-calls.ts";
import type { TestClient, ToolResult } from "./client.ts";

const BTC = { symbol: "BTC/KRW" };
const NOWHERE = { symbol: "nowhere" };
const NOBODY = { userref: "nobody" };
const LIMIT = { ...BTC, side: "buy", type: "limit", base_volume: "0.001", price: "50000000" };
const MARKET = { ...BTC, side: "buy", type: "market", quote_amount: "100000" };
/** Every field that an order may have. */
const WHOLE = {
  ...LIMIT,
  time_in_force: "GTC",
  post_only: true,
  userref: "result-1",
  compliance: {
    vasp_purpose_code: "P2B_TRADE",
    originator_vasp_id: "vasp-1",
    kyc_level: "TIER2",
    settlement_mode: "INSTANT_KRW",
  },
};
const WAITING = { ...WHOLE, userref: "result-3" };
const LOST = { ...LIMIT, userref: "result-2" };

export interface Seen extends ToolResult {
  readonly tool: string;
}

type Call = (tool: string, args?: object) => Promise<ToolResult>;

/** Leaves the relay closed. */
export async function everyResult(client: TestClient, exchange: ExchangeFixture): Promise<readonly Seen[]> {
  const seen: Seen[] = [];
  const call: Call = async (tool, args = {}) => {
    const result = await client.call(tool, args);
    seen.push({ tool, ...result });
    return result;
  };
  await looks(call);
  await orders(call);
  await refusals(call, exchange);
  await denials(call, exchange);
  await approvals(call, exchange);
  await safety(call, exchange);
  await plans(call);
  const answered = new Set(seen.filter(({ isError }) => !isError).map(({ tool }) => tool));
  for (const { name } of TOOLS.filter((tool) => !answered.has(tool.name))) await call(name, sampleOf(name));
  await lostAnswers(call, exchange);
  await unreachable(call, exchange);
  return seen;
}

async function looks(call: Call): Promise<void> {
  await call("get_markets");
  await call("get_markets", { search: "btc" });
  await call("get_ticker");
  await call("get_orderbook", { ...BTC, depth: 3, side: "buy", quote_amount: "100000" });
  await call("get_orderbook", { ...BTC, depth: 3, side: "buy", quote_amount: "0.1" });
  await call("get_candles", { ...BTC, interval: "1m", limit: 3, chart: true });
  await call("get_desk_status");
}

async function orders(call: Call): Promise<void> {
  await call("preview_order", WHOLE);
  await call("preview_order", { ...LIMIT, price: "100000001" });
  const { structured } = await call("preview_order", MARKET);
  const bought = await call("place_order", { draft_id: structured["draft_id"] });
  const { orderId: order_id } = bought.structured["order"] as { readonly orderId: string };
  await call("get_order", { order_id });
  await call("await_order", { order_id });
  await call("cancel_order", { order_id });
  await call("place_order", WHOLE);
  await call("place_order", WHOLE);
  await call("get_open_orders");
  await call("await_order", { userref: WHOLE.userref, timeout_s: 1 });
  const moved = await call("replace_order", { userref: WHOLE.userref, price: "49000000" });
  await call("replace_order", { userref: WHOLE.userref, price: "49000000" });
  await call("replace_order", { userref: WHOLE.userref, price: "48000000" });
  await call("cancel_order", { userref: moved.structured["userref"] });
  await call("place_order", LIMIT);
  await call("cancel_all_orders");
  await call("cancel_all_orders", BTC);
  await call("get_order_history", { limit: 1 });
  await call("get_trade_history");
  await call("get_portfolio");
  await call("get_portfolio", { period: "7d", method: "fifo", chart: true });
}

async function refusals(call: Call, { desk }: ExchangeFixture): Promise<void> {
  for (const { name } of TOOLS) await call(name, { nonsense: 1 });
  // The brake is never refused.
  await desk.resume("a test");
  const others = TOOLS.filter(({ name }) => name !== "place_order");
  for (const { name } of others.filter((tool) => "symbol" in Object(tool.inputJson()["properties"])))
    await call(name, { ...sampleOf(name), ...NOWHERE });
  for (const name of ["get_order", "await_order", "cancel_order"]) await call(name, NOBODY);
  await call("get_portfolio", { from: "2126-01-01" });
  await call("place_order", { ...LIMIT, ...NOWHERE });
  await call("place_order", { ...LIMIT, base_volume: "10" });
}

/** What the policy does not let through, or cannot judge. */
async function denials(call: Call, { policy }: ExchangeFixture): Promise<void> {
  policy.value = ok({ ...LOOSE, maxOrder: inUnit("1") });
  await call("preview_order", LIMIT);
  await call("place_order", LIMIT);
  policy.value = ok({ ...LOOSE, mode: "read-only" });
  await call("place_order", LIMIT);
  await call("get_desk_status");
  policy.value = failed(localFault("ELocal:Policy unreadable"));
  await call("preview_order", LIMIT);
  await call("place_order", LIMIT);
  await call("get_desk_status");
  policy.value = ok(LOOSE);
}

/** A person has to say yes; this client cannot ask one. */
async function approvals(call: Call, { policy, desk }: ExchangeFixture): Promise<void> {
  policy.value = ok({ ...LOOSE, mode: "confirm" });
  await call("preview_order", WAITING);
  await call("place_order", WAITING);
  await call("place_order", WAITING);
  await call("get_order", { userref: WAITING.userref });
  await call("await_order", { userref: WAITING.userref, until: "placed", timeout_s: 1 });
  await call("get_desk_status");
  await call("get_open_orders");
  await call("get_audit_log", { userref: WAITING.userref });
  await call("cancel_order", { userref: WAITING.userref });
  await call("place_order", WAITING);
  const asked = await call("place_order", MARKET);
  await desk.deny(String(asked.structured["intent_id"]));
  await call("get_order", { userref: asked.structured["userref"] });
  await call("await_order", { userref: asked.structured["userref"], until: "placed" });
  policy.value = ok(LOOSE);
}

async function safety(call: Call, { desk }: ExchangeFixture): Promise<void> {
  await call("set_cancel_timer", { timeout_s: 600 });
  await call("get_desk_status");
  await call("set_cancel_timer", { timeout_s: 1 });
  await call("set_cancel_timer", { timeout_s: 0 });
  const resting = await call("place_order", LIMIT);
  const { orderId: order_id } = resting.structured["order"] as { readonly orderId: string };
  await call("halt_trading", { reason: "results of every form" });
  await call("halt_trading");
  await call("place_order", LIMIT);
  await call("preview_order", LIMIT);
  await call("get_desk_status");
  await desk.resume("a test");
  await call("get_audit_log", { order_id });
  await call("get_audit_log", { limit: 500 });
  await call("get_audit_log", NOBODY);
}

async function plans(call: Call): Promise<void> {
  const alert = { kind: "alert", ...BTC, above: "+50%", note: "of every form" };
  await call("create_plan", { ...alert, preview: true });
  const made = await call("create_plan", alert);
  await call("create_plan", alert);
  const { plan_id } = made.structured["plan"] as { readonly plan_id: string };
  await call("list_plans");
  await call("list_plans", { plan_id });
  for (const action of ["pause", "resume", "cancel", "cancel", "resume"])
    await call("change_plan", { plan_id, action });
  await call("list_plans", { state: "ended", limit: 1 });
  await call("list_plans", { plan_id: "plan-nobody" });
  const turns = { kind: "recurring", ...BTC, quote_amount: "50000", schedule: "daily 09:00" };
  await call("create_plan", { ...turns, preview: true });
  const repeated = await call("create_plan", turns);
  const { plan_id: other } = repeated.structured["plan"] as { readonly plan_id: string };
  await call("list_plans", { plan_id: other });
  await call("get_desk_status");
  await call("change_plan", { plan_id: other, action: "cancel" });
  await call("change_plan", { plan_id: "plan-nobody", action: "cancel" });
  await call("get_audit_log", { limit: 20 });
}

async function lostAnswers(call: Call, { relay }: ExchangeFixture): Promise<void> {
  relay.loseAnswer(/^POST /);
  relay.loseRequests(/^GET \/v1\/orders/);
  await call("place_order", LOST);
  await call("get_desk_status");
  await call("await_order", { userref: LOST.userref, timeout_s: 1 });
  relay.loseRequests(/^DELETE /);
  await call("cancel_order", { userref: LOST.userref });
  await call("cancel_all_orders");
}

async function unreachable(call: Call, { relay }: ExchangeFixture): Promise<void> {
  await relay.close();
  await call("get_markets");
  await call("get_balances");
  await call("get_desk_status");
  await call("cancel_all_orders");
  await call("halt_trading");
}
