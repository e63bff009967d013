/**
 * The seal of a question that travels through a client, and what is said of an answer that does not count, whatever was asked about.
 *
 * Invariant: only what was sealed here is opened, and what was sealed for one thing names none of another.
 *
 * Source: architecture.md#rule-2; decision 0008.
 */
import { type Fault, localFault, ok, type Result } from "../../contract/index.ts";
import type { AskedBy } from "../model/approval-request.ts";
import type { ApprovalWay } from "../model/submission.ts";
import type { Seal } from "../ports/safeguards.ts";

export interface Question {
  readonly id: string;
  readonly digest: string;
  readonly askedIn: string | undefined;
  readonly asked: AskedBy;
}

/** @param thing says what kind of thing it is about, as a person calls it */
export function sealQuestion(
  seal: Seal,
  thing: string,
  { id, digest, askedIn, asked }: Question,
): Promise<Result<string>> {
  return seal.sign(JSON.stringify({ [thing]: id, digest, askedIn, asked }));
}

/** As it comes back: of who asked how nothing is known before it is looked at. */
export type OpenedQuestion = Pick<Question, "id" | "digest"> & { readonly asked: unknown };

/** @returns undefined for what carries no seal of such a question */
export async function openQuestion(
  seal: Seal,
  thing: string,
  token: string,
): Promise<Result<OpenedQuestion | undefined>> {
  const opened = await seal.open(token);
  if (!opened.ok || opened.value === undefined) return opened.ok ? ok(undefined) : opened;
  const { [thing]: id, digest, asked } = JSON.parse(opened.value) as Readonly<Record<string, unknown>>;
  return ok(typeof id === "string" && typeof digest === "string" ? { id, digest, asked } : undefined);
}

export function notApproved(message: string): Fault {
  return localFault("ELocal:Not approved", { message });
}

export function notTaken(way: ApprovalWay | "console"): Fault {
  return notApproved(`The policy does not take approval by ${way} (approve_by).`);
}

export function mismatch(message: string): Fault {
  return localFault("ELocal:Approval mismatch", { message: `${message} Nothing was sent.` });
}
