/**
 * What needs a person is taken where money may be real only once there is a PIN: the first one has nothing to be checked against, so it has
 * to be the person's, set before anything waits for it. A passkey that counts there was enrolled with the PIN, so it makes no difference here.
 *
 * Source: architecture.md#rule-2; decision 0008, decision 0024, decision 0045.
 */
import { type Fault, localFault } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import { hasPin } from "./instruction.ts";

/** Why nothing that needs a person is taken; undefined where it is. */
export async function missingPin({
  isPractice,
  terminal,
}: Pick<DeskContext, "isPractice" | "terminal">): Promise<Fault | undefined> {
  if (isPractice || (await hasPin(terminal)) !== false) return undefined;
  return localFault("ELocal:Not approved", {
    message:
      "No PIN is set, and where money may be real nothing that needs a person is taken without one. Nothing was sent.",
    nextAction: `Tell the user to set one on a terminal: \`${terminal.command("pin")}\`. Then ask for it anew.`,
  });
}
