/**
 * Why no order leaves at all, whatever it is: asked by the order itself, by the status and by the probe, so that they say the same.
 *
 * Invariant: what keeps this process from working (its clock; the store is asked by `journal.writable`) is one thing, and what stops orders and lets a person
 * look, cancel and resume (a halt, a read-only policy, a budget that is used up) another.
 *
 * Source: decision 0039, decision 0075.
 */
import { type Fault, localFault } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import type { KillSwitchRecord } from "../model/account-usage.ts";
import type { Policy } from "../model/policy.ts";
import type { LimitView } from "../model/reports.ts";
import { haltDenial, modeDenial } from "./policy-rules.ts";

/** A machine that sets its clock by the network is off by far less. Nonces follow the venue's clock in any case; times and daily budgets do not. */
const CLOCK_OFFSET_MAX_MS = 5_000;

/**
 * Undefined where our clock goes as the venue's does, and while the venue has not answered; and on an exchange to practise on, whose clock anybody may
 * move (decision 0012).
 */
export function clockFault({ isPractice, parts }: Pick<DeskContext, "isPractice" | "parts">): Fault | undefined {
  const offsetMs = parts.venue.clockOffsetMs() ?? 0;
  if (isPractice || Math.abs(offsetMs) <= CLOCK_OFFSET_MAX_MS) return undefined;
  const which = offsetMs > 0 ? "behind" : "ahead of";
  return localFault("ELocal:Not placed", {
    message:
      `This machine's clock is ${Math.abs(offsetMs)} ms ${which} the exchange's, and at most ${CLOCK_OFFSET_MAX_MS} are allowed: days and budgets ` +
      "would be counted wrong. Nothing was sent.",
    nextAction: "Tell the person to set this machine's clock by the network; cancels still work.",
  });
}

interface Standing {
  readonly policy: Policy;
  readonly halt: KillSwitchRecord | undefined;
  readonly limits: readonly LimitView[];
}

/** Sentences, each a reason for itself; none where an order may pass. A loss of the day still lets sells pass, and says so itself. */
export function standstillReasons({ policy, halt, limits }: Standing): readonly string[] {
  const denials = [halt && haltDenial(halt), modeDenial(policy)].filter((denial) => denial !== undefined);
  const usedUp = limits.filter(({ rule, left }) => left === "0" && rule !== "day_loss");
  return [
    ...denials.map(({ message }) => sentence(message)),
    ...usedUp.map(({ rule, limit, frees_at: freesAt }) => {
      const when = freesAt === null ? "more comes free as open orders end" : `more comes free at ${freesAt}`;
      return `${rule} is used up, of ${limit}: ${when}, or a person raises the limit in policy.toml.`;
    }),
  ];
}

function sentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}
