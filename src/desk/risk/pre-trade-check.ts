/**
 * The pre-trade check: every order passes it at send time, whichever way it came.
 *
 * `assess` gathers the facts (policy file, market, fresh book, budgets, kill switch) and applies the policy; `recheck` applies it once
 * more inside the transaction that takes the budgets, where nothing can change any more.
 *
 * Source: architecture.md#rule-2, architecture.md#rule-3.
 */

import { defined, type Fault, localFault, type Market, ok, type Result } from "../../contract/index.ts";
import { approvalLapse } from "../approval/approval-validity.ts";
import type { DeskContext } from "../core/context.ts";
import { attempt } from "../core/store-result.ts";
import { currentBook } from "../market/current-book.ts";
import type { MarketSnapshot } from "../market/market-snapshot.ts";
import { snapshotPrice } from "../market/market-snapshot.ts";
import { orderValue } from "../market/order-value.ts";
import type { AccountUsage } from "../model/account-usage.ts";
import type { IntentBody } from "../model/intent.ts";
import type { Denial, JudgedBook, Policy, PolicyQuestion, Verdict } from "../model/policy.ts";
import { decide } from "./policy-decision.ts";
import { haltDenial } from "./policy-rules.ts";

/** What the check found out about one order. */
export interface Assessment extends MarketSnapshot {
  readonly policy: Policy;
  readonly verdict: Verdict;
  /** What the order counts for in the budgets, whole KRW; "0" where it cannot be valued, which is denied. */
  readonly valueKrw: string;
  /** Applies the policy again, to the account's usage at that moment. @returns why the order may not be sent */
  readonly recheck: (usage: AccountUsage) => Fault | undefined;
}

export class PreTradeCheck {
  readonly #context: DeskContext;

  constructor(context: DeskContext) {
    this.#context = context;
  }

  /** @returns a fault where the order cannot be assessed; then it may not be sent either */
  async assess(body: IntentBody): Promise<Result<Assessment>> {
    const { clock, journal, policy: source } = this.#context.parts;
    const policy = source.read();
    if (!policy.ok) return policy;
    const market = await this.#context.market(body.order.symbol);
    if (!market.ok) return market;
    const book = await currentBook(this.#context, market.value.symbol, policy.value.bookMaxAgeMs);
    if (!book.ok) return book;
    const usage = await journal.usage(this.#context.journalAccount(), clock.now());
    if (!usage.ok) return usage;
    const facts = { body, market: market.value, book: book.value };
    const value = orderValue(market.value, body.order, book.value);
    const snapshot: MarketSnapshot = { price: snapshotPrice(market.value, body.order, book.value), value };
    return ok({
      ...snapshot,
      policy: policy.value,
      verdict: this.#decide(policy.value, facts, usage.value),
      valueKrw: value?.toString() ?? "0",
      recheck: (now) => {
        // The file may have changed while the request waited for its turn.
        const current = source.read();
        if (!current.ok) return current.fault;
        const { approval } = body;
        const lapse = approval && approvalLapse(approval, current.value, snapshot, clock.now());
        return lapse ?? denialOf(this.#decide(current.value, facts, now));
      },
    });
  }

  /** The denial of every order while trading is halted; undefined where it is not, or where the store cannot tell. */
  async haltFault(): Promise<Fault | undefined> {
    const { value: engaged } = await attempt(() => this.#context.parts.killSwitch.state());
    const record = engaged ?? this.#context.localKillSwitch;
    return record && denialFault(haltDenial(record));
  }

  #decide(policy: Policy, { body, market, book }: Facts, usage: AccountUsage): Verdict {
    const { clock, venue } = this.#context.parts;
    const question: PolicyQuestion = {
      environment: { ofOrder: body.environment, ofVenue: venue.environment },
      market,
      order: body.order,
      book,
      nowMs: clock.now(),
      accountUsage: { ...usage, killSwitch: usage.killSwitch ?? this.#context.localKillSwitch },
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

/** Why an order may not be sent by this verdict; undefined when it may. */
export function denialOf(verdict: Verdict): Fault | undefined {
  switch (verdict.kind) {
    case "allow":
      return undefined;
    case "deny":
      return denialFault(verdict.denial);
    case "ask":
      return localFault("ELocal:Not approved", {
        message: `A person has to approve this order: ${verdict.why}. Nothing was sent.`,
      });
    default:
      return verdict satisfies never;
  }
}

function denialFault({ rule, figure, limit, message, field }: Denial): Fault {
  return localFault(rule === "brake" ? "ELocal:Trading halted" : "ELocal:Denied by policy", {
    message: `${message.charAt(0).toUpperCase()}${message.slice(1)}. Nothing was sent.`,
    rule,
    figure,
    limit,
    ...defined({ field }),
  });
}
