/**
 * The gate every order passes on its way out: the policy asked with what is true now, at send time, whichever way the order came.
 *
 * `weigh` gathers the facts (policy file, market, fresh book, budgets, brake) and judges; `admit` judges once more inside the
 * transaction that takes the budgets, where nothing can change under it any more.
 *
 * Source: architecture rules 2 and 3.
 */
import { type CreateOrderBody, type Fault, localFault, type Market, ok, type Result } from "../contract/index.ts";
import {
  averagePrice,
  MAX_FRACTION_DIGITS,
  type Notional,
  notional,
  notionalOf,
  price,
  quantity,
} from "../decimal/index.ts";
import { hasRunOut } from "./approval-terms.ts";
import { currentBook } from "./books.ts";
import { type DeskContext, stored } from "./context.ts";
import { decide } from "./policy.ts";
import type { JudgedBook, Policy, Question, Refusal, Verdict } from "./policy-terms.ts";
import type { ApprovalTerms, IntentBody } from "./ports.ts";
import type { Standing } from "./standing.ts";
import { marketFill, orderValue, quotesOf } from "./valuation.ts";

const ONE = quantity("1");
const ONE_KRW = notional("1");

/** What was seen of the market, for one order. */
export interface Seen {
  /**
   * What drift is measured by, with at most 8 decimals: for an order with a price the middle of the book, or the best of its one side;
   * for a market order what it would trade at on average. Null without such a price.
   */
  readonly priceSeen: string | null;
  /** Undefined where it cannot be valued. */
  readonly value: Notional | undefined;
}

/** What the gate found out about one order. */
export interface Weighed extends Seen {
  readonly policy: Policy;
  readonly verdict: Verdict;
  /** What the order counts for in the budgets, whole KRW; "0" where it cannot be valued, which is denied. */
  readonly valueKrw: string;
  /** Judges again by how the account stands at that moment. @returns why it may not go */
  readonly admit: (standing: Standing) => Fault | undefined;
}

export class Gate {
  private readonly context: DeskContext;

  constructor(context: DeskContext) {
    this.context = context;
  }

  /** @returns a fault where it cannot be judged; then nothing may be sent either. */
  async weigh(body: IntentBody): Promise<Result<Weighed>> {
    const { clock, journal, policy: source } = this.context.parts;
    const policy = source.read();
    if (!policy.ok) return policy;
    const market = await this.context.market(body.order.symbol);
    if (!market.ok) return market;
    const book = await currentBook(this.context, market.value.symbol, policy.value.bookMaxAgeMs);
    if (!book.ok) return book;
    const standing = await stored(() => journal.standing(this.context.journalAccount(), clock.now()));
    if (!standing.ok) return standing;
    const facts = { body, market: market.value, book: book.value };
    const value = orderValue(market.value, body.order, book.value);
    const seen: Seen = { priceSeen: priceSeen(market.value, body.order, book.value), value };
    return ok({
      ...seen,
      policy: policy.value,
      verdict: this.judge(policy.value, facts, standing.value),
      valueKrw: value?.toString() ?? "0",
      admit: (now) => {
        // The file may have changed while the request waited for its turn.
        const current = source.read();
        if (!current.ok) return current.fault;
        const { approval } = body;
        const lapse = approval && approvalLapse(approval, current.value, seen, clock.now());
        return lapse ?? faultOf(this.judge(current.value, facts, now));
      },
    });
  }

  private judge(policy: Policy, { body, market, book }: Facts, standing: Standing): Verdict {
    const { clock, venue } = this.context.parts;
    const question: Question = {
      environment: { ofOrder: body.environment, ofVenue: venue.environment },
      market,
      order: body.order,
      book,
      nowMs: clock.now(),
      standing: { ...standing, brake: standing.brake ?? this.context.brakeHere },
      approved: body.approval?.approvedBy !== undefined,
    };
    return decide(policy, question);
  }
}

interface Facts {
  readonly body: IntentBody;
  readonly market: Market;
  readonly book: JudgedBook;
}

/** Why an order may not go by this verdict; undefined when it may. */
export function faultOf(verdict: Verdict): Fault | undefined {
  switch (verdict.kind) {
    case "allow":
      return undefined;
    case "deny":
      return refusalFault(verdict.refusal);
    case "ask":
      return localFault("ELocal:Not approved", {
        message: `A person has to approve this order: ${verdict.why}. Nothing was sent.`,
      });
    default:
      return verdict satisfies never;
  }
}

function refusalFault({ rule, figure, limit, message, field }: Refusal): Fault {
  return localFault(rule === "brake" ? "ELocal:Trading halted" : "ELocal:Denied by policy", {
    message: `${message.charAt(0).toUpperCase()}${message.slice(1)}. Nothing was sent.`,
    rule,
    figure,
    limit,
    ...(field === undefined ? {} : { field }),
  });
}

/**
 * Why an approval does not stand any more: it has run out, came a way that is not taken now, or the market has moved since by
 * more than the policy allows, or what the order counts for has grown by more.
 */
export function approvalLapse(terms: ApprovalTerms, policy: Policy, now: Seen, nowMs: number): Fault | undefined {
  if (hasRunOut(terms, nowMs)) return notApproved("The approval has expired.");
  const { approvedBy } = terms;
  if (approvedBy !== undefined && !policy.approveBy.includes(approvedBy))
    return notApproved(`The policy does not take approval by ${approvedBy} any more (approve_by).`);
  return priceLapse(terms.priceSeen, now.priceSeen, policy) ?? valueLapse(terms.valueKrw, now.value, policy);
}

function priceLapse(then: string | null, now: string | null, { approvalDrift }: Policy): Fault | undefined {
  if (then === null || now === null)
    return then === now ? undefined : notApproved("The market has moved since it was asked for.");
  const [before, after] = [price(then), price(now)];
  const moved = after.gt(before) ? after.minus(before) : before.minus(after);
  if (moved.lte(before.scale(approvalDrift))) return undefined;
  return notApproved(
    `The market has moved from ${then} to ${now} since it was asked for, more than approval_drift_pct allows.`,
  );
}

/** Both are rounded up to whole KRW. What the order counts for may fall. */
function valueLapse(thenKrw: string, now: Notional | undefined, { approvalDrift }: Policy): Fault | undefined {
  const then = notional(thenKrw);
  if (now === undefined || now.lte(then.plus(then.scale(approvalDrift)).plus(ONE_KRW))) return undefined;
  return notApproved(
    `It counts for ${now.toString()} KRW now and did for ${thenKrw} KRW when it was asked for: it has grown by more than approval_drift_pct allows.`,
  );
}

function notApproved(why: string): Fault {
  return localFault("ELocal:Not approved", {
    message: `${why} Nothing was sent.`,
    nextAction: "If it is still wanted, ask for it anew, without a userref or with another one.",
  });
}

/** The price of `Seen`. */
export function priceSeen(market: Market, order: CreateOrderBody, book: JudgedBook): string | null {
  const { bid, ask, mid } = quotesOf(book);
  const seen = order.price === undefined ? marketFill(market, order, book).averagePrice : (mid ?? bid ?? ask);
  // A mid may have one decimal more than any price.
  return seen === undefined
    ? null
    : averagePrice(notionalOf(seen, ONE), ONE, MAX_FRACTION_DIGITS, "half_even").toString();
}
