/**
 * Owns the words of an error that the SDK answers with where a message of a client has not the form of its method: the SDK writes out what its
 * validator has found, as JSON, which neither a person nor a model can do anything with.
 *
 * Invariant: what is not such a list leaves as it is.
 */
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import { named } from "../input/input-problem.ts";
import { fieldOf } from "../person/view.ts";

const INVALID_PARAMS = -32_602;

/** From now on this transport sends errors in words. */
export function sendInWords(transport: Transport): void {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => send(inWords(message), options);
}

/** @returns the same where it is no error with a validator's list */
export function inWords<Message extends JSONRPCMessage>(message: Message): Message {
  const error = fieldOf(message, "error");
  const text = fieldOf(error, "message");
  const issues = typeof text === "string" ? issuesIn(text) : undefined;
  if (issues === undefined) return message;
  return {
    ...message,
    error: { code: INVALID_PARAMS, message: `Invalid request: ${issues.map(sentenceOf).join("; ")}` },
  };
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

function issuesIn(text: string): readonly Issue[] | undefined {
  const begin = text.indexOf("[\n");
  if (begin < 0) return undefined;
  try {
    const list: unknown = JSON.parse(text.slice(begin));
    return Array.isArray(list) && list.length > 0 && list.every(isIssue) ? list.slice(0, ISSUES_MAX) : undefined;
  } catch {
    return undefined;
  }
}

const ISSUES_MAX = 6;

function isIssue(value: unknown): value is Issue {
  return Array.isArray(fieldOf(value, "path")) && typeof fieldOf(value, "message") === "string";
}

const KINDS: Readonly<Record<string, string>> = {
  record: "a JSON object with named fields",
  object: "a JSON object with named fields",
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a JSON list",
};

function sentenceOf(issue: Issue): string {
  const field = issue.path.length === 0 ? "the message" : named(issue.path);
  const [, expected = "", received = ""] = /expected (\w+), received (\w+)/.exec(issue.message) ?? [];
  if (received === "undefined") return `${field} is missing`;
  const kind = Object.hasOwn(KINDS, expected) ? KINDS[expected] : undefined;
  if (kind !== undefined) return `${field} has to be ${kind}`;
  return `${field} has not the form of this method: ${issue.message}`;
}
