/**
 * What open protections have left to sell, and whether a sell by hand leaves them the coins for it.
 *
 * Invariants: what a protection has left is its volume less what its orders have executed, reckoned from these each time; coins that its own open order
 * locks are not needed a second time; an account without protections costs one read of the store; what is not known counts as too little.
 *
 * Source: decisions 0106 and 0114.
 */
import { defined, type Fault, localFault, type Market, type Order, ok, type Result } from "../../contract/index.ts";
import { formatAmount, type Quantity, quantity } from "../../decimal/index.ts";
import type { DeskContext } from "../core/context.ts";
import { marketFill } from "../market/order-value.ts";
import type { IntentBody, IntentRecord } from "../model/intent.ts";
import { mayRest } from "../model/order-body.ts";
import { inForce, isOfPlan, isOfStep, isProtection, waitsForBuy } from "../model/plan.ts";
import type { Verdict } from "../model/policy.ts";
import { openVolumeOf } from "../model/replaced-order.ts";
import { leftOf } from "./executed.ts";
import { type Holding, heldStill, holdingOf } from "./held-sell.ts";
import type { Assessment, LeftShort } from "./pre-trade-check.ts";

/** An open protection. */
export interface Covering {
  readonly planId: string;
  readonly symbol: string;
  /** Of its volume, what was not sold. Plain decimal text. */
  readonly left: string;
}

const NOTHING = quantity("0");

function sellsCoin(symbol: string, base: string): boolean {
  return symbol.startsWith(`${base}/`);
}

/** What protections of the coin have left, in whatever market they sell it. */
export function leftToSell(base: string, open: readonly Covering[], replaces?: string): Quantity {
  return open
    .filter(({ planId, symbol }) => planId !== replaces && sellsCoin(symbol, base))
    .reduce((sum, { left }) => sum.plus(quantity(left)), NOTHING);
}

/** What a sell by hand takes from protections. */
export interface TakenCase {
  readonly base: string;
  readonly available: Quantity;
  readonly open: readonly Covering[];
  /** Of the sell. */
  readonly volume: Quantity;
}

/** @returns undefined where it leaves enough */
export function plansLeftShort({ base, available, open, volume }: TakenCase): LeftShort | undefined {
  const needed = leftToSell(base, open);
  const free = available.lt(volume) ? NOTHING : available.minus(volume);
  if (free.gte(needed)) return undefined;
  const plans = open
    .filter(({ symbol, left }) => sellsCoin(symbol, base) && !quantity(left).isZero())
    .map(({ planId }) => planId);
  return { plans, rest: { free, needed, base } };
}

/** What the orders of a plan lock that have not ended. */
function lockedBy(children: readonly Pick<IntentRecord, "body" | "isLive">[]): Quantity {
  let locked = NOTHING;
  for (const { body, isLive } of children) {
    const { seen, order } = body;
    if (isLive) locked = locked.plus(seen === undefined ? quantity(order.volume ?? "0") : openVolumeOf(seen));
  }
  return locked;
}

export interface OpenProtection extends Covering {
  /** Of what is left, what its own order at the exchange locks. */
  readonly locked: string;
}

/**
 * Those that sell, or wait for a person to say how they go on: what waits for a yes or for a buy promises nothing yet, and what is paused guards nothing.
 * @param base of this coin alone
 */
export async function openProtections(
  { parts: { plans } }: Pick<DeskContext, "parts">,
  account: string,
  base: string,
): Promise<Result<readonly OpenProtection[]>> {
  const open = await plans?.open(account);
  if (plans === undefined || open === undefined) return ok([]);
  if (!open.ok) return open;
  const found: OpenProtection[] = [];
  for (const plan of open.value) {
    const { planId, state, terms } = inForce(plan);
    const isOn = (state === "active" || state === "attention") && !waitsForBuy(plan);
    if (!isProtection(terms) || !isOn || !sellsCoin(terms.symbol, base)) continue;
    const children = await plans.children(planId);
    if (!children.ok) return children;
    const [left, locked] = [leftOf(terms.volume, children.value), lockedBy(children.value)];
    found.push({ planId, symbol: terms.symbol, left: left.toString(), locked: locked.toString() });
  }
  return ok(found);
}

/**
 * The same assessment of an order by hand, with what it takes from protections. One that would rest locks coins away, which a person is asked about where the
 * policy says so; what executes at once sells them, and what is sold needs no protection.
 * @param gone an open order that is canceled before
 */
export async function besideProtections(
  context: DeskContext,
  body: IntentBody,
  assessment: Assessment,
  gone?: Order,
): Promise<Result<Assessment>> {
  const ofPlan = gone?.userref != null && isOfStep(gone.userref) ? gone.userref : undefined;
  if (body.order.side !== "sell" || (ofPlan === undefined && locksNoMore(body, gone))) return ok(assessment);
  const { base } = assessment.market;
  const found = await openProtections(context, context.journalAccount(), base);
  if (!found.ok) return found;
  // An order of a protection that is moved protects no more.
  const open = found.value.flatMap((each) =>
    stillNeeding(ofPlan !== undefined && isOfPlan(ofPlan, each.planId) ? { ...each, locked: "0" } : each),
  );
  if (open.length === 0) return ok(assessment);
  const holding = await holdingOf(context, assessment.market);
  const freed = gone === undefined ? NOTHING : openVolumeOf(gone);
  return ok(judgedBeside({ body, base, open, holding, freed }, assessment));
}

/** Of an order that is moved: the coins are locked as it is. */
function locksNoMore({ order }: IntentBody, gone: Order | undefined): boolean {
  return gone?.side === "sell" && quantity(order.volume ?? "0").lte(openVolumeOf(gone));
}

function stillNeeding({ planId, symbol, left, locked }: OpenProtection): readonly Covering[] {
  const [all, own] = [quantity(left), quantity(locked)];
  return own.gte(all) ? [] : [{ planId, symbol, left: all.minus(own).toString() }];
}

interface SellByHand {
  readonly body: IntentBody;
  readonly base: string;
  readonly open: readonly Covering[];
  readonly holding: Holding | undefined;
  /** By the cancel of what it takes the place of. */
  readonly freed: Quantity;
}

function judgedBeside(sell: SellByHand, assessment: Assessment): Assessment {
  const { holding, body } = sell;
  const { recheck, renewed, sinceMs, policy, verdict } = assessment;
  const isPersons =
    policy.plans.stopRemoval === "ask" && body.approval?.approvedBy === undefined && mayRest(body.order);
  const short = leftShort(sell, assessment, holding?.available);
  return {
    ...assessment,
    ...(isPersons && short !== undefined
      ? { verdict: alsoAsked(verdict, short.plans) }
      : defined({ leavesShort: short })),
    sinceMs: holding === undefined ? sinceMs : [...sinceMs, holding.sinceMs],
    recheck: (usage, sentSince) => {
      const fault = recheck(usage, sentSince);
      if (fault !== undefined || !isPersons) return fault;
      // What was sent since may have taken the coins that were free.
      const now = leftShort(sell, assessment, holding && heldStill(holding, sentSince));
      return now === undefined ? undefined : unapproved(now.plans);
    },
    renewed: async () => judgedBeside(sell, await renewed()),
  };
}

function leftShort(
  { body: { order }, base, open, freed }: SellByHand,
  { market, seen: { book } }: Pick<Assessment, "market" | "seen">,
  held: Quantity | undefined,
): LeftShort | undefined {
  if (held === undefined) return { plans: open.map(({ planId }) => planId) };
  const volume = order.volume === undefined ? marketFill(market, order, book).volume : quantity(order.volume);
  return plansLeftShort({ base, available: held.plus(freed), open, volume });
}

function alsoAsked(verdict: Verdict, short: readonly string[]): Verdict {
  switch (verdict.kind) {
    case "allow":
      return { kind: "ask", why: whyAsked(short), over: [] };
    case "ask":
      return { ...verdict, why: `${verdict.why}; ${whyAsked(short)}` };
    case "deny":
      return verdict;
    default:
      return verdict satisfies never;
  }
}

function whyAsked(plans: readonly string[]): string {
  return `it would lock away coins that open plans protect (${plans.join(", ")}), and leaves them too few`;
}

function unapproved(plans: readonly string[]): Fault {
  return localFault("ELocal:Not approved", {
    message: `A person has to approve this order: ${whyAsked(plans)}. Nothing was sent.`,
  });
}

/** What a plan is to sell of the coin of a market, in all. */
export interface PlannedSell {
  readonly market: Market;
  readonly volume: Quantity;
}

/**
 * What a person should know of a plan that sells, as nobody is asked about its orders later on. Sentences without a full stop.
 * @param replaces a plan that ends as it begins
 */
export async function plannedShortWarnings(
  context: DeskContext,
  account: string,
  sells: readonly PlannedSell[],
  replaces: string | null,
): Promise<Result<readonly string[]>> {
  const warnings: string[] = [];
  for (const { market, volume } of sells) {
    const { base } = market;
    const found = await openProtections(context, account, base);
    if (!found.ok) return found;
    const open = found.value.filter(({ planId }) => planId !== replaces).flatMap(stillNeeding);
    if (open.length === 0) continue;
    const holding = await holdingOf(context, market);
    const short =
      holding === undefined
        ? { plans: open.map(({ planId }) => planId) }
        : plansLeftShort({ base, available: holding.available, open, volume });
    if (short !== undefined) warnings.push(shortText(short));
  }
  return ok(warnings);
}

/** What a person should know of it, where nobody is asked. */
export function shortWarnings({ leavesShort }: Pick<Assessment, "leavesShort">): readonly string[] {
  return leavesShort === undefined ? [] : [`${shortText(leavesShort)}.`];
}

function shortText({ plans, rest }: LeftShort): string {
  const left = rest && `: ${formatAmount(rest.free, rest.base)} of ${formatAmount(rest.needed, rest.base)}`;
  return `Open plans protect these coins (${plans.join(", ")}), and this sell leaves them too few${left ?? ""}`;
}
