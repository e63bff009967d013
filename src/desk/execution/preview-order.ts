/**
 * What an order would do, without doing it: problems, proposals, the expected fill against the live book, and a draft
 * that `place` executes without retyping. What the venue would refuse by the current book and balance gets no draft.
 */
import { defined, type Fault, type Market, ok, type Proposal, type Result } from "../../contract/index.ts";
import { type Price, price } from "../../decimal/index.ts";
import { attempt, withTimeout } from "../core/attempt.ts";
import type { DeskContext } from "../core/context.ts";
import { currentTrades } from "../market/recent-trades.ts";
import type { TicketHolder } from "../model/approval-request.ts";
import type { IntentRecord, OrderRequest, Sizing } from "../model/intent.ts";
import { reportError } from "../model/order-report.ts";
import type { PolicyView, ReportedError, TicketedPreview } from "../model/reports.ts";
import { averageCost } from "../portfolio/average-cost.ts";
import type { HistoryReader } from "../portfolio/history-reader.ts";
import type { MarketAndAccount } from "../queries/market-and-account.ts";
import { breakEvenPrice } from "../risk/break-even.ts";
import { proposalsOf } from "../risk/order-proposals.ts";
import { dustWarnings, leftOver, orderWarnings } from "../risk/order-warnings.ts";
import { policyLine } from "../risk/policy-line.ts";
import { type Assessment, denialOf } from "../risk/pre-trade-check.ts";
import { shortWarnings } from "../risk/protected-coins.ts";
import type { Refusal } from "../submission/submit.ts";
import { type AssessOrderParts, assessOrder } from "./assess-order.ts";
import { bodyOf } from "./build-order.ts";
import type { DuplicateGuard } from "./duplicate-guard.ts";
import { createDraft } from "./order-draft.ts";
import { type OrderOutlook, orderOutlook } from "./order-outlook.ts";
import { sealTicket } from "./order-ticket.ts";
import { type SizedOrder, sizedOrder, withFitting } from "./sized-order.ts";

/** How long a sell is held up by what its coins have cost. */
const COST_MS = 250;

export interface PreviewOrderParts {
  readonly context: DeskContext;
  readonly reads: MarketAndAccount;
  readonly assessment: AssessOrderParts;
  readonly duplicates: DuplicateGuard;
  readonly history: HistoryReader;
}

export class PreviewOrder {
  readonly #context: DeskContext;
  readonly #reads: MarketAndAccount;
  readonly #assessment: AssessOrderParts;
  readonly #duplicates: DuplicateGuard;
  readonly #history: HistoryReader;

  constructor({ context, reads, assessment, duplicates, history }: PreviewOrderParts) {
    this.#context = context;
    this.#reads = reads;
    this.#assessment = assessment;
    this.#duplicates = duplicates;
    this.#history = history;
  }

  /** @param holder who may press the button of its ticket; without one there is none */
  async preview(request: OrderRequest, holder?: TicketHolder): Promise<Result<TicketedPreview>> {
    const account = await this.#context.account();
    if (!account.ok) return account;
    const sized = await sizedOrder(this.#context, request);
    if (!sized.ok) return sized;
    const { market, sizing } = sized.value;
    const problems = await withFitting(this.#context, market, request, sized.value.problems);
    const base = {
      order: { ...sized.value.request, symbol: market.symbol },
      problems: problems.map(reportProblem),
      proposals: proposalsOf(problems),
      ...this.#context.stamp(),
    };
    if (problems.length > 0) return ok({ ...base, valid: false, warnings: [] });
    const outlook = await orderOutlook(this.#context, this.#reads, market, sized.value.request);
    if (!outlook.ok) return outlook;
    const { refusals } = outlook.value;
    const break_even_price = await this.#breakEven(account.value, market, outlook.value);
    const estimate = { ...outlook.value.estimate, break_even_price };
    const judged = await this.#judged(sized.value, outlook.value, holder);
    if (!judged.ok) return judged;
    const sizes = sizing === undefined ? [] : [sizeProposal(sizing)];
    const proposals = judged.value.valid ? sizes : proposalsOf(refusals);
    return ok({ ...base, estimate, ...judged.value, proposals });
  }

  /** Null of a buy, and where it is not known in time. */
  async #breakEven(account: string, market: Market, outlook: OrderOutlook): Promise<string | null> {
    if (outlook.estimate.proceeds === null) return null;
    const context = this.#context;
    const asking = attempt(async () => ok(await averageCost(context, this.#history, account, market.base)));
    const cost = (await withTimeout(context.parts.clock, COST_MS, asking))?.value;
    return cost === undefined ? null : breakEvenPrice(market, outlook, cost);
  }

  /** What the policy says, and a draft where neither it nor the venue would refuse. */
  async #judged(
    sized: SizedOrder,
    { refusals, book, estimate }: OrderOutlook,
    holder: TicketHolder | undefined,
  ): Promise<Result<Judged>> {
    const body = await bodyOf(this.#context, sized);
    if (!body.ok) return body;
    const assessment = await assessOrder(this.#assessment, body.value);
    if (!assessment.ok) return assessment;
    const { verdict } = assessment.value;
    const policy = policyView(assessment.value);
    const denied = verdict.kind === "deny" ? denialOf(verdict, assessment.value.policy) : undefined;
    const { market, seen } = assessment.value;
    const { clock, venue } = this.#context.parts;
    const facts = {
      market,
      body: body.value,
      book: { tick: book.tick, atMs: seen.book.atMs },
      lastPrice: await this.#lastPrice(market),
      own: seen.own,
      nowMs: clock.now(),
    };
    const { card } = venue;
    const warnings = [
      ...orderWarnings(facts),
      ...shortWarnings(assessment.value),
      ...dustWarnings(facts, leftOver(facts, estimate.available ?? "0")),
      ...(card.test_order ? [] : [`${card.title.en} does not check orders in advance: this preview is hoga's own.`]),
    ];
    const problems = [...refusals, ...(denied === undefined ? [] : [denied])].map(reportProblem);
    if (problems.length > 0) return ok({ policy, problems, warnings, valid: false });
    const duplicate = await this.#duplicates.find(body.value, ok([]));
    const draft = await createDraft(this.#context, body.value);
    if (!draft.ok) return draft;
    const ticket = holder && (await sealTicket(this.#context, draft.value.draft_id, assessment.value, holder));
    if (ticket?.ok === false) return ticket;
    return ok({
      policy,
      ...draft.value,
      ...(ticket && { ticket: ticket.value }),
      problems,
      warnings: duplicate === undefined ? warnings : [...warnings, duplicateWarning(duplicate)],
      valid: true,
    });
  }

  /** Of anybody's last trade, however long ago; a warning is all that depends on it. */
  async #lastPrice({ symbol }: Market): Promise<Price | undefined> {
    const policy = this.#context.parts.policy.read();
    const trades = await currentTrades(this.#context, symbol, policy.ok ? policy.value.bookMaxAgeMs : 0);
    const [last] = trades.ok ? trades.value : [];
    return last && price(last.price);
  }
}

/** A preview lists the proposals of all problems together. */
function reportProblem({ proposals: _listed, ...problem }: Fault): ReportedError {
  return reportError(problem);
}

/** What a size came to is shown as a proposal: the draft places it, and nothing else does. */
function sizeProposal({ given, field, size, why }: Sizing): Proposal {
  return { field, given, proposed: size, reason: why };
}

type Judged = Pick<
  TicketedPreview,
  "policy" | "draft_id" | "expires_at" | "ticket" | "problems" | "warnings" | "valid"
>;

function policyView({ verdict, countsFor, policy }: Assessment): PolicyView {
  switch (verdict.kind) {
    case "allow":
      return { verdict: "allowed", value: countsFor };
    case "ask":
      return { verdict: "needs_approval", value: countsFor, why: verdict.why };
    case "deny":
      return {
        ...{ verdict: "denied", value: countsFor, why: verdict.denial.message },
        ...defined({ line: policyLine(verdict.denial.rule, policy) }),
      };
    default:
      return verdict satisfies never;
  }
}

function duplicateWarning({ fault, instead }: Refusal<IntentRecord>): string {
  if (instead === undefined) return fault.message;
  const { userref } = instead;
  return `The same order was sent before as userref ${userref}, and nobody may have heard of it: to place this would be answered with that one.`;
}
