/**
 * What is said of an answer out of a client's form that is no yes, whatever was asked about.
 *
 * Source: architecture.md#rule-2; decision 0008.
 */

import type { AskedBy, ClientAnswer } from "../model/approval-request.ts";
import type { ApprovalWay } from "../model/submission.ts";
import type { WhyEnded } from "./pending-approvals.ts";

/** Whether a policy that takes these ways takes an answer to what is asked so: the console's page takes all but the client's form. */
export function takesAnswer(ways: readonly ApprovalWay[], asked: AskedBy): boolean {
  return ways.some((way) => (way === "client") === (asked === "form"));
}

/** Of what a person declined in the form. A client that declines by itself is a person as far as can be seen. */
export const DECLINED: WhyEnded = {
  message: "The question in the client was answered with no, so it is withdrawn. Nothing was sent.",
  nextAction:
    "Do not ask for it again unless the user wants it. If the user saw no question, the client declined by itself: with " +
    'approve_by = ["pin"] in policy.toml it is asked on a terminal instead.',
};

/** Of a form that was closed, or that nobody saw: what waits goes on waiting. @param how to withdraw it; a sentence */
export function unansweredLines(
  said: Exclude<ClientAnswer, "yes" | "no" | "sent" | "withdrawn">,
  how: string,
): readonly string[] {
  const what =
    said === "dismissed"
      ? "The form was dismissed without an answer, so it still waits."
      : "The client brought no answer that can be read, so it still waits.";
  return [`${what} ${how}`];
}
