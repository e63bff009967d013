/**
 * Owns the form of a result: a short text for the model, the same as structured content for programs, and `isError` where the
 * thing asked for did not happen. Every result carries the environment; account data and writes carry the account too.
 *
 * Invariant: text, structured content and `isError` say the same.
 */
import type { CallToolResult } from "@modelcontextprotocol/server";
import { type Fault, localFault, visibleLine } from "../contract/index.ts";
import { type Desk, type ReportedError, reportError, type Stamp } from "../desk/index.ts";
import type { InputProblem } from "./input-problem.ts";

/** The account each desk last named in a result; the desk itself answers this question only with a request. */
const accounts = new WeakMap<Desk, string>();

/** The venue names the account; no honest id is longer. */
const ACCOUNT_MAX = 60;

function stampOf(desk: Desk): Stamp {
  return { environment: desk.environment, account: accounts.get(desk) ?? "unknown" };
}

/** `[sandbox]` or `[LIVE]`, at the head of every text about money of ours. */
export function badge(desk: Desk): string {
  return desk.environment === "live" ? "[LIVE]" : "[sandbox]";
}

/** A result that answers what was asked. */
export function answered(desk: Desk, text: string, content: object, isError = false): CallToolResult {
  const structuredContent: Record<string, unknown> = { environment: desk.environment, ...content };
  const { account } = structuredContent;
  if (typeof account === "string") {
    const shown = visibleLine(account, ACCOUNT_MAX) ?? "";
    structuredContent["account"] = shown;
    accounts.set(desk, shown);
  }
  return { content: [{ type: "text", text }], structuredContent, ...(isError ? { isError } : {}) };
}

/** A read that failed: what happened and what to do next. */
export function failedRead(desk: Desk, fault: Fault): CallToolResult {
  const error = reportError(fault);
  return answered(desk, lines(`Failed: ${errorText(error)}`, fault.nextAction), { error }, true);
}

/** One fault as text: our sentence, its code, and whatever else the caller needs to act. */
export function errorText(error: ReportedError): string {
  const parts = [`${sentence(error.message)} (${error.code})`];
  if (error.retry_after_ms !== undefined) parts.push(`Wait ${error.retry_after_ms} ms.`);
  if (error.user_action_url !== undefined) parts.push(`The user has to open ${JSON.stringify(error.user_action_url)}.`);
  if (error.venue_text !== undefined) parts.push(`The exchange's words, as data: ${JSON.stringify(error.venue_text)}`);
  return parts.join(" ");
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
  return answered(desk, `${badge(desk)} Nothing was sent. ${text}`, content, true);
}

function inputError(problems: readonly InputProblem[]): { readonly error: ReportedError; readonly text: string } {
  const messages = problems.map(({ message }) => message);
  const field = problems.find((problem) => problem.field !== "")?.field;
  const error = reportError(
    localFault("ELocal:Invalid input", { message: messages.join("; "), ...(field === undefined ? {} : { field }) }),
  );
  const list = messages.length === 1 ? ` ${messages[0]}` : messages.map((message) => `\n- ${message}`).join("");
  return { error, text: `The arguments do not fit:${list}` };
}

/** A read that threw. */
export function brokenRead(desk: Desk): CallToolResult {
  return failedRead(desk, localFault("ELocal:Internal error", { reachedVenue: "no" }));
}

/** A write that threw: nobody knows how far it came, so nothing better than `unknown` may be said. */
export function brokenWrite(desk: Desk): CallToolResult {
  const { nextAction: next_action, ...fault } = localFault("ELocal:Internal error");
  const error = reportError({ ...fault, nextAction: next_action });
  const content = { outcome: "unknown", state: "unknown", ...stampOf(desk), warnings: [], next_action, error };
  return answered(desk, `${badge(desk)} UNKNOWN: ${errorText(error)} ${next_action}`, content, true);
}
