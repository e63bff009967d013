/**
 * The pre-trade check: every order passes it at send time, whichever way it came.
 *
 * `assess` gathers the facts (policy file, market, fresh book, budgets, kill switch) and applies the policy; `recheck` applies it once
 * more inside the transaction that takes the budgets, where nothing can change any more.
 *
 * Source: architecture.md#rule-2, architecture.md#rule-3.
 */

import {
  defined,
  type Fault,
  failed,
  localFault,
  type Market,
  type Order,
  ok,
  onFirstUse,
  type Result,
} from "../../contract/index.ts";
import type { Quantity, Value } from "../../decimal/index.ts";
import { approvalLapse } from "../approval/approval-validity.ts";
import { attempt, withTimeout } from "../core/attempt.ts";
import { type DeskContext, exchangeNow } from "../core/context.ts";
import { isFresh } from "../market/current-book.ts";
import { type JudgedMarket, judgedMarket, judgedMarketBeside, marketCase } from "../market/judged-market.ts";
import { type MarketSnapshot, snapshotPrice } from "../market/order-value.ts";
import type { AccountUsage } from "../model/account-usage.ts";
import type { IntentBody } from "../model/intent.ts";
import {
  type Denial,
  type OrderOfPlan,
  POLICY_FILE,
  type Policy,
  type PolicyQuestion,
  type Verdict,
} from "../model/policy.ts";
import { openVolumeOf, usageWithout } from "../model/replaced-order.ts";
import { DayLoss, lossStillRead } from "../portfolio/day-loss.ts";
import type { SentSince } from "../ports/journal.ts";
import { type Holding, heldStill, holdingOf, isMoneyLimit } from "./held-sell.ts";
import { type OfStep, orderOfPlan } from "./order-of-plan.ts";
import { asksForHolding } from "./plan-rules.ts";
import { decide } from "./policy-decision.ts";
import { policyLine } from "./policy-line.ts";
import { haltDenial } from "./policy-rules.ts";
import { clockFault } from "./standstill.ts";

/** The open protections that a sell leaves too few free coins, and how many; absent where that is not known. */
export interface LeftShort {
  readonly plans: readonly string[];
  readonly rest?: { readonly free: Quantity; readonly needed: Quantity; readonly base: string };
}

/** Holds what the check found out about one order. */
export interface Assessment extends MarketSnapshot {
  readonly policy: Policy;
  readonly verdict: Verdict;
  readonly market: Market;
  /** Keeps what it was judged by. */
  readonly seen: JudgedMarket;
  /** Tells what the order counts for in the budgets, in the unit of account; "0" where it cannot be valued, which is denied. */
  readonly countsFor: string;
  /** Where no person is asked about that. */
  readonly leavesShort?: LeftShort;
  /** Where the verdict denies by what could not be read: why that was. */
  readonly unread?: Fault;
  /** Applies the policy again, to the account's usage at that moment and what else was sent. @returns why the order may not be sent */
  readonly recheck: (usage: AccountUsage, sentSince: SentSince) => Fault | undefined;
  /** The moments since which `recheck` asks what was sent. */
  readonly sinceMs: readonly number[];
  /**
   * The same by a book of now, where this one has become too old while the request waited for its turn. No signed call leaves for it: the turn is held.
   * @returns this one where its book is recent enough, and where none can be had in time
   */
  readonly renewed: () => Promise<Assessment>;
}

/** Bounds how long a turn is held for a book: well below its lease, which others wait for. */
const RENEWAL_MS = 1_000;

export class PreTradeCheck {
  readonly #context: DeskContext;
  readonly #dayLoss: () => DayLoss;

  constructor(context: DeskContext, dayLoss: () => DayLoss = onFirstUse(() => new DayLoss(context))) {
    this.#context = context;
    this.#dayLoss = dayLoss;
  }

  /**
   * @param of the step of a plan that it comes of
   * @param gone an open order that will be canceled before this one is sent: what it locks and counts for is taken to be free again
   * @returns a fault where the order cannot be assessed; then it may not be sent either
   */
  async assess(body: IntentBody, gone?: Order, of?: OfStep): Promise<Result<Assessment>> {
    const { clock, journal, policy: source } = this.#context.parts;
    const policy = source.read();
    if (!policy.ok) return policy;
    const offset = clockFault(this.#context);
    if (offset !== undefined) return failed(offset);
    const market = await this.#context.market(body.order.symbol, "proposed");
    if (!market.ok) return market;
    // Before the book, which must be fresh.
    const loss = await this.#lossIfLimited(policy.value);
    const account = this.#context.journalAccount();
    const plan = of === undefined ? ok(undefined) : await orderOfPlan(this.#context, of);
    if (!plan.ok) return plan;
    const ahead = { offsetMs: this.#offsetMs, ...(of !== undefined && { except: of }) };
    // The old order is asked for behind the usage: what has ended meanwhile does not count twice as gone.
    const used = () =>
      Promise.all([journal.usage(account, clock.now(), ahead), gone && journal.byOrderId(account, gone.orderId)]);
    const judged = await judgedMarketBeside(this.#context, market.value.symbol, policy.value, used);
    if (!judged.ok) return judged;
    const [seen, [counted, old]] = judged.value;
    if (!counted.ok) return counted;
    if (old?.ok === false) return old;
    const usage = gone === undefined ? counted.value : usageWithout(counted.value, old?.value, gone);
    const known = { body, market: market.value, ...seen, ...loss, plan: plan.value };
    const facts = await this.#withHolding(known, policy.value, usage, gone);
    return ok(this.#judged(facts, policy.value, usage));
  }

  #judged(facts: Facts, policy: Policy, usage: AccountUsage): Assessment {
    const { clock, policy: source } = this.#context.parts;
    const { body, market, book: whole, own, ownOrders, tradedPrice } = facts;
    // The order and the market that it is judged by stay as they are: worked out once, for the second look too.
    const shown = marketCase({ ...facts, order: body.order }, policy.unit);
    const { value, book } = shown;
    const snapshot: MarketSnapshot = { price: snapshotPrice(market, body.order, book ?? whole), value };
    const verdict = inFull(decide(policy, this.#question(facts, usage, facts.holding?.available), shown), facts);
    const assessment: Assessment = {
      ...snapshot,
      ...defined({ unread: unreadBy(verdict, facts) }),
      market,
      seen: { book: whole, own, ownOrders, tradedPrice },
      policy,
      verdict,
      countsFor: value?.toString() ?? "0",
      sinceMs: facts.holding === undefined ? [] : [facts.holding.sinceMs],
      recheck: (now, sentSince) => {
        // The file may have changed while the request waited for its turn.
        const current = source.read();
        if (!current.ok) return current.fault;
        const offset = clockFault(this.#context);
        if (offset !== undefined) return offset;
        const { approval } = body;
        const lapse = approval && approvalLapse(approval, current.value, snapshot, clock.now());
        const held = facts.holding && heldStill(facts.holding, sentSince);
        const again = decide(current.value, this.#question(facts, now, held), shown);
        return lapse ?? denialOf(inFull(again, facts), current.value);
      },
      renewed: async () => {
        const current = source.read();
        if (!current.ok || isFresh(whole, clock.now(), current.value.bookMaxAgeMs)) return assessment;
        const asked = judgedMarket(this.#context, market.symbol, current.value);
        const seen = await withTimeout(clock, RENEWAL_MS, asked);
        return seen?.ok === true ? this.#judged({ ...facts, ...seen.value }, policy, usage) : assessment;
      },
    };
    return assessment;
  }

  /** The denial of every order while trading is halted; undefined where it is not, or where the store cannot tell. */
  async haltFault(): Promise<Fault | undefined> {
    const { value: engaged } = await attempt(() => this.#context.parts.killSwitch.state());
    const record = engaged ?? this.#context.localKillSwitch;
    return record && denialFault(haltDenial(record));
  }

  /** The venue is asked what is held only where it matters: of a sell that a limit denies, and that may go over it. */
  async #withHolding(facts: Facts, policy: Policy, usage: AccountUsage, gone?: Order): Promise<Facts> {
    const { market, body } = facts;
    if (body.order.side !== "sell") return facts;
    if (asksForHolding(facts)) return { ...facts, ...defined({ holding: await holdingOf(this.#context, market) }) };
    const verdict = decide(policy, this.#question(facts, usage));
    if (verdict.kind !== "deny") return facts;
    const { rule } = verdict.denial;
    if (rule !== "day_loss" && (policy.overLimitSells === "deny" || !isMoneyLimit(rule))) return facts;
    const holding = await holdingOf(this.#context, market);
    if (holding === undefined || gone === undefined) return { ...facts, ...defined({ holding }) };
    return { ...facts, holding: { ...holding, available: holding.available.plus(openVolumeOf(gone)) } };
  }

  /** Where it cannot be counted the limit counts as reached; `lossFault` says why. */
  async #lossIfLimited({ maxDayLoss }: Policy): Promise<Pick<Facts, "dayLoss" | "lossFault">> {
    if (maxDayLoss === "off") return {};
    const loss = await this.#dayLoss().read();
    return loss.ok ? { dayLoss: loss.value } : { lossFault: loss.fault };
  }

  get #offsetMs(): number {
    const { parts } = this.#context;
    return parts.venue.clockOffsetMs() ?? 0;
  }

  #question(
    { body, market, book, ownOrders, tradedPrice, dayLoss, plan }: Facts,
    usage: AccountUsage,
    held?: Quantity,
  ): PolicyQuestion {
    const { clock, venue } = this.#context.parts;
    const { approval } = body;
    return {
      environment: { ofOrder: body.environment, ofVenue: venue.environment },
      market,
      order: body.order,
      book,
      ownOrders,
      tradedPrice,
      nowMs: clock.now(),
      accountUsage: { ...usage, killSwitch: usage.killSwitch ?? this.#context.localKillSwitch },
      // A mandate is a person's yes, to no limit.
      approved: plan !== undefined || approval?.approvedBy !== undefined,
      ...defined({ approvedOver: plan === undefined ? approval?.over : [], held, dayLoss }),
      ...(plan !== undefined && { plan: { ...plan, exchangeMs: exchangeNow(this.#context) } }),
    };
  }
}

interface Facts extends JudgedMarket {
  readonly body: IntentBody;
  readonly market: Market;
  readonly holding?: Holding;
  readonly dayLoss?: Value | undefined;
  readonly lossFault?: Fault;
  readonly plan?: OrderOfPlan | undefined;
}

/** A loss that is not known as its trades are still being read is no reason for the rest of the day. */
function inFull(verdict: Verdict, { lossFault }: Pick<Facts, "lossFault">): Verdict {
  const message = lossFault && lossStillRead(lossFault);
  if (message === undefined || verdict.kind !== "deny" || verdict.denial.rule !== "day_loss") return verdict;
  return { ...verdict, denial: { ...verdict.denial, message } };
}

/** A day's loss that could not be counted denies as one that is too large, and so does one that is where it is not known whether the coins to sell are held. */
function unreadBy(verdict: Verdict, { lossFault, body, holding }: Facts): Fault | undefined {
  if (verdict.kind !== "deny" || verdict.denial.rule !== "day_loss") return undefined;
  if (lossFault !== undefined || body.order.side === "buy" || holding !== undefined) return lossFault;
  return localFault("ELocal:Not checked", { message: "What is held could not be read. Nothing was sent." });
}

/** Why an order may not be sent by this verdict of a policy; undefined when it may. */
export function denialOf(verdict: Verdict, policy: Policy): Fault | undefined {
  switch (verdict.kind) {
    case "allow":
      return undefined;
    case "deny":
      return denialFault(verdict.denial, policyLine(verdict.denial.rule, policy));
    case "ask":
      return localFault("ELocal:Not approved", {
        message: `A person has to approve this order: ${verdict.why}. Nothing was sent.`,
      });
    default:
      return verdict satisfies never;
  }
}

const DO_AS_SAID = "Do what the message says, or leave the order; only a person changes";

/** @param line of `policy.toml`, by which the rule goes; undefined where no setting would allow the order */
export function denialFault({ rule, figure, limit, message, field }: Denial, line?: string): Fault {
  return localFault(rule === "brake" ? "ELocal:Trading halted" : "ELocal:Denied by policy", {
    message: `${message.charAt(0).toUpperCase()}${message.slice(1)}. Nothing was sent.`,
    rule,
    figure,
    limit,
    ...(line === undefined ? {} : { nextAction: `${DO_AS_SAID} the line ${line} in ${POLICY_FILE}.` }),
    ...defined({ field }),
  });
}
