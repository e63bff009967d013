/**
 * What an outcome on the wire means: a value of the contract, or a fault that tells truthfully whether the venue
 * was reached.
 *
 * Invariants:
 * - Only a readable error body of the contract is a refusal (`reachedVenue: yes`). Anything else that came back, or did
 *   not, leaves a write `unknown`; so do the service's own failures and, for a write, `EAPI:Invalid nonce`: the
 *   refused request may be a second delivery of one that was accepted.
 * - Text of the venue appears in `venueText` only, never in `message`.
 *
 * Source: decisions §3 (error body), §5; architecture rules 1, 5, 10.
 */
import {
  errorBody,
  type Fault,
  failed,
  faultFor,
  localFault,
  ok,
  RATE_HEADERS,
  type Result,
  venueFault,
} from "../contract/index.ts";
import type { Call } from "./call.ts";
import type { WireOutcome } from "./ports.ts";
import { venueField, venueText, venueUrl } from "./venue-text.ts";

type WireAnswer = Extract<WireOutcome, { kind: "answer" }>;

/** Longest wait taken over from the venue, in milliseconds: a day. */
const WAIT_MAX_MS = 86_400_000;

/** A code as the service writes them. Ours (`ELocal`) are not the venue's to use; `venueFault` shows only the short ones. */
const WIRE_CODE = /^E(?!Local:)[A-Z][A-Za-z]{1,20}:[A-Za-z][A-Za-z0-9 ,._:[\]-]{0,150}$/;

export function interpret<T>(outcome: WireOutcome, call: Call<T>, nowMs: number): Result<T> {
  switch (outcome.kind) {
    case "not_sent":
      return failed(localFault("ELocal:Venue unreachable"));
    case "no_answer":
      return failed(localFault("ELocal:No answer"));
    case "garbled":
      return failed(localFault("ELocal:Unreadable answer"));
    case "answer":
      return outcome.status >= 200 && outcome.status < 300
        ? valueIn(outcome, call)
        : failed(refusalIn(outcome, call.isWrite, nowMs));
  }
}

function valueIn<T>(answer: WireAnswer, call: Call<T>): Result<T> {
  const parsed = call.response.safeParse(jsonOf(answer.body));
  return parsed.success ? ok(parsed.data) : failed(unreadable(answer, undefined));
}

function refusalIn(answer: WireAnswer, isWrite: boolean, nowMs: number): Fault {
  const { status } = answer;
  const body = errorBody.safeParse(jsonOf(answer.body));
  const waitMs = retryAfterMs(answer, nowMs);
  if (status < 400 || !body.success || !WIRE_CODE.test(body.data.error.code)) return unreadable(answer, waitMs);
  const { error } = body.data;
  const known = faultFor(error.code);
  const retry = known?.entry.retry ?? (status >= 500 ? "back_off" : status === 429 ? "after_delay" : "never");
  const unsure = status >= 500 || retry === "back_off" || retry === "new_nonce";
  const afterMs = error.retry_after_ms === undefined ? waitMs : Math.min(error.retry_after_ms, WAIT_MAX_MS);
  return venueFault(error.code, {
    reachedVenue: isWrite && unsure ? "unknown" : "yes",
    retry,
    status,
    ...present("venueText", venueText(error.message)),
    ...present("field", venueField(error.field ?? known?.detail ?? "")),
    ...present("retryAfterMs", afterMs),
    ...present("orderState", error.state),
    ...present("userActionUrl", venueUrl(error.user_action_url ?? "")),
  });
}

function unreadable({ status }: WireAnswer, waitMs: number | undefined): Fault {
  return localFault("ELocal:Unreadable answer", { status, ...present("retryAfterMs", waitMs) });
}

/** @returns undefined for anything that is not JSON in UTF-8. */
function jsonOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}

/** `Retry-After`, in seconds or as a date. */
function retryAfterMs(answer: WireAnswer, nowMs: number): number | undefined {
  const header = answer.headers[RATE_HEADERS.retryAfter.toLowerCase()];
  if (typeof header !== "string") return undefined;
  // not money: a number of seconds
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - nowMs; // not money: seconds
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), WAIT_MAX_MS) : undefined;
}

function present<K extends keyof Fault>(name: K, value: Fault[K] | undefined): { [P in K]?: Fault[K] } {
  return value === undefined ? {} : ({ [name]: value } as { [P in K]?: Fault[K] });
}
