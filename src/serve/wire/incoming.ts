/**
 * Owns what a client's message is, before anything else looks at it: whether it can be read, whether it is answered where it cannot, and in which
 * form it goes on.
 *
 * Invariants: a request that is not quite one is answered once, with its id where it has one; a notification is never answered, nor is a response,
 * which has `result` or `error` and no `method`; what may be left out and is `null` goes no further, nor do arguments that are JSON text, as
 * hosts write both for the same thing.
 *
 * Source: decision 0080.
 */
import type { RequestId } from "@modelcontextprotocol/server";
import { quoted } from "../../contract/index.ts";
import { DEPTH_MAX, doubledKey, fieldOf, isObject, mayHoldMore, readJsonText, withOwnKeys } from "../../mcp/index.ts";

type Json = Readonly<Record<string, unknown>>;

export type Incoming =
  /** `text`: as it goes on. */
  | { readonly kind: "message"; readonly value: Json; readonly text: string }
  | { readonly kind: "refused"; readonly refusal: Refusal }
  /** It cannot be read, and nobody waits to be told. */
  | { readonly kind: "unanswered" };

export interface Refusal {
  readonly jsonrpc: "2.0";
  readonly id: RequestId | null;
  readonly error: { readonly code: number; readonly message: string };
}

/** A code of JSON-RPC, and the fix. */
type Problem = readonly [code: number, message: string];

type Read<Value> =
  | { readonly value: Value; readonly problem?: undefined }
  | { readonly value?: undefined; readonly problem: Problem };

const UNANSWERED: Incoming = { kind: "unanswered" };
const [PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS] = [-32_700, -32_600, -32_602];

export function refusalOf(id: RequestId | null, [code, message]: Problem): Refusal {
  return { jsonrpc: "2.0", id, error: { code, message } };
}

/** @param given one message, as a line or a body */
export function incoming(given: string): Incoming {
  // A byte-order mark is no part of JSON, and some editors and shells write one.
  const text = given.replace(/^\uFEFF/, "");
  const { value: written, problem } = jsonOf(text);
  if (problem !== undefined) return { kind: "refused", refusal: refusalOf(null, problem) };
  if (isAnswer(written) && !isResponse(written)) return UNANSWERED;
  const read = isAnswer(written) ? { value: written } : requestOf(written);
  if (read.problem !== undefined)
    return isNotification(written) ? UNANSWERED : { kind: "refused", refusal: refusalOf(idOf(written), read.problem) };
  const { value } = read;
  return { kind: "message", value, text: value === written && !mayHoldMore(text) ? text : JSON.stringify(value) };
}

function jsonOf(text: string): Read<unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: [PARSE_ERROR, "Parse error: this is not JSON"] };
  }
  let isTooDeep = false;
  const tooDeep = () => {
    isTooDeep = true;
  };
  if (mayHoldMore(text)) value = withOwnKeys(value, tooDeep);
  if (!isTooDeep || !isObject(value)) return { value };
  return { value: { ...value, params: TOO_DEEP } };
}

/** In the place of what is nested too deeply. */
const TOO_DEEP = `nested more than ${DEPTH_MAX} levels deep`;

function requestOf(value: unknown): Read<Json> {
  const invalid = (what: string): Read<Json> => ({ problem: [INVALID_REQUEST, `Invalid Request: ${what}`] });
  if (Array.isArray(value)) return invalid("this is a batch; send each message by itself");
  if (!isObject(value)) return invalid("a message is one JSON object");
  const { params, ...rest } = value;
  const { jsonrpc, method } = rest;
  if (method === undefined || method === null) return invalid("method is missing");
  if (typeof method !== "string") return invalid("method has to be text");
  if (Object.hasOwn(value, "id") && idOf(value) === null) return invalid("id has to be text or a whole number");
  if (jsonrpc !== "2.0") return invalid('jsonrpc has to be "2.0"');
  const more = Object.keys(value).find((name) => !MEMBERS.includes(name));
  if (more !== undefined) return invalid(`a request has no member ${quoted(more, 40)}`);
  if (params === TOO_DEEP) return invalid(TOO_DEEP);
  if (params === undefined) return { value };
  if (params === null) return { value: rest };
  if (!isObject(params))
    return { problem: [INVALID_PARAMS, "Invalid params: params is one JSON object with named fields"] };
  const read = paramsOf(method, params);
  return read.problem === undefined
    ? { value: read.value === params ? value : { ...value, params: read.value } }
    : read;
}

const MEMBERS: readonly string[] = ["jsonrpc", "id", "method", "params"];

/** It wants no answer, well or badly written. */
function isNotification(value: unknown): boolean {
  return typeof fieldOf(value, "method") === "string" && fieldOf(value, "id") === undefined;
}

function isAnswer(value: unknown): value is Json {
  const hasMethod = (fieldOf(value, "method") ?? null) !== null;
  return isObject(value) && !hasMethod && (Object.hasOwn(value, "result") || Object.hasOwn(value, "error"));
}

function isResponse(value: Json): boolean {
  const { jsonrpc, result, error } = value;
  const isEnd = error === undefined ? isObject(result) : result === undefined && isError(error);
  return jsonrpc === "2.0" && idOf(value) !== null && isEnd;
}

function isError(error: unknown): boolean {
  return Number.isSafeInteger(fieldOf(error, "code")) && typeof fieldOf(error, "message") === "string";
}

function idOf(value: unknown): RequestId | null {
  const id = fieldOf(value, "id");
  return typeof id === "string" || Number.isSafeInteger(id) ? (id as RequestId) : null;
}

function paramsOf(method: string, given: Json): Read<Json> {
  const takesArguments = method === "tools/call" || method === "prompts/get";
  const { arguments: text } = given;
  if (!takesArguments || typeof text !== "string" || text === "") return { value: filled(method, given) };
  const read = readJsonText(text);
  if (read.ok) return { value: filled(method, { ...given, arguments: read.value }) };
  const why =
    read.doubled === undefined
      ? `arguments is one JSON object with named fields, and ${quoted(text, 40)} is not JSON`
      : doubledKey("arguments", read.doubled);
  return { problem: [INVALID_PARAMS, `Invalid params: ${why}`] };
}

/** Leaves out what is empty. What that means among a tool's own arguments is for the tool's schema to say. */
function filled(method: string, params: Json): Json {
  const isOwn = (name: string): boolean => method === "tools/call" && name === "arguments";
  const isEmpty = (name: string, value: unknown): boolean => value === "" && MAY_BE_EMPTY.includes(name);
  return kept(params, (name, value) => (isEmpty(name, value) ? null : isOwn(name) ? value : withoutNulls(value)));
}

const MAY_BE_EMPTY: readonly string[] = ["cursor", "arguments"];

/** @param value no deeper than a message may be */
function withoutNulls(value: unknown): unknown {
  return isObject(value) ? kept(value, (_, field) => withoutNulls(field)) : value;
}

/** Keeps what of an object is not null in the end; the same object where that is all of it, as it was. */
function kept(value: Json, read: (name: string, field: unknown) => unknown): Json {
  const left: [string, unknown][] = [];
  let isSame = true;
  for (const [name, field] of Object.entries(value)) {
    const now = read(name, field);
    isSame &&= now !== null && now === field;
    if (now !== null) left.push([name, now]);
  }
  return isSame ? value : Object.fromEntries(left);
}
