/**
 * Owns how a call of a tool and a write of the desk ended, in one of a few words.
 *
 * Invariant: every word is one of ours; nothing that a caller or the venue has written is among them.
 *
 * Source: decision 0039.
 */
import { RULES, type WriteReport } from "../desk/index.ts";
import type { ToolAnswer } from "../mcp/index.ts";

const WRITE_OUTCOMES = ["accepted", "rejected", "not_sent", "unknown"] as const;

/** `asked`: a question went back to a person through the client. A write's outcome is its own; of others `ok` or `error`. */
export type CallOutcome = (typeof WRITE_OUTCOMES)[number] | "ok" | "error" | "asked";

export function outcomeOfCall(answer: ToolAnswer): CallOutcome {
  if (!("content" in answer)) return "asked";
  const said = contentOf(answer)["outcome"];
  return WRITE_OUTCOMES.find((outcome) => outcome === said) ?? (answer.isError === true ? "error" : "ok");
}

/** The id of the order's intent, which is ours. */
export function intentOfCall(answer: ToolAnswer): string | undefined {
  const id = contentOf(answer)["intent_id"];
  return typeof id === "string" ? id : undefined;
}

function contentOf(answer: ToolAnswer): Readonly<Record<string, unknown>> {
  return (answer as { readonly structuredContent?: Readonly<Record<string, unknown>> }).structuredContent ?? {};
}

/** `denied`: by a rule of the policy. `waiting`: for a person. `not_sent`: by any other reason of ours. */
export type OrderOutcome = (typeof WRITE_OUTCOMES)[number] | "denied" | "waiting";

export interface OrderEnd {
  readonly outcome: OrderOutcome;
  /** Names the policy's rule, where one denied it; else "". */
  readonly rule: string;
}

export function endOfOrder({ outcome, state, error }: WriteReport): OrderEnd {
  if (state === "awaiting_approval") return { outcome: "waiting", rule: "" };
  const rule = RULES.find((name) => name === error?.rule);
  return outcome === "not_sent" && rule !== undefined ? { outcome: "denied", rule } : { outcome, rule: "" };
}
