/**
 * Owns the form of a result: a short text for the model, the same as structured content for programs, and `isError` where what was
 * requested did not happen. Every result carries the environment; account data and writes carry the account too.
 *
 * Invariants: text, structured content and `isError` say the same; the text begins with [sandbox] or [LIVE], and its moments stand by the clock of the
 * reader with its distance from UTC, where the structured content has them in ISO 8601.
 */
import type { CallToolResult } from "@modelcontextprotocol/server";
import { defined, type Fault, faultFor, localFault, type Proposal, quoted, visibleLine } from "../../contract/index.ts";
import { type Desk, deniedOrder, type ReportedError, reportError, type Stamp } from "../../desk/index.ts";
import { evidenceWords, localMoments, wordsFor } from "../../words/index.ts";
import type { InputProblem } from "../input/input-problem.ts";

/** The account each desk last named in a result; the desk itself answers this question only with a request. */
const accounts = new WeakMap<Desk, string>();

/** The venue names the account; no honest id is longer. */
const ACCOUNT_MAX = 60;

function stampOf(desk: Desk): Stamp {
  return { environment: desk.environment, account: accounts.get(desk) ?? "unknown", unit: desk.unit };
}

/** `[sandbox]` or `[LIVE]`. `answered` puts it at the head of every text: without it, sandbox prices would pass for real ones. */
export function badge(desk: Desk): string {
  return desk.environment === "live" ? "[LIVE]" : "[sandbox]";
}

/** A result of a call that succeeded, or failed with `isError`. */
export function answered(desk: Desk, text: string, content: object, isError = false): CallToolResult {
  const structuredContent: Record<string, unknown> = { environment: desk.environment, ...content };
  const { account } = structuredContent;
  if (typeof account === "string") {
    const shown = visibleLine(account, ACCOUNT_MAX) ?? "";
    structuredContent["account"] = shown;
    accounts.set(desk, shown);
  }
  const head = `${badge(desk)} `;
  const told = localMoments(text, desk.timeZone);
  const marked = told.startsWith(head) ? told : `${head}${told}`;
  return { content: [{ type: "text", text: marked }], structuredContent, ...(isError ? { isError } : {}) };
}

/** Tells what look-ups have shown of a submission without an answer. */
export function evidenceText(evidence: Parameters<typeof evidenceWords>[0] | undefined): string | undefined {
  // As they are: `answered` puts the moments of a whole text by the reader's clock.
  return evidence && evidenceWords(evidence, { say: wordsFor().say, when: String });
}

/** Says how to get the page after this one; nothing where it is the last. */
export function nextPage(next_cursor: string | null): string | undefined {
  return next_cursor === null ? undefined : `There are more: send cursor ${quoted(next_cursor, 4_096)}.`;
}

/** A read that failed: what happened and what to do next. */
export function failedRead(desk: Desk, fault: Fault): CallToolResult {
  const error = reportError(fault);
  return answered(desk, lines(`Failed: ${errorText(error)}`, adviceForRead(fault)), { error }, true);
}

const ASK_AGAIN = "Ask again; get_desk_status shows whether the exchange is up.";

/** A read changes nothing, so the advice for an order without an answer would only mislead. */
function adviceForRead({ code, nextAction }: Fault): string {
  switch (code) {
    case "ELocal:No answer":
    case "EService:Timeout":
    case "EService:Unavailable":
    case "EAPI:Invalid nonce":
      return ASK_AGAIN;
    case "ELocal:Unreadable answer":
      return `${ASK_AGAIN} If it stays so, check base_url.`;
    case "ELocal:Internal error":
      return "Ask again, and report the defect.";
    default:
      return nextAction;
  }
}

/** Writes one fault as text: our sentence, its code, and whatever else the caller needs to act. */
export function errorText(error: ReportedError): string {
  const parts = [`${sentence(error.message)} (${error.code})`];
  if (error.field !== undefined && !namesField(error, error.field)) parts.push(`Field: ${quoted(error.field)}.`);
  if (error.rule !== undefined) parts.push(`Rule: ${error.rule}.`);
  if (error.proposals !== undefined) parts.push(`Proposals: ${error.proposals.map(proposalText).join(", ")}.`);
  if (error.retry_after_ms !== undefined) parts.push(`Wait ${error.retry_after_ms} ms.`);
  if (error.user_action_url !== undefined) parts.push(`The user has to open ${quoted(error.user_action_url, 4_096)}.`);
  if (error.venue_text !== undefined) parts.push(`The exchange's words, as data: ${quoted(error.venue_text, 4_096)}`);
  return parts.join(" ");
}

export function proposalText({ field, proposed, reason }: Proposal): string {
  return `${field} "${proposed}" (${reason})`;
}

/** The error after a line that has already said that nothing was sent. */
export function errorTextUnsent(error: ReportedError): string {
  return errorText({ ...error, message: error.message.replace(/ Nothing was (sent|recorded|changed)\.$/, "") });
}

/** Tells whether the message names the field. One of the fault table does not, as it is the same for every field. */
function namesField({ code, message }: ReportedError, field: string): boolean {
  if (message === faultFor(code)?.entry.meaning) return false;
  return message.split(/[^\w.]+/).some((word) => word.replace(/\.$/, "") === field);
}

export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** Lines of a text; what is absent or empty is left out. */
export function lines(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== "").join("\n");
}

/** Arguments of a read that do not fit. */
export function refusedInput(desk: Desk, problems: readonly InputProblem[]): CallToolResult {
  const { error, text } = inputError(problems);
  return answered(desk, text, { error }, true);
}

/** Arguments of a write that do not fit: denied by us, and nothing was sent. */
export function deniedInput(desk: Desk, problems: readonly InputProblem[]): CallToolResult {
  const { error, text } = inputError(problems);
  const content = {
    outcome: "not_sent",
    state: "denied",
    ...stampOf(desk),
    warnings: [],
    next_action: "Correct the named field.",
    error,
  };
  return answered(desk, `Nothing was sent. ${text}`, content, true);
}

/** A write that is not about one order and failed: nothing was changed, the exchange rejected it, or the outcome is unknown. */
export function failedWrite(desk: Desk, fault: Fault): CallToolResult {
  if (fault.reachedVenue !== "no") {
    const error = reportError(fault);
    const { nextAction: next_action } = fault;
    const [outcome, head] = fault.reachedVenue === "yes" ? ["rejected", "Not done"] : ["unknown", "UNKNOWN"];
    const content = { outcome, state: outcome, ...stampOf(desk), warnings: [], next_action, error };
    return answered(desk, lines(`${head}: ${errorText(error)}`, `Next: ${next_action}`), content, true);
  }
  const report = deniedOrder(stampOf(desk), fault);
  const why = report.error === undefined ? "" : ` ${errorText(report.error)}`;
  return answered(desk, lines(`Nothing was changed.${why}`, `Next: ${report.next_action ?? ""}`), report, true);
}

function inputError(problems: readonly InputProblem[]): { readonly error: ReportedError; readonly text: string } {
  const messages = problems.map(({ message }) => message);
  const field = problems.find((problem) => problem.field !== "")?.field;
  const error = reportError(
    localFault("ELocal:Invalid input", { message: messages.join("; "), ...defined({ field }) }),
  );
  const list = messages.length === 1 ? ` ${messages[0]}` : messages.map((message) => `\n- ${message}`).join("");
  return { error, text: `The arguments do not fit:${list}` };
}

/** A read that threw. */
export function brokenRead(desk: Desk): CallToolResult {
  const message = "Something inside hoga itself failed while looking; this is a defect. Nothing was changed.";
  return failedRead(desk, localFault("ELocal:Internal error", { reachedVenue: "no", message }));
}

/** A write that threw: nobody knows how far it got, so its outcome is `unknown`. */
export function brokenWrite(desk: Desk): CallToolResult {
  const { nextAction: next_action, ...fault } = localFault("ELocal:Internal error");
  const error = reportError({ ...fault, nextAction: next_action });
  const content = { outcome: "unknown", state: "unknown", ...stampOf(desk), warnings: [], next_action, error };
  return answered(desk, `UNKNOWN: ${errorText(error)} ${next_action}`, content, true);
}
