/**
 * Makes a plan, or tells what would be made.
 *
 * Invariants: what is recorded was checked in the transaction that records it; the same request within ten minutes is the same plan, also where both came at
 * once, while it waits for a person, and where all has come of it meanwhile; a preview records nothing. What may trade begins with a person's yes, but for what a practice exchange's file lets begin.
 *
 * Source: decisions 0108, 0110 and 0129.
 */
import { canonicalJson, type Fault, failed, localFault, ok, quoted, type Result } from "../../contract/index.ts";
import { formatAmount, quantity } from "../../decimal/index.ts";
import { missingPin } from "../approval/pin-needed.ts";
import { clockAhead, type DeskContext, type ReadingParts } from "../core/context.ts";
import {
  isProtection,
  LATELY_MS,
  type PlanAsked,
  type PlanRecord,
  type PlanShown,
  type PlanTerms,
} from "../model/plan.ts";
import type { PlanActor, PlanRequest, PlanWriteReport } from "../model/plan-report.ts";
import type { NewPlan, PlanBook, PlanStanding } from "../ports/plan-book.ts";
import { type PlannedSell, plannedShortWarnings } from "../risk/protected-coins.ts";
import { admissionFault, unreplaceable } from "./plan-admission.ts";
import { buyAsked } from "./plan-buy.ts";
import { fundsWarnings } from "./plan-funds.ts";
import { checkKindNeeds } from "./plan-needs.ts";
import {
  firstProgress,
  type Judged,
  mandateOf,
  requestDigest,
  shownOf,
  startQuestion,
  stepsOf,
  worstOf,
} from "./plan-question.ts";
import type { PlanReports } from "./plan-reports.ts";
import { floodOf, standingOf } from "./plan-standing.ts";
import { marketsOf, subjectOf, surveyOf, unpriced } from "./plan-survey.ts";
import { dueOf, isoTime, limitsOf, previewView } from "./plan-view.ts";
import { needsPerson } from "./terms/plan-limits.ts";
import { planDraft } from "./terms/terms.ts";
import type { WorstCase } from "./terms/worst-case.ts";

/** A process that stays notices a new plan within a second. */
const NOTICED_MS = 2_500;
const LOOK_EVERY_MS = 250;

/** A request with all that it is held against, as it is now. */
interface Asked extends Judged {
  readonly worst: WorstCase;
  /** What a person is shown; undefined of an alert. */
  readonly shown: PlanShown | undefined;
  /** Why a person is asked; undefined where none is. */
  readonly why: string | undefined;
  readonly replaces: string | null;
  readonly warnings: readonly string[];
}

type Refusal = { readonly twin: PlanRecord } | { readonly fault: Fault };

export class CreatePlan {
  readonly #context: DeskContext;
  readonly #parts: ReadingParts;
  readonly #book: PlanBook;
  readonly #reports: PlanReports;

  constructor(context: DeskContext, book: PlanBook, reports: PlanReports) {
    const { parts } = context;
    this.#context = context;
    this.#parts = parts;
    this.#book = book;
    this.#reports = reports;
  }

  /** @param session of the client that asks: its person alone may approve it there */
  async create(request: PlanRequest, by: PlanActor, session?: string): Promise<PlanWriteReport> {
    // What has come of it may keep it from being asked for again: what the stop sold cannot be sold by it once more.
    const before = await this.#sameLately(request);
    if (before !== undefined) return this.#same(before);
    const found = await this.#asked(request);
    if (!found.ok) return this.#reports.refused(found.fault);
    const asked = found.value;
    const noPin = asked.why === undefined ? undefined : await missingPin(this.#context);
    if (noPin !== undefined) return this.#reports.refused(noPin);
    const plan = this.#newPlan(asked, by, session);
    const recorded = await this.#book.record<Refusal>(plan, (standing) => {
      const twin = twinOf(standing.lately, plan);
      return twin === undefined ? refusedBy(asked, standing) : { twin };
    });
    if (!recorded.ok) return this.#reports.refused(recorded.fault);
    if ("written" in recorded.value) return this.#made(recorded.value.written, asked.warnings);
    if ("blocked" in recorded.value) {
      const { blocked } = recorded.value;
      const inTheWay = blocked === "underway" ? underway(asked.replaces) : unreplaceable(asked.replaces);
      return this.#reports.refused(blocked === "halted" ? haltedFault() : inTheWay);
    }
    const { refused } = recorded.value;
    if ("fault" in refused) return this.#reports.refused(refused.fault);
    return this.#same(refused.twin);
  }

  async preview(request: PlanRequest): Promise<PlanWriteReport> {
    const found = await this.#asked(request);
    if (!found.ok) return this.#reports.refused(found.fault);
    const asked = found.value;
    const { survey, terms, untilMs, worst, shown } = asked;
    const standing = await standingOf(this.#context, this.#book, survey.account);
    if (!standing.ok) return this.#reports.refused(standing.fault);
    const asIs = { terms, untilMs, replaces: asked.replaces, createdAtMs: this.#parts.clock.now() };
    const twin = twinOf(standing.value.lately, asIs);
    const against = twin === undefined ? refusedBy(asked, standing.value) : undefined;
    if (against !== undefined) return this.#reports.refused(against.fault);
    const most = shown && { ...shown, ...limitsOf(shown.bounds) };
    const view = previewView({ terms, untilMs, progress: firstProgress(terms, survey) }, most, {
      ...{ market: survey.market, rules: survey.policy.plans, nowMs: survey.nowMs, due: dueOf(worst.steps) },
    });
    const { killSwitch } = standing.value.usage;
    const halted = killSwitch === undefined ? [] : ["Trading is halted, so that it would be refused now."];
    const needs = asked.why === undefined ? [] : [`A person would have to approve it: ${asked.why}.`];
    const same = twin === undefined ? [] : [sameAs(twin)];
    const warnings = [...asked.warnings.map(sentence), ...halted, ...same, ...(twin === undefined ? needs : [])];
    const report = { outcome: "not_sent", state: "preview", plan: view, warnings, ...this.#context.stamp() } as const;
    return this.#besideReplaced(report, asked.replaces);
  }

  async #asked(request: PlanRequest): Promise<Result<Asked>> {
    const surveyed = await surveyOf(this.#context, subjectOf(request));
    if (!surveyed.ok) return surveyed;
    const survey = surveyed.value;
    const buy = await buyAsked(this.#context, survey.account, request);
    if (!buy.ok) return buy;
    const drafted = planDraft(request, { ...survey, candles: survey.candles ?? [], buy: buy.value });
    if (!drafted.ok) return drafted;
    const { untilMs, warnings: found } = drafted.value;
    const terms = { ...drafted.value.terms, request: requestDigest(request) };
    const { card } = this.#parts.venue;
    const unfit = checkKindNeeds({ card, policy: survey.policy }, marketsOf(survey), terms);
    if (unfit !== undefined) return failed(unfit);
    const judged = { terms, untilMs, survey };
    const worst = worstOf(judged);
    if (worst === undefined) return failed(unpriced(survey));
    const replaces = request.replaces ?? null;
    const unknown = survey.candles === undefined ? ["how far the market ordinarily moves could not be read"] : [];
    const short = await plannedShortWarnings(this.#context, survey.account, sellsOf(judged, worst), replaces);
    if (!short.ok) return short;
    const lacking = await fundsWarnings(this.#context, judged, worst);
    const warnings = [...found, ...unknown, ...short.value, ...lacking];
    const shown = shownOf(this.#context, judged, worst, warnings);
    if (shown === undefined && terms.kind !== "alert") return failed(unpriced(survey));
    const why = await this.#whyAsked(judged, worst, replaces);
    if (!why.ok) return why;
    if (shown === undefined && why.value !== undefined) return failed(unaskedFault(replaces));
    return ok({ ...judged, worst, shown, warnings, replaces, why: why.value });
  }

  /** Where it takes the place of a protection a person is asked as for taking that away, on practice too. */
  async #whyAsked(
    { terms, survey }: Judged,
    worst: WorstCase,
    replaces: string | null,
  ): Promise<Result<string | undefined>> {
    const { policy, isPractice } = survey;
    const { unit, plans, approvalOver } = policy;
    const old = replaces === null ? ok(undefined) : await this.#book.byId(replaces);
    if (!old.ok) return old;
    if (old.value !== undefined && isProtection(old.value.terms) && plans.stopRemoval === "ask")
      return ok("it takes the place of a protection (stop_removal is ask)");
    if (!needsPerson(terms, worst, policy, isPractice)) return ok(undefined);
    if (!isPractice) return ok("a person approves every plan that may trade");
    if (plans.approve === "always") return ok("a person approves every plan that may trade (approve is always)");
    const [comesTo, limit] = [worst.value, approvalOver].map((sum) => formatAmount(sum, unit));
    return ok(`it comes to ${comesTo} at worst, more than ${limit} that may begin without one`);
  }

  #newPlan(asked: Asked, by: PlanActor, session: string | undefined): NewPlan {
    const { clock, ids } = this.#parts;
    const { survey, terms, worst, shown, untilMs, replaces, why } = asked;
    const planId = `plan-${ids.intentId()}`;
    const createdAtMs = clock.now();
    const ahead = clockAhead(this.#context);
    const made = { planId, account: survey.account, terms, replaces, untilMs, createdAtMs };
    if (shown === undefined) return { ...made, ...begun(by), mandate: null, progress: ahead, steps: [] };
    const times = { askedAtMs: createdAtMs, expiresAtMs: createdAtMs + survey.policy.approvalTtlMs };
    const question = startQuestion(made, shown, { why: why ?? "", ...times, askedIn: session });
    if (why !== undefined) return { ...made, ...waiting(question) };
    const mandate = mandateOf(shown, { by: "policy", digest: question.digest, approvedAtMs: createdAtMs });
    return {
      ...{ ...made, ...begun(by), mandate },
      ...{ progress: { ...firstProgress(terms, survey), ...ahead }, steps: stepsOf(terms, worst, survey) },
    };
  }

  /** The plan that these very arguments have made lately. */
  async #sameLately(request: PlanRequest): Promise<PlanRecord | undefined> {
    const account = await this.#context.account();
    const sinceMs = this.#parts.clock.now() - LATELY_MS;
    const lately = account.ok ? await this.#book.lately(account.value, sinceMs) : account;
    const digest = requestDigest(request);
    return lately.ok ? lately.value.find((plan) => plan.terms.request === digest && isSameStill(plan)) : undefined;
  }

  async #same(twin: PlanRecord): Promise<PlanWriteReport> {
    return this.#made(twin, [...(twin.asked?.shown?.warnings ?? []), sameAs(twin)]);
  }

  async #made(plan: PlanRecord, found: readonly string[]): Promise<PlanWriteReport> {
    const warnings = found.map(sentence);
    if (plan.state === "awaiting_approval")
      return this.#besideReplaced(await this.#reports.waiting(plan, warnings), plan.replaces);
    const isWatched = this.#parts.endsAfterCommand !== true || plan.endedAtMs !== null || (await this.#isNoticed(plan));
    const all = isWatched ? warnings : [...warnings, this.#nobodyWatches];
    return this.#besideReplaced(await this.#reports.accepted(plan, all), plan.replaces);
  }

  async #besideReplaced(report: PlanWriteReport, replaces: string | null): Promise<PlanWriteReport> {
    const view = report.plan && (await this.#reports.besideReplaced(report.plan, replaces));
    return view?.ok === true ? { ...report, plan: view.value } : report;
  }

  get #nobodyWatches(): string {
    const { terminal } = this.#context;
    const [start, install] = [terminal.command("start"), terminal.command("service", "install")];
    return `No hoga server of this profile runs, and until one does nobody watches: a person starts it with \`${start}\`, or for good with \`${install}\`.`;
  }

  /** Whether a process that stays looks after the account's plans: one begins to when there is one. */
  async #isNoticed({ account }: PlanRecord): Promise<boolean> {
    const { clock } = this.#parts;
    const before = await this.#book.watch(account);
    for (let waitedMs = 0; waitedMs < NOTICED_MS; waitedMs += LOOK_EVERY_MS) {
      await clock.sleep(LOOK_EVERY_MS);
      const watch = await this.#book.watch(account);
      // Its time may be of another machine's clock: that it changes is what tells.
      if (before.ok && watch.ok && watch.value?.seenMs !== before.value?.seenMs) return true;
    }
    return false;
  }
}

function begun(by: PlanActor) {
  const notice = { type: "plan.active", key: "1", body: { state: "active", by } } as const;
  return { state: "active", asked: null, notices: [notice] } as const;
}

function waiting(asked: PlanAsked) {
  return { state: "awaiting_approval", mandate: null, progress: {}, asked, steps: [], notices: [] } as const;
}

/** What it sells in all, but for coins that it protects. */
function sellsOf({ terms, survey: { market, basket } }: Judged, { steps }: WorstCase): readonly PlannedSell[] {
  if (terms.kind === "rebalance")
    return terms.orders.flatMap(({ symbol, size }) => {
      const own = basket?.assets.find((asset) => asset.market.symbol === symbol);
      return own === undefined || !("volume" in size) ? [] : [{ market: own.market, volume: quantity(size.volume) }];
    });
  if (!("side" in terms) || terms.side === "buy" || market === undefined) return [];
  return [{ market, volume: steps.reduce((sum, { size }) => sum.plus(quantity(size)), quantity("0")) }];
}

/** What is known against it begins small and has no full stop. */
function sentence(text: string): string {
  const begun = `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
  return begun.endsWith(".") ? begun : `${begun}.`;
}

/** The plan that the same request has made lately, in other words perhaps. */
function twinOf(
  lately: readonly PlanRecord[],
  made: Pick<PlanRecord, "terms" | "untilMs" | "replaces" | "createdAtMs">,
): PlanRecord | undefined {
  const text = canonicalJson(askedOf(made.terms));
  return lately.find(
    (plan) =>
      isSameStill(plan) &&
      (plan.terms.request === made.terms.request ||
        // An end that was left out is counted from each request.
        (Math.abs(made.untilMs - plan.untilMs) <= LATELY_MS &&
          plan.replaces === made.replaces &&
          canonicalJson(askedOf(plan.terms)) === text)),
  );
}

function askedOf(terms: PlanTerms): object {
  const { request: _, ...asked } = terms;
  return asked;
}

/** What somebody has ended, or was never begun, is made anew by the same words: who did that had heard of it. */
function isSameStill({ state, progress }: PlanRecord): boolean {
  switch (state) {
    case "awaiting_approval":
    case "active":
    case "paused":
    case "attention":
      return progress.ending === undefined;
    case "done":
    case "expired":
      return true;
    case "denied":
    case "lapsed":
    case "canceled":
    case "replaced":
      return false;
    default:
      return state satisfies never;
  }
}

function sameAs({ createdAtMs }: PlanRecord): string {
  return `The same was asked for at ${isoTime(createdAtMs)}: this is that plan, and no second one was made. With another note it is a plan of its own.`;
}

/** Judged by the account as the transaction has it. */
function refusedBy(asked: Asked, standing: PlanStanding): { readonly fault: Fault } | undefined {
  const flood = asked.why === undefined ? undefined : floodOf(standing.open);
  const fault = flood ?? admissionFault(asked, standing);
  return fault && { fault };
}

function underway(planId: string | null): Fault {
  return localFault("ELocal:Invalid input", {
    field: "replaces",
    message: `An order of plan ${quoted(planId ?? "", 60)} is under way, so that nothing takes its place now. Nothing was recorded.`,
    nextAction: "Look with list_plans, and ask again when the order has ended.",
  });
}

/** Nobody is asked about an alert, so it ends nothing that a person is asked about. */
function unaskedFault(planId: string | null): Fault {
  return localFault("ELocal:Invalid input", {
    field: "replaces",
    message: `An alert begins without a person, and plan ${quoted(planId ?? "", 60)} protects coins: it takes no place of that. Nothing was recorded.`,
    nextAction: "Make the alert without replaces. A protection is taken away with change_plan, action cancel.",
  });
}

function haltedFault(): Fault {
  return localFault("ELocal:Trading halted", {
    message: "Trading is halted, so no plan begins. Nothing was recorded.",
  });
}
