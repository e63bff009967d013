/**
 * A call before it is sent, and how one is composed from the contract's entry for its endpoint. Path, query and body are checked
 * against the contract, so that nothing malformed is sent. Calls of the Trading API, whose requests are forms, are composed in
 * `trading/operation-call.ts`.
 *
 * Reads what an outcome on the wire means: a value of the contract, or a fault that says truthfully whether the venue was reached.
 *
 * Invariants:
 * - Only a readable error of the contract is a refusal (`reachedVenue: yes`). Any other answer, or none, leaves a write `unknown`. So
 *   do the service's own failures, which the Trading API reports with HTTP 200, and, for a write, `EAPI:Invalid nonce`: the refused
 *   request may be a second delivery of one that was accepted.
 * - Text of the venue appears in `venueText` only, never in `message`; every text in an answer is cleaned and capped as it is read.
 *
 * Source: service.md#error-body, service.md#trading-envelope, service.md#retry-nonce, service.md#order-without-answer, architecture.md#rule-5, architecture.md#rule-10.
 */
import type { z } from "zod";
import {
  defined,
  type Endpoint,
  type EndpointId,
  errorBody,
  type Fault,
  failed,
  faultFor,
  localFault,
  ok,
  parseForeignJson,
  RATE_HEADERS,
  type Result,
  type RetryRule,
  type TradingOperationId,
  type TransferEndpointId,
  tradingEnvelope,
  transferErrorBody,
  venueFault,
} from "../../../contract/index.ts";
import { venueField, venueText, venueUrl, type WireOutcome } from "../../../transport/index.ts";

/** Goes into a request. Undefined members are left out. */
export interface CallInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: object;
}

/**
 * The API of a call, which decides how it is signed and how its answer is read. `open`: the nonce in a header, a JSON body.
 * `trading`: a form that begins with the nonce, an envelope around every answer. `draft`: as `open`, without a version header.
 */
export type ApiFamily = "open" | "trading" | "draft";

export type CallName = EndpointId | TradingOperationId | TransferEndpointId;

/** The part of a call that is sent. */
export interface OutgoingCall {
  readonly family: ApiFamily;
  readonly endpoint: CallName;
  readonly method: Endpoint["method"];
  /** Path and query, from `/v1`, `/0` or `/v0.1` on. */
  readonly path: string;
  /** JSON, or a form without its nonce. */
  readonly body?: string;
  readonly weight: number;
  readonly isPrivate: boolean;
  /** Tells that it may change something at the venue. Then it is sent at most once, and no answer means unknown. */
  readonly isWrite: boolean;
  /** Identifies the request to the venue. A write of the drafts has one. */
  readonly idempotencyKey?: string;
}

/** A call and how its answer is read. */
export interface Call<T, IsWrite extends boolean = boolean> extends OutgoingCall {
  /** Part of the type, so that a write cannot reach the code that retries reads. */
  readonly isWrite: IsWrite;
  readonly response: z.ZodType<T>;
}

/** A call with a check whether an answer belongs to it. On a connection out of step it may be the answer to another request. */
export interface MatchedCall<T, IsWrite extends boolean = boolean> extends Call<T, IsWrite> {
  readonly matches?: ((answer: T) => boolean) | undefined;
}

/** The parts of a contract entry that a call is composed from. */
type CalledEndpoint = Pick<Endpoint, "method" | "path" | "params" | "query" | "body" | "response" | "weight">;

type CallDetail<IsWrite> = Pick<OutgoingCall, "family" | "endpoint" | "isPrivate" | "idempotencyKey"> & {
  readonly isWrite: IsWrite;
};

/**
 * @typeParam T the endpoint's answer
 * @returns the call, or `ELocal:Invalid input` naming the first field that does not match the contract.
 */
export function composeCall<T, IsWrite extends boolean>(
  endpoint: CalledEndpoint,
  detail: CallDetail<IsWrite>,
  { params = {}, query = {}, body }: CallInput,
): Result<Call<T, IsWrite>> {
  const given = Object.entries(defined(query)).map(([name, value]) => [name, String(value)] as const);
  const fault =
    invalidInput(endpoint.params, params) ??
    invalidInput(endpoint.query, Object.fromEntries(given)) ??
    invalidInput(endpoint.body, body ?? {});
  if (fault !== undefined) return failed(fault);
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  const search = given.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  return ok({
    method: endpoint.method,
    path: search === "" ? path : `${path}?${search}`,
    weight: endpoint.weight,
    response: endpoint.response as z.ZodType<T>,
    // Behind: what is added to a spread object takes V8 a microsecond a field, on the way of every call.
    ...detail,
    ...(body === undefined ? undefined : { body: JSON.stringify(body) }),
  });
}

/** @returns a fault that names the first field that does not match the schema; undefined when all match */
export function invalidInput(schema: z.ZodType | undefined, value: object) {
  const parsed = schema?.safeParse(value);
  if (parsed === undefined || parsed.success) return undefined;
  const [issue] = parsed.error.issues;
  const unknown = issue?.code === "unrecognized_keys" ? issue.keys[0] : undefined;
  const field = unknown ?? issue?.path.join(".") ?? "";
  const problem = unknown === undefined ? issue?.message : "unknown field";
  const where = field === "" ? "" : `${field}: `;
  return localFault("ELocal:Invalid input", {
    message: `${where}${problem ?? "does not fit the contract"}. Nothing was sent.`,
    ...(field === "" ? {} : { field }),
  });
}

type WireAnswer = Extract<WireOutcome, { kind: "answer" }>;

/** Longest wait that the venue may ask for: a day. */
const WAIT_MAX_MS = 86_400_000;

/** The form of the service's codes. The venue may not use `ELocal`, which is ours. */
const WIRE_CODE = /^E(?!Local:)[A-Z][A-Za-z]{1,20}:[A-Za-z][A-Za-z0-9 ,._:[\]-]{0,150}$/;

/** Replaces the words of the catalogue, which hold for that one delivery and advise on reads. */
const MAYBE_IN_EFFECT = {
  message:
    "The exchange did not say what became of this request: it, or an earlier delivery of it, may have taken effect.",
  nextAction: "Look the order up before anything else; it is never sent twice.",
} as const;

export function interpret<T>(outcome: WireOutcome, call: MatchedCall<T>, nowMs: number): Result<T> {
  switch (outcome.kind) {
    case "not_sent":
      return failed(localFault("ELocal:Venue unreachable"));
    case "no_answer":
      return failed(localFault("ELocal:No answer"));
    case "garbled":
      return failed(localFault("ELocal:Unreadable answer"));
    case "answer":
      return READERS[call.family](outcome, call, nowMs);
  }
}

type Reader = <T>(answer: WireAnswer, call: MatchedCall<T>, nowMs: number) => Result<T>;

const READERS: Readonly<Record<ApiFamily, Reader>> = {
  open: readOpen,
  draft: readOpen,
  trading: readTrading,
};

function isSuccess({ status }: WireAnswer): boolean {
  return status >= 200 && status < 300;
}

function readOpen<T>(answer: WireAnswer, call: MatchedCall<T>, nowMs: number): Result<T> {
  const json = jsonOf(answer.body);
  if (isSuccess(answer)) return valueIn(json, answer, call);
  const { family } = call;
  const body = (family === "draft" ? transferErrorBody : errorBody).safeParse(json);
  if (answer.status < 400 || !body.success) return failed(unreadable(answer, nowMs));
  const { code, message, field, retry_after_ms: askedMs, state, user_action_url: url } = body.data.error;
  const afterMs = askedMs === undefined ? retryAfterMs(answer, nowMs) : Math.min(askedMs, WAIT_MAX_MS);
  return failed(
    refusal(code, answer, call, nowMs, {
      venueText: venueText(message),
      field: venueField(field ?? faultFor(code)?.detail ?? ""),
      retryAfterMs: afterMs,
      [family === "draft" ? "transferState" : "orderState"]: state,
      userActionUrl: venueUrl(url ?? ""),
    }),
  );
}

/** Errors come with any status, mostly 200. An entry that does not begin with E is a warning. */
function readTrading<T>(answer: WireAnswer, call: MatchedCall<T>, nowMs: number): Result<T> {
  const envelope = tradingEnvelope.safeParse(jsonOf(answer.body));
  if (!envelope.success) return failed(unreadable(answer, nowMs));
  const { error, result } = envelope.data;
  const code = error.find((entry) => entry.startsWith("E"));
  if (code === undefined) return isSuccess(answer) ? valueIn(result, answer, call) : failed(unreadable(answer, nowMs));
  // The answer contradicts itself: an error beside a result.
  if (!isNothing(result)) return failed(unreadable(answer, nowMs));
  return failed(
    refusal(code, answer, call, nowMs, {
      field: venueField(faultFor(code)?.detail ?? ""),
      retryAfterMs: retryAfterMs(answer, nowMs),
    }),
  );
}

function isNothing(result: unknown): boolean {
  return result === undefined || result === null || (typeof result === "object" && Object.keys(result).length === 0);
}

function valueIn<T>(json: unknown, answer: WireAnswer, call: MatchedCall<T>): Result<T> {
  const parsed = call.response.safeParse(json);
  if (parsed.success && call.matches?.(parsed.data) !== false) return ok(parsed.data);
  return failed(localFault("ELocal:Unreadable answer", { status: answer.status }));
}

/** Error classes that always are refusals. With any other class only the status can say that nothing was done. */
const REFUSING = /^E(?:API|Compliance|Order|Query|Transfer):/;

/** The retry rule of a code outside the catalogue. */
function retryOf(status: number, code: string): RetryRule {
  if (status === 429) return "after_delay";
  if (status >= 500) return "back_off";
  return status >= 400 || REFUSING.test(code) ? "never" : "back_off";
}

type RefusalDetail = {
  readonly [Name in "venueText" | "field" | "retryAfterMs" | "transferState" | "orderState" | "userActionUrl"]?:
    | Fault[Name]
    | undefined;
};

/** @param detail what else the answer says */
function refusal<T>(
  code: string,
  answer: WireAnswer,
  { isWrite }: Call<T>,
  nowMs: number,
  detail: RefusalDetail,
): Fault {
  const { status } = answer;
  if (!WIRE_CODE.test(code)) return unreadable(answer, nowMs);
  const known = faultFor(code);
  const retry = known?.entry.retry ?? retryOf(status, code);
  const unsure = status >= 500 || retry === "back_off" || retry === "new_nonce";
  const isUnknown = isWrite && unsure;
  return venueFault(code, {
    reachedVenue: isUnknown ? "unknown" : "yes",
    ...(isUnknown ? MAYBE_IN_EFFECT : {}),
    retry,
    status,
    ...defined(detail),
  });
}

function unreadable(answer: WireAnswer, nowMs: number): Fault {
  const afterMs = retryAfterMs(answer, nowMs);
  const detail = { status: answer.status, retryAfterMs: afterMs, ...plainAnswer(answer) };
  return localFault("ELocal:Unreadable answer", defined(detail));
}

/** A status that says by itself what is wrong, without the service's own words: often of a proxy before it. */
function plainAnswer({ status }: WireAnswer): Pick<Fault, "message" | "nextAction"> | undefined {
  const who = "The exchange, or something on the way to it,";
  if (status >= 500)
    return {
      message: `${who} answered HTTP ${status} and said no more: it fails, is overloaded or is being maintained.`,
      nextAction: "See with get_desk_status when it answers again; for an order or cancel look it up first.",
    };
  if (status < 400) return undefined;
  return {
    message: `${who} answered HTTP ${status} with something that is not the service's form.`,
    nextAction: "Check base_url; for an order or cancel look it up first.",
  };
}

const UTF_8 = new TextDecoder("utf-8", { fatal: true });

/** @returns undefined for anything that is not JSON in UTF-8. */
function jsonOf(body: Uint8Array): unknown {
  try {
    return parseForeignJson(UTF_8.decode(body));
  } catch {
    return undefined;
  }
}

/** `Retry-After`, in seconds or as a date. */
function retryAfterMs(answer: WireAnswer, nowMs: number): number | undefined {
  const header = answer.headers[RATE_HEADERS.retryAfter.toLowerCase()];
  if (typeof header !== "string") return undefined;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - nowMs; // not money: seconds
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), WAIT_MAX_MS) : undefined;
}
