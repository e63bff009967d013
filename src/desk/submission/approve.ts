/**
 * Approval by a person, given where the model cannot, and bound to exactly one submission.
 *
 * Invariants:
 * - An approval is consumed by the one move `awaiting_approval → approved`; a second one finds it used. That move compares the digest
 *   that the person was shown with the one that waits, in its transaction: a yes counts for what was read, never for a later question.
 * - A passkey's yes is a signature over the digest of the terms, verified here, and kept with the approval.
 * - Nothing that a client sends back is trusted by itself: the seal names the item, the journal holds the terms, and the arguments
 *   of the call have to describe that very item.
 * - An explicit no ends it, whoever brings it: that only takes risk away. What is no answer ends nothing.
 *
 * Source: architecture.md#rule-2; decisions 0008 and 0016.
 */
import { defined, type Fault, failed, localFault, ok, type Result } from "../../contract/index.ts";
import { isSameAsker } from "../approval/asker.ts";
import { passkeyFault } from "../approval/passkey-yes.ts";
import { PendingApprovals, type WhyEnded } from "../approval/pending-approvals.ts";
import { DECLINED, takesAnswer, unansweredLines } from "../approval/persons-answer.ts";
import { mismatch, notApproved, notTaken, openQuestion, sealQuestion } from "../approval/question-seal.ts";
import { type DeskContext, recordStep } from "../core/context.ts";
import type { AskedBy, ClientAnswer } from "../model/approval-request.ts";
import { beforeSending } from "../model/order-report.ts";
import type { Policy } from "../model/policy.ts";
import type { AnySubmission, ApprovalWay, AuditDetail, PasskeyAssertion, QuestionTerms } from "../model/submission.ts";
import { holderOf } from "../reconciliation/lease.ts";
import type { SendingKind, Step, Request as Submitted } from "./submit.ts";
import { withdrawal, withdrawnFault } from "./withdrawn.ts";

/** How what was approved is judged at that moment. `lapse` ends the question; `refusal` may change again, so it goes on waiting. */
export type ApprovalJudgement<Judged> =
  | { readonly lapse: Fault }
  | { readonly refusal: Fault; readonly policy?: Policy | undefined }
  | { readonly judged: Judged; readonly policy: Policy | undefined };

/** How a kind is asked about, described, and reported. */
export interface ApprovalKind<Item extends AnySubmission, Shown, Judged, Request, Report>
  extends SendingKind<Item, Shown, Judged> {
  /** Whether it is, in every field, what was asked about under this digest. */
  isAskedAs(item: Item, digest: string): boolean;
  /** Whether the arguments of a call ask for this very item, field by field. */
  describes(request: Request, item: Item): Promise<boolean>;
  judgeApproved(item: Item, approved: Item["body"]): Promise<ApprovalJudgement<Judged>>;
  /** What the log says of a yes, and of an answer that is none, besides. */
  readonly detail?: (way: ApprovalWay, shown: string, assertion: PasskeyAssertion | undefined) => AuditDetail;
  readonly declined?: AuditDetail;
  report(item: Item, warnings?: readonly string[]): Promise<Report>;
  /** Of what was refused here; `about`: the item, or what was asked for. */
  refused(fault: Fault, about: Item | Request | undefined): Report;
  /** Of what was answered by somebody else, where it cannot be read how. */
  unsure(item: Item, refused: Report): Report;
  /** How a person takes back what nobody answered; a sentence. */
  withdrawnBy(item: Item): string;
}

interface Reported {
  readonly state?: unknown;
  readonly warnings: readonly string[];
}

/** An item that waits, with the terms it waits on; without them it waits no more. */
interface Waiting<Item> {
  readonly item: Item;
  readonly terms?: QuestionTerms;
}

/** An answer that came back through the client. */
export interface Answer<Request> {
  readonly seal: string;
  readonly said: ClientAnswer;
  readonly request: Request;
  readonly session?: string;
}

export interface Submits<Item, Judged> {
  reportExisting(item: Item): Promise<Step<Item>>;
  submit(item: Item, request: Submitted, fresh: Judged): Promise<Step<Item>>;
}

export class Approvals<Item extends AnySubmission, Shown, Judged, Request, Report extends Reported> {
  readonly #context: DeskContext;
  readonly #kind: ApprovalKind<Item, Shown, Judged, Request, Report>;
  readonly #submission: Submits<Item, Judged>;
  readonly #pending: PendingApprovals<Item>;

  constructor(
    context: DeskContext,
    kind: ApprovalKind<Item, Shown, Judged, Request, Report>,
    submission: Submits<Item, NoInfer<Judged>>,
  ) {
    this.#context = context;
    this.#kind = kind;
    this.#submission = submission;
    this.#pending = new PendingApprovals(context, kind);
  }

  /** What waits for a person, oldest first. */
  async pending(): Promise<Result<readonly Item[]>> {
    const account = await this.#context.account();
    return account.ok ? this.#pending.list() : account;
  }

  /** @param shown digest of the question that the person has read @param assertion of a passkey, over that digest */
  async approve(
    id: string,
    way: ApprovalWay,
    shown: string,
    assertion?: PasskeyAssertion,
    withdrawn?: AbortSignal,
  ): Promise<Report> {
    const waiting = await this.#waiting(id);
    if (!waiting.ok) return this.#kind.refused(waiting.fault, undefined);
    const { item, terms } = waiting.value;
    if (terms === undefined) return this.#tooLate(item);
    if (!this.#kind.isAskedAs(item, shown))
      return this.#kind.refused(mismatch(`The ${this.#kind.thing} is not the one that was asked about.`), item);
    const yes = { way, assertion, digest: shown, id, account: item.account };
    const noYes = await passkeyFault(this.#context, yes);
    if (noYes !== undefined) return this.#keepsWaiting(item, noYes);
    const approvedAtMs = this.#context.parts.clock.now();
    const approval = { ...terms, approvedBy: way, approvedAtMs, ...defined({ assertion }) };
    const body = { ...item.body, ...holderOf(this.#context), approval };
    const judgement = await this.#kind.judgeApproved(item, body);
    // What is too late ends, in whatever way the yes came; what may change again keeps waiting: the person may try once more.
    if ("lapse" in judgement) return this.#lapsed(item, judgement.lapse);
    if (judgement.policy?.approveBy.includes(way) === false) return this.#keepsWaiting(item, notTaken(way));
    if ("refusal" in judgement) return this.#keepsWaiting(item, judgement.refusal);
    const unwanted = withdrawal(withdrawn);
    if (unwanted !== undefined) return this.#lapsed(item, unwanted);
    // It may have ended meanwhile, and been asked for again: what waits then is another question under the same id.
    const ifStill = (before: Item): boolean => before.body.approval?.digest === shown;
    const detail = this.#kind.detail?.(way, shown, assertion);
    const change = { from: ["awaiting_approval"], to: "approved", ifStill, body, ...defined({ detail }) } as const;
    const moved = await this.#kind.journal.advance(id, change, approvedAtMs);
    if (!moved.ok) return this.#keepsWaiting(item, moved.fault);
    if (moved.value === undefined) return this.#tooLate(item);
    const request = { requestedAtMs: approvedAtMs, withdrawn };
    const sent = await this.#submission.submit(moved.value, request, judgement.judged);
    return this.#kind.report(sent.item, sent.warnings);
  }

  /** @returns a fault where the denial could not be stored: then it has no effect */
  async deny(id: string, why?: WhyEnded): Promise<Result<Report>> {
    const waiting = await this.#waiting(id);
    if (!waiting.ok) return failed(beforeSending(waiting.fault));
    const { item, terms } = waiting.value;
    if (terms === undefined) return this.#answeredMeanwhile(item);
    const denied = { message: `A person has denied this ${this.#kind.thing}. Nothing was sent.` };
    const ended = await this.#pending.end(item, "denied", why ?? denied);
    return ended.ok ? ok(await this.#kind.report(ended.value)) : ended;
  }

  /** Withdraws what waits on its owner's request. @returns undefined when it was answered meanwhile */
  async withdraw(item: Item): Promise<Report | undefined> {
    const message = `The ${this.#kind.thing} was withdrawn before anybody approved it. Nothing was sent.`;
    const ended = await this.#pending.end(item, "lapsed", { message });
    if (!ended.ok) return this.#keepsWaiting(item, ended.fault);
    return ended.value.state === "lapsed" ? this.#kind.report(ended.value) : undefined;
  }

  /**
   * Seals a question to the call that is to bring the answer.
   * @param shown digest of the question that is put: what waits has to be that one, as another may have taken its place
   * @param request the call that will carry the answer; nothing is sealed for a call whose answer would not count
   * @param session the one that would be asked: of what another asked for, nothing is sealed either
   * @param asked `page`: the call comes back when the person was sent there, and brings no answer whatever it says
   */
  async seal(
    id: string,
    shown: string,
    request?: Request,
    session?: string,
    asked: AskedBy = "form",
  ): Promise<Result<string>> {
    const { thing } = this.#kind;
    const waiting = await this.#waiting(id);
    if (!waiting.ok) return waiting;
    const { item, terms } = waiting.value;
    if (terms === undefined) return failed(notApproved(`This ${thing} does not wait for approval.`));
    if (!this.#kind.isAskedAs(item, shown))
      return failed(mismatch(`The ${thing} that waits is not the one that is asked about.`));
    const policy = this.#context.parts.policy.read();
    if (!policy.ok) return policy;
    if (!takesAnswer(policy.value.approveBy, asked)) return failed(notTaken(asked === "form" ? "client" : "console"));
    // It may wait under another name, as the duplicate of this request.
    if (request !== undefined && !(await this.#kind.describes(request, item)))
      return failed(mismatch(`The call asks for another ${thing} than the one that waits.`));
    const { digest, askedIn } = terms;
    if (askedIn !== session) return failed(mismatch(`Another session asked for this ${thing}.`));
    return sealQuestion(this.#context.parts.seal, thing, { id, digest, askedIn, asked });
  }

  async answer({ seal, said: given, request, session }: Answer<Request>, withdrawn?: AbortSignal): Promise<Report> {
    const { thing } = this.#kind;
    const opened = await openQuestion(this.#context.parts.seal, thing, seal);
    if (!opened.ok) return this.#kind.refused(opened.fault, request);
    const named = opened.value;
    if (named === undefined)
      return this.#kind.refused(mismatch("The answer does not carry the seal of a question asked here."), request);
    const waiting = await this.#waiting(named.id);
    if (!waiting.ok) return this.#kind.refused(waiting.fault, request);
    const { item, terms } = waiting.value;
    if (!this.#kind.isAskedAs(item, named.digest) || !(await this.#kind.describes(request, item)))
      return this.#kind.refused(
        mismatch(`The call asks for another ${thing} than the one that was asked about.`),
        request,
      );
    if (session !== undefined && !isSameAsker(session, item.body.approval?.askedIn))
      return this.#kind.refused(
        mismatch("The answer comes from another session than the one that was asked."),
        request,
      );
    if (given === "withdrawn" && terms !== undefined) return this.#lapsed(item, withdrawnFault());
    const said = named.asked === "form" ? given : "sent";
    if (said === "sent" || said === "withdrawn") return this.#asItIs(item);
    if (said === "yes") return this.approve(named.id, "client", named.digest, undefined, withdrawn);
    const detail = { ...this.#kind.declined, answer: said };
    const step = { event: "approval_declined", account: item.account, intentId: named.id, detail };
    const warnings = await recordStep(this.#context, step);
    if (said === "no") return this.#declined(item, warnings);
    const told = terms === undefined ? [] : unansweredLines(said, this.#kind.withdrawnBy(item));
    return this.#kind.report(item, [...warnings, ...told]);
  }

  /** What waits goes on waiting; what was answered meanwhile is reported with what became of it. */
  async #asItIs(item: Item): Promise<Report> {
    if (item.state === "awaiting_approval") return this.#kind.report(item);
    return this.#kind.report((await this.#submission.reportExisting(item)).item);
  }

  /** The person's no, out of the client's form. */
  async #declined(item: Item, warnings: readonly string[]): Promise<Report> {
    const denied = await this.deny(this.#kind.idOf(item), DECLINED);
    if (denied.ok) return { ...denied.value, warnings: [...warnings, ...denied.value.warnings] };
    const { fault } = denied;
    return this.#keepsWaiting(item, { ...fault, message: `The no could not be recorded. ${fault.message}` });
  }

  /** The item of this account, with its terms while it waits. */
  async #waiting(id: string): Promise<Result<Waiting<Item>>> {
    const account = await this.#context.account();
    if (!account.ok) return account;
    const found = await this.#kind.journal.byId(id);
    if (!found.ok) return found;
    if (found.value?.account !== account.value || found.value.body.approval === undefined)
      return failed(unknown(this.#kind.thing));
    const item = await this.#pending.expireIfDue(found.value);
    const { approval: terms } = item.body;
    return ok(item.state === "awaiting_approval" ? { item, ...defined({ terms }) } : { item });
  }

  /** It was answered meanwhile, or has ended: the report says how it is now. */
  async #answeredMeanwhile(item: Item): Promise<Result<Report>> {
    const { journal, idOf, thing } = this.#kind;
    const now = await journal.byId(idOf(item));
    if (now.ok && now.value !== undefined) return ok(await this.#currentReport(now.value));
    return failed(notApproved(`This ${thing} does not wait for approval any more.`));
  }

  async #currentReport(item: Item): Promise<Report> {
    const step = await this.#submission.reportExisting(item);
    const warning = `This ${this.#kind.thing} does not wait for approval any more; nothing was sent now.`;
    return this.#kind.report(step.item, [warning]);
  }

  /** The approval came after another answer. */
  async #tooLate(item: Item): Promise<Report> {
    const found = await this.#answeredMeanwhile(item);
    return found.ok ? found.value : this.#kind.unsure(item, this.#kind.refused(found.fault, item));
  }

  async #lapsed(item: Item, fault: Fault): Promise<Report> {
    const ended = await this.#pending.lapse(item, fault);
    return ended.ok ? this.#kind.report(ended.value) : this.#keepsWaiting(item, ended.fault);
  }

  /** It keeps waiting, unless it was answered meanwhile. */
  async #keepsWaiting(item: Item, fault: Fault): Promise<Report> {
    const now = await this.#kind.journal.byId(this.#kind.idOf(item));
    if (now.ok && now.value !== undefined && now.value.state !== "awaiting_approval")
      return this.#currentReport(now.value);
    const { state: _unchanged, ...refusal } = this.#kind.refused(fault, item);
    return { ...(await this.#kind.report(item)), ...refusal };
  }
}

/** Items that may wait for a person at the same time: a flood of them would hide what is worth reading. */
const WAITING_MAX = 30;

/** Why nothing more may wait; undefined while it may. @param things as a person calls them */
export function tooManyWait(things: string, count: number): Fault | undefined {
  if (count < WAITING_MAX) return undefined;
  return localFault("ELocal:Not approved", {
    message: `${count} ${things} already wait for approval. Nothing was recorded or sent.`,
    nextAction: "Have the user approve or deny some of them first, or withdraw them.",
  });
}

function unknown(thing: string): Fault {
  return localFault("ELocal:Unknown order", {
    message: `No ${thing} with this id waits for approval.`,
    nextAction: "List what waits with `hoga pending`.",
  });
}
