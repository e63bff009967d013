/**
 * The steps of a probe that only look: each asks the exchange about one thing, and says whether the answer is what hoga takes it to be.
 *
 * Invariants: nothing is placed, canceled or changed; what an answer holds of balances is counted and not kept.
 */
import type { Fault, Market, Result, VenueCard } from "../../contract/index.ts";
import { price } from "../../decimal/index.ts";
import { type OrderPlan, orderPlan } from "./order-plan.ts";
import type { ProbeSay } from "./probe-words.ts";
import type { ProbedVenue } from "./probed-venue.ts";

/** `differs`: answered, and not as hoga takes it to be. `absent`: not there at this exchange. */
export type StepResult = "ok" | "differs" | "failed" | "absent";

export interface Finding {
  readonly result: StepResult;
  readonly note: (say: ProbeSay) => string;
  readonly fault?: Fault;
  /** What is kept in place of the note, where that has more in it than may be kept. */
  readonly kept?: string;
  /** How long it took, where a person was asked meanwhile. */
  readonly ms?: number;
}

export interface ReadContext {
  readonly venue: ProbedVenue;
  readonly card: VenueCard;
  readonly unit: string;
  readonly now: () => number;
  /** An id of ours that no order has. */
  readonly freshId: () => string;
  /** Those that the steps before have found. */
  markets: readonly Market[];
}

type Step = (context: ReadContext) => Promise<Finding>;

const DAY_MS = 86_400_000;
/** A clock that is further away than this would have orders denied. */
const CLOCK_APART_MS = 2_000;
/** An exchange that tells its time in the date of its answers alone tells whole seconds. */
const DATE_ERROR_MS = 1_000;
const KEY_ENDS_SOON_DAYS = 14;
/** Looked at first, where they are there. */
const WELL_KNOWN = ["BTC", "ETH", "XRP"];
const MARKETS_LOOKED_AT = 3;

export const READ_STEPS = {
  clock,
  markets,
  rules,
  book,
  balances,
  open_orders: openOrders,
  closed_orders: closedOrders,
  lookup,
  key,
  order_test: orderTest,
} as const satisfies Record<string, Step>;

export type ReadStepName = keyof typeof READ_STEPS;

/** Without them hoga does not work there. */
export const NOT_REQUIRED: readonly string[] = ["key", "order_test"];

function found(result: StepResult, note: Finding["note"]): Finding {
  return { result, note };
}

function failure(fault: Fault): Finding {
  return { result: "failed", note: () => fault.message, fault };
}

const noMarket = found("failed", (say) => say("probe.no_market"));

async function clock({ venue, card, now }: ReadContext): Promise<Finding> {
  // The first call opens the connection, which is no part of the way that is measured.
  const opened = await venue.time();
  if (!opened.ok) return failure(opened.fault);
  const askedAtMs = now();
  const time = await venue.time();
  if (!time.ok) return failure(time.fault);
  const roundMs = now() - askedAtMs;
  const aheadMs = Math.round(time.value.unix_ms - (askedAtMs + roundMs / 2));
  const errorMs = roundMs / 2 + (card.clock.source === "date_header" ? DATE_ERROR_MS : 0);
  const ms = String(Math.abs(aheadMs));
  const isApart = Math.abs(aheadMs) > CLOCK_APART_MS + errorMs;
  return found(isApart ? "differs" : "ok", (say) =>
    say(aheadMs < 0 ? "probe.clock.behind" : "probe.clock.ahead", { ms }),
  );
}

async function markets(context: ReadContext): Promise<Finding> {
  const listed = await context.venue.markets();
  if (!listed.ok) return failure(listed.fault);
  const ours = listed.value.filter(({ quote, status }) => quote === context.unit && status === "trading");
  const known = WELL_KNOWN.flatMap((base) => ours.find((market) => market.base === base) ?? []);
  context.markets = [...new Set([...known, ...ours])].slice(0, MARKETS_LOOKED_AT);
  const counts = { count: String(listed.value.length), ours: String(ours.length), unit: context.unit };
  return found(ours.length === 0 ? "failed" : "ok", (say) => say("probe.markets", counts));
}

/** Rules that are told market by market are compared with what the list of markets assumes. */
async function rules(context: ReadContext): Promise<Finding> {
  const { venue, card, markets: listed } = context;
  if (listed.length === 0) return noMarket;
  const names = listed.map(({ symbol }) => symbol).join(", ");
  if (card.market_rules !== "one_by_one" || venue.rules === undefined)
    return found("ok", (say) => say("probe.rules.listed", { names }));
  const told: Market[] = [];
  for (const market of listed) {
    const rule = await venue.rules(market);
    if (!rule.ok) return failure(rule.fault);
    told.push(rule.value);
  }
  const apart = listed.flatMap((market, at) => {
    const rule = told[at] ?? market;
    return [
      ...(rule.tick_size === market.tick_size ? [] : [`${market.symbol} tick ${rule.tick_size}`]),
      ...(rule.min_notional === market.min_notional ? [] : [`${market.symbol} minimum ${rule.min_notional}`]),
    ];
  });
  context.markets = told;
  if (apart.length === 0) return found("ok", (say) => say("probe.rules.told", { names }));
  return found("differs", (say) => say("probe.rules.apart", { apart: apart.join(", ") }));
}

async function book({ venue, markets: [market] }: ReadContext): Promise<Finding> {
  if (market === undefined) return noMarket;
  const { symbol } = market;
  const answer = await venue.orderbook(symbol, 15);
  if (!answer.ok) return failure(answer.fault);
  const { buys, asks } = answer.value.tick;
  const [[bid] = []] = buys;
  const [[ask] = []] = asks;
  if (bid === undefined || ask === undefined) return found("differs", (say) => say("probe.book.empty", { symbol }));
  if (price(bid).gte(price(ask))) return found("differs", (say) => say("probe.book.crossed", { symbol }));
  return found("ok", (say) => say("probe.book", { symbol, bids: String(buys.length), asks: String(asks.length) }));
}

async function balances({ venue }: ReadContext): Promise<Finding> {
  const held = await venue.accounts();
  if (!held.ok) return failure(held.fault);
  return found("ok", (say) => say("probe.balances", { count: String(held.value.balances.length) }));
}

async function openOrders({ venue }: ReadContext): Promise<Finding> {
  const page = await venue.orders({ state: "open" });
  if (!page.ok) return failure(page.fault);
  return found("ok", (say) => say("probe.open_orders", { count: String(page.value.orders.length) }));
}

async function closedOrders({ venue, now }: ReadContext): Promise<Finding> {
  const toMs = now();
  const page = await venue.orders({ state: "closed", fromMs: toMs - DAY_MS, toMs });
  if (!page.ok) return failure(page.fault);
  return found("ok", (say) => say("probe.closed_orders", { count: String(page.value.orders.length) }));
}

/** The exchange has to say of an id that nobody has used that there is no such order: by that word alone an absence is known. */
async function lookup({ venue, markets: [market], freshId }: ReadContext): Promise<Finding> {
  if (market === undefined) return noMarket;
  const answer = await venue.lookup({ userref: freshId(), symbol: market.symbol });
  if (!answer.ok) return failure(answer.fault);
  const { value } = answer;
  if (value.kind === "none") {
    const covers = [...value.covers].join(", ");
    return found("ok", (say) => say("probe.lookup.none", { covers }));
  }
  if (value.kind === "cannot_say") return found("failed", (say) => say("probe.lookup.cannot_say", { why: value.why }));
  return found("failed", (say) => say("probe.lookup.found"));
}

async function key({ venue, now }: ReadContext): Promise<Finding> {
  if (venue.keyFacts === undefined) return found("absent", (say) => say("probe.key.untold"));
  const told = await venue.keyFacts();
  if (!told.ok) return failure(told.fault);
  const { permissions, ends_at: end } = told.value;
  if (permissions === null && end === null) return found("absent", (say) => say("probe.key.untold"));
  const days = end === null ? Number.POSITIVE_INFINITY : Math.floor((Date.parse(end) - now()) / DAY_MS);
  const mayWithdraw = permissions?.some((right) => /withdraw|출금/i.test(right)) === true;
  const rights = permissions?.map(plain).join(", ");
  return found(mayWithdraw || days < KEY_ENDS_SOON_DAYS ? "differs" : "ok", (say) =>
    [
      ...(end === null ? [] : [say("probe.key.ends", { day: end.slice(0, 10), days: String(days) })]),
      rights === undefined ? say("probe.key.no_rights") : say("probe.key.rights", { rights }),
      ...(mayWithdraw ? [say("probe.key.withdraws")] : []),
    ].join(" "),
  );
}

/** A word of the exchange's, as text that does nothing to a terminal. */
function plain(text: string): string {
  return text.replace(/[^\p{L}\p{N}:_ .-]/gu, "?").slice(0, 60);
}

async function orderTest({ venue, markets: [market] }: ReadContext): Promise<Finding> {
  if (venue.validateOrder === undefined) return found("absent", (say) => say("probe.order_test.none"));
  if (market === undefined) return noMarket;
  const answer = await venue.orderbook(market.symbol, 1);
  if (!answer.ok) return failure(answer.fault);
  const plan = orderPlan(market, answer.value, "buy");
  if (plan === undefined) return found("differs", (say) => say("probe.book.empty", { symbol: market.symbol }));
  const tested = await tryOut(venue.validateOrder.bind(venue), plan);
  return tested.ok ? found("ok", (say) => say("probe.order_test")) : failure(tested.fault);
}

function tryOut(validate: NonNullable<ProbedVenue["validateOrder"]>, plan: OrderPlan): Promise<Result<unknown>> {
  const { symbol, side, price: limit, volume } = plan;
  return validate({ symbol, side, price: limit, volume, type: "limit", post_only: true });
}
