/**
 * A yes by touch: a passkey's signature over the digest of exactly what waits, verified by the desk itself when it is about to send.
 *
 * Invariant: what does not verify is no answer: nothing is sent, what waits goes on waiting, and the log says that it was tried.
 *
 * Source: architecture.md#rule-2; decision 0045.
 */
import { type Fault, localFault } from "../../contract/index.ts";
import { attempt } from "../core/attempt.ts";
import { type DeskContext, recordStep } from "../core/context.ts";
import type { ApprovalWay, PasskeyAssertion } from "../model/submission.ts";

export interface GivenYes {
  readonly way: ApprovalWay;
  readonly assertion?: PasskeyAssertion | undefined;
  /** Names what was approved: what the passkey has to have signed. */
  readonly digest: string;
  /** Names what waits. */
  readonly id: string;
  readonly account: string;
}

/** Why a yes that came with a signature, or has to, is none; undefined where it is one, or came in another way. */
export async function passkeyFault(context: DeskContext, yes: GivenYes): Promise<Fault | undefined> {
  const { way, assertion, digest, id: intentId, account } = yes;
  if (way !== "passkey")
    return assertion === undefined ? undefined : noYes("It came with a signature that nobody asked for.");
  const { passkeys, clock } = context.parts;
  if (passkeys === undefined || assertion === undefined) return noYes("It came without a passkey's signature.");
  const question = {
    ...{ challenge: digest, purpose: `approve ${intentId}` },
    ...{ forRealMoney: !context.isPractice, nowMs: clock.now() },
  };
  const { fault } = await attempt(() => passkeys.verify(assertion, question));
  if (fault !== undefined) {
    const detail = { by: "passkey", why: fault.message };
    await recordStep(context, { event: "approval_refused", account, intentId, detail });
  }
  return fault;
}

function noYes(message: string): Fault {
  return localFault("ELocal:Not approved", { message: `${message} Nothing was sent.` });
}
