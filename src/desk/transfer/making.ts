/**
 * The way of a transfer up to its sending: check, quote, gate, record. What was asked for before is looked up, never sent anew.
 *
 * Source: architecture rules 1 to 3; docs/decisions/0016.
 */
import { type Fault, failed, localFault, ok, type Result } from "../../contract/index.ts";
import { type DeskContext, noted, stored } from "../context.ts";
import type { Told } from "../told.ts";
import type { TransferReport, TransferRequest } from "./answers.ts";
import { type TransferGate, transferFaultOf, type WeighedTransfer } from "./gate.ts";
import type { TransferBody, TransferKind, TransferParts, TransferRecord, TransferTerms } from "./ports.ts";
import { deniedTransfer, transferReport } from "./report.ts";
import type { TransferSending } from "./sending.ts";
import type { TransferSettling } from "./settling.ts";
import { ENDED_UNDONE } from "./state.ts";
import { familyOf, isLike, maskedTask, requestDigest, termsDigest, toldOf, wishOf } from "./task.ts";
import { completed, taskOf } from "./tasks.ts";
import { isMeant, OPEN, twinFault } from "./twins.ts";
import { letGoIfOver, transfersWaiting } from "./waiting.ts";

/** Transfers that may wait for a person at the same time. */
const WAITING_MAX = 10;
/** Transfers that a new one is compared with. */
const LOOKED_AT = 100;

export interface MakingParts {
  readonly context: DeskContext;
  readonly transfers: TransferParts;
  readonly gate: TransferGate;
  readonly sending: TransferSending;
  readonly settling: TransferSettling;
  readonly telling: Told;
}

export class TransferMaking {
  private readonly context: DeskContext;
  private readonly parts: MakingParts;

  constructor(parts: MakingParts) {
    this.context = parts.context;
    this.parts = parts;
  }

  async make(given: TransferRequest): Promise<TransferReport> {
    const { kind } = given;
    const askedAtMs = this.context.parts.clock.now();
    const beside = await this.unsure();
    const wanted = await this.wanted(given);
    if (!wanted.ok) return this.denied(kind, wanted.fault);
    const { request, digest } = wanted.value;
    const known = await this.known(request);
    if (!known.ok) return this.denied(kind, known.fault);
    // What was proven not made may be made after all; its id and key are for nothing else.
    const isAnew = known.value?.state === "not_made" && known.value.body.digest === digest;
    if (known.value !== undefined && !isAnew) return this.asked(known.value, { askedAtMs, digest });
    const task = await taskOf(request, this.parts.transfers);
    if (!task.ok) return this.denied(kind, task.fault);
    const { venue } = this.context.parts;
    if (venue.keyId === undefined) return this.denied(kind, localFault("ELocal:No key"));
    const body = { task: task.value, environment: venue.environment, keyId: venue.keyId, digest };
    const twin = await this.twinOf(body, wishOf(request), beside);
    if (twin !== undefined) return this.denied(kind, twin);
    const weighed = await this.parts.gate.weigh(body);
    if (!weighed.ok) return this.denied(kind, weighed.fault);
    return this.go(request, body, { weighed: weighed.value, again: known.value, askedAtMs });
  }

  /** Whether the arguments of a call ask for this very transfer, field by field. */
  async asksFor(given: TransferRequest, { body }: TransferRecord): Promise<boolean> {
    const wanted = await this.wanted(given);
    return wanted.ok && wanted.value.digest === body.digest;
  }

  private async wanted(
    given: TransferRequest,
  ): Promise<Result<{ readonly request: TransferRequest; readonly digest: string }>> {
    const request = completed(given, this.context.parts);
    if (!request.ok) return request;
    const account = await this.context.account();
    if (!account.ok) return account;
    const { environment } = this.context.parts.venue;
    return ok({ request: request.value, digest: requestDigest(request.value, account.value, environment) });
  }

  private async go(
    request: TransferRequest,
    body: TransferBody,
    { weighed, again, askedAtMs }: Going,
  ): Promise<TransferReport> {
    const { verdict } = weighed;
    const lapse = this.parts.gate.lapse(body, weighed.policy);
    if (lapse !== undefined) return this.denied(request.kind, lapse);
    if (verdict.kind === "ask") return this.ask(request, body, { weighed, why: verdict.why, again, askedAtMs });
    const refusal = transferFaultOf(verdict);
    if (refusal !== undefined) return this.refuse(body, refusal);
    const transferId = again?.transferId ?? this.context.parts.ids.intentId();
    const recorded = await this.record(request, body, { transferId, state: "approved", again });
    if (!recorded.ok) return this.denied(request.kind, recorded.fault);
    if (recorded.value.state !== "approved") return this.asked(recorded.value, { askedAtMs, digest: body.digest });
    const step = await this.parts.sending.send(recorded.value, askedAtMs, weighed);
    return transferReport(this.context.stamp(), step.transfer, step.warnings);
  }

  /** The latest transfer of this wish, unless it has ended so that the same may be wanted anew. */
  private async known(request: TransferRequest): Promise<Result<TransferRecord | undefined>> {
    const { journal } = this.parts.transfers;
    const found = await stored(() => journal.byWish(this.context.journalAccount(), wishOf(request)));
    if (!found.ok || found.value === undefined) return found;
    const { state } = found.value;
    return ok(ENDED_UNDONE.some((each) => each === state) ? undefined : found.value);
  }

  /**
   * What was asked for before. One that was let through and never sent may belong to a process that died: it is sent now, by whoever
   * is first. A person's yes, though, was to that one sending.
   */
  private async asked(transfer: TransferRecord, { askedAtMs, digest }: AskedAgain): Promise<TransferReport> {
    const { sending, transfers } = this.parts;
    const { approval, task } = transfer.body;
    if (transfer.body.digest !== digest) return this.denied(task.kind, otherwise(transfer));
    const now = await letGoIfOver(this.context, transfers, transfer);
    if (now.state !== transfer.state) return transferReport(this.context.stamp(), now);
    if (transfer.state === "awaiting_approval")
      return transferReport(this.context.stamp(), transfer, ["It was asked for before and waits for a person still."]);
    const isLeft = transfer.state === "approved" && approval === undefined;
    const step = isLeft ? await sending.send(transfer, askedAtMs) : await sending.look(transfer);
    return transferReport(this.context.stamp(), step.transfer, step.warnings);
  }

  /** What a transfer that is asked for now may mean. Of all accounts as long as ours is not known. */
  private unsure(): Promise<Result<readonly TransferRecord[]>> {
    const { transfers, telling } = this.parts;
    const account = this.context.knowsAccount ? this.context.journalAccount() : undefined;
    return stored(async () =>
      (await transfers.journal.unsure(account, OPEN, LOOKED_AT)).filter((each) => !telling.hasSaid(each.transferId)),
    );
  }

  /**
   * Why one like it has to be settled, and told, first.
   * @param beside what it may have meant when it was asked for; another caller may have heard of it since
   */
  private async twinOf(
    body: TransferBody,
    wish: string,
    beside: Result<readonly TransferRecord[]>,
  ): Promise<Fault | undefined> {
    const { transfers, settling, telling } = this.parts;
    const { clock } = this.context.parts;
    const waiting = await transfersWaiting(this.context, transfers);
    if (!waiting.ok) return waiting.fault;
    if (!beside.ok) return beside.fault;
    const found = await this.unsure();
    if (!found.ok) return found.fault;
    const account = this.context.journalAccount();
    const then = beside.value.filter((each) => each.account === account);
    for (const twin of new Map([...then, ...found.value].map((each) => [each.transferId, each])).values()) {
      if (twin.wish === wish || !isLike(twin.body.task, body.task)) continue;
      const transfer = await settling.settle(twin);
      if (transfer.state === "done") telling.say(transfer.transferId);
      if (isMeant(transfer, clock.now())) return twinFault(transfer);
    }
    return undefined;
  }

  /** Denied by the policy: nothing is recorded but the fact. */
  private async refuse(body: TransferBody, fault: Fault): Promise<TransferReport> {
    const { rule, figure, limit } = fault;
    const detail = { draft: true, code: fault.code, rule, figure, limit, task: maskedTask(body.task) };
    const step = { event: "transfer_denied", account: this.context.journalAccount(), detail };
    return this.denied(body.task.kind, fault, await noted(this.context, step));
  }

  /** Puts it where a person finds it. */
  private async ask(
    request: TransferRequest,
    body: TransferBody,
    { weighed, why, again, askedAtMs: firstAskedAtMs }: Asking,
  ): Promise<TransferReport> {
    const { ids, clock } = this.context.parts;
    const { kind } = request;
    const waiting = await transfersWaiting(this.context, this.parts.transfers);
    if (!waiting.ok) return this.denied(kind, waiting.fault);
    // A flood of them would hide from a person what is worth reading.
    if (waiting.value.length >= WAITING_MAX) return this.denied(kind, tooMany(waiting.value.length));
    const transferId = again?.transferId ?? ids.intentId();
    const askedAtMs = clock.now();
    const ttlMs = weighed.policy?.approvalTtlMs ?? 0;
    const expiresAtMs = Math.min(
      askedAtMs + ttlMs,
      this.parts.gate.quoteEndsAtMs(body.task) ?? Number.POSITIVE_INFINITY,
    );
    const open = { valueKrw: weighed.valueKrw, askedAtMs, expiresAtMs };
    const account = this.context.journalAccount();
    const approval: TransferTerms = { digest: termsDigest({ transferId, account, body }, open), why, ...open };
    const waits = await this.record(request, { ...body, approval }, { transferId, state: "awaiting_approval", again });
    if (!waits.ok) return this.denied(kind, waits.fault);
    return waits.value.body.approval?.digest === approval.digest
      ? transferReport(this.context.stamp(), waits.value)
      : this.asked(waits.value, { askedAtMs: firstAskedAtMs, digest: body.digest });
  }

  /** Puts the transfer on disk. One that is proven not made is armed again, with its own key; another's of the same wish is returned. */
  private async record(request: TransferRequest, body: TransferBody, to: Recording): Promise<Result<TransferRecord>> {
    const { journal } = this.parts.transfers;
    const { ids, clock } = this.context.parts;
    const { transferId, state, again } = to;
    const account = this.context.journalAccount();
    const wish = wishOf(request);
    const recorded = await stored(async () => {
      if (again !== undefined) {
        const rearm = { from: ["not_made"], to: state, body, told: toldOf(body) } as const;
        return (await journal.advance(transferId, rearm, clock.now())) ?? journal.byId(transferId);
      }
      const named = { transferId, account, family: familyOf(request.kind), wish, idempotencyKey: ids.intentId() };
      const fresh = { ...named, state, body, createdAtMs: clock.now() };
      return (await journal.record(fresh, ENDED_UNDONE, toldOf(body))) ?? journal.byWish(account, wish);
    });
    if (!recorded.ok) return recorded;
    return recorded.value === undefined ? failed(localFault("ELocal:Store unavailable")) : ok(recorded.value);
  }

  private denied(kind: TransferKind, fault: Fault, warnings: readonly string[] = []): TransferReport {
    return deniedTransfer(this.context.stamp(), kind, fault, warnings);
  }
}

interface Going {
  readonly weighed: WeighedTransfer;
  readonly again: TransferRecord | undefined;
  /** When the call arrived: nothing like it may have been sent since. */
  readonly askedAtMs: number;
}

interface Asking extends Going {
  readonly why: string;
}

interface AskedAgain {
  readonly askedAtMs: number;
  readonly digest: string;
}

interface Recording {
  readonly transferId: string;
  readonly state: "approved" | "awaiting_approval";
  readonly again: TransferRecord | undefined;
}

function otherwise({ transferId }: TransferRecord): Fault {
  return localFault("ELocal:Userref in use", {
    message: `Something else was asked for with the same quote before, as transfer ${transferId}. Nothing was sent now.`,
    nextAction: "Ask for a new quote for another remittance.",
  });
}

function tooMany(count: number): Fault {
  return localFault("ELocal:Not approved", {
    message: `${count} payments and remittances wait for approval already. Nothing was recorded or sent.`,
    nextAction: "Have the user approve or deny some of them first.",
  });
}
