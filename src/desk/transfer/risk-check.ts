/**
 * The check that every transfer passes before it is sent: the policy asked with what is true now, at send time, and once more inside the
 * transaction that takes the budget.
 *
 * Source: architecture.md#rule-2, architecture.md#rule-3.
 */
import { type Fault, localFault, ok, type Result } from "../../contract/index.ts";
import { inUnit, max, type Value } from "../../decimal/index.ts";
import { hasExpired } from "../approval/approval-validity.ts";
import type { DeskContext } from "../core/context.ts";
import { valueIn } from "../market/value-in.ts";
import { POLICY_FILE, type Policy } from "../model/policy.ts";
import type { TransferBody, TransferTask, TransferTerms } from "../model/transfer.ts";
import { BILLED_IN, familyOf, quoteEndsAtMs } from "../model/transfer-task.ts";
import type { TransferParts, TransferUsage } from "../ports/transfer.ts";
import { decideTransfer, type TransferVerdict } from "./policy-decision.ts";

/** What the check found out about one transfer. */
export interface TransferAssessment {
  /** Undefined for what is no matter of policy. */
  readonly policy: Policy | undefined;
  readonly verdict: TransferVerdict;
  /** "0" where it cannot be valued, which is denied. */
  readonly countsFor: string;
  /** Judges again by how things stand at that moment. @returns why it may not go */
  readonly recheck: (usage: TransferUsage) => Fault | undefined;
}

/** To take a remittance back only takes risk away, as the cancel of an order: neither policy, kill switch nor a person stands before it. */
const UNRESTRICTED: TransferAssessment = {
  policy: undefined,
  verdict: { kind: "allow" },
  countsFor: "0",
  recheck: () => undefined,
};

export class TransferRiskCheck {
  readonly #context: DeskContext;
  readonly #transfers: TransferParts;

  constructor(context: DeskContext, transfers: TransferParts) {
    this.#context = context;
    this.#transfers = transfers;
  }

  /** @returns a fault where it cannot be judged; then nothing may be sent either. */
  async assess(body: TransferBody): Promise<Result<TransferAssessment>> {
    const { clock, policy: source } = this.#context.parts;
    const { task } = body;
    if (task.kind === "cancel_remittance") return ok(UNRESTRICTED);
    const policy = source.read();
    if (!policy.ok) return policy;
    const value = await this.#valueOf(task);
    if (!value.ok) return value;
    const account = this.#context.journalAccount();
    const usage = await this.#transfers.journal.usage(account, familyOf(task.kind), clock.now());
    if (!usage.ok) return usage;
    return ok({
      policy: policy.value,
      verdict: this.#judge(policy.value, body, value.value, usage.value),
      countsFor: value.value?.toString() ?? "0",
      recheck: (now) => {
        // The file may have changed, and the quote may have run out, while the request waited for its turn.
        const current = source.read();
        if (!current.ok) return current.fault;
        const lapse = this.lapse(body, current.value);
        return lapse ?? transferFaultOf(this.#judge(current.value, body, value.value, now));
      },
    });
  }

  /** Why a transfer is too late: its quote or its question has run out, or its approval came a way that is not taken now. */
  lapse({ task, approval }: Pick<TransferBody, "task" | "approval">, policy: Policy | undefined): Fault | undefined {
    const nowMs = this.#context.parts.clock.now();
    const endsAtMs = this.quoteEndsAtMs(task);
    if (endsAtMs !== undefined && nowMs >= endsAtMs) return lapsed("The quote has expired.");
    if (approval === undefined || policy === undefined) return undefined;
    return approvalLapsed(approval, policy, nowMs);
  }

  /** By our clock, as far as we know how it stands to the exchange's. */
  quoteEndsAtMs(task: TransferTask): number | undefined {
    const endsAtMs = quoteEndsAtMs(task);
    return endsAtMs === undefined ? undefined : endsAtMs - (this.#context.parts.venue.clockOffsetMs() ?? 0);
  }

  #judge(
    policy: Policy,
    { task, environment, approval }: TransferBody,
    value: Value | undefined,
    usage: TransferUsage,
  ): TransferVerdict {
    return decideTransfer(policy, {
      environment: { ofTask: environment, ofVenue: this.#context.parts.venue.environment },
      task,
      value,
      usage: { ...usage, killSwitch: usage.killSwitch ?? this.#context.localKillSwitch },
      approved: approval?.approvedBy !== undefined,
    });
  }

  /** What a task counts for; undefined without a price. */
  async #valueOf(task: TransferTask): Promise<Result<Value | undefined>> {
    switch (task.kind) {
      case "confirm_payment": {
        // What leaves, where a bad rate makes that more than the bill.
        const { amount, pay_asset, pay_amount } = task.quote;
        const bill = await valueIn(this.#context, BILLED_IN, amount);
        if (!bill.ok || bill.value === undefined) return bill;
        const paid = await valueIn(this.#context, pay_asset, pay_amount);
        return paid.ok && paid.value !== undefined ? ok(max(paid.value, bill.value)) : paid;
      }
      case "refund_payment":
        return valueIn(this.#context, BILLED_IN, task.amount);
      case "cancel_remittance":
        return ok(inUnit("0"));
      case "send_remittance":
        return valueIn(this.#context, task.quote.source_asset, task.quote.source_amount);
      default:
        return task satisfies never;
    }
  }
}

function approvalLapsed(terms: TransferTerms, policy: Policy, nowMs: number): Fault | undefined {
  if (hasExpired(terms, nowMs)) return lapsed("The approval has expired.");
  const { approvedBy } = terms;
  if (approvedBy !== undefined && !policy.approveBy.includes(approvedBy))
    return lapsed(`The policy does not take approval by ${approvedBy} any more (approve_by).`);
  return undefined;
}

function lapsed(why: string): Fault {
  return localFault("ELocal:Not approved", {
    message: `${why} Nothing was sent.`,
    nextAction: "If it is still wanted, ask for a new quote and for it anew.",
  });
}

/** Why a transfer may not go by this verdict; undefined when it may. */
export function transferFaultOf(verdict: TransferVerdict): Fault | undefined {
  switch (verdict.kind) {
    case "allow":
      return undefined;
    case "ask":
      return localFault("ELocal:Not approved", {
        message: `A person has to approve it: ${verdict.why}. Nothing was sent.`,
        nextAction: "Tell the user.",
      });
    case "deny": {
      const { figure, limit, message } = verdict.finding;
      return localFault(verdict.rule === "brake" ? "ELocal:Trading halted" : "ELocal:Denied by policy", {
        message: `${message.charAt(0).toUpperCase()}${message.slice(1)}. Nothing was sent.`,
        rule: verdict.rule,
        figure,
        limit,
        nextAction: `Do what the message says, or leave it; only a person changes ${POLICY_FILE} or resumes trading.`,
      });
    }
    default:
      return verdict satisfies never;
  }
}
