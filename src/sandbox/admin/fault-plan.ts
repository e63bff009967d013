/**
 * Planned faults: which fault is injected into which requests, and how often. Entry point: `FaultPlan`.
 *
 * Invariants: of several that match a request, only the oldest is injected; a fault is removed once it was injected as often as
 * planned; planned faults are kept in memory only.
 */
import { FAULTS } from "../../contract/index.ts";
import type { Family, Reply, RequestHead } from "../http/family.ts";
import type { FamilyEffectKind } from "../http/family-effect.ts";
import type { FaultInjector, InjectedFault } from "../http/fault-injection.ts";
import { fault, rateExceeded, unavailable } from "../http/outcome.ts";
import type { Millis } from "../model/index.ts";

/** What can go wrong whichever family is asked. */
export const FAULT_KINDS = {
  latency: "the request is handled late",
  error: "it is answered with a 5xx status, 504 as a timeout, without effect unless applied",
  drop: "it takes effect, and the connection ends without an answer",
  garble: "it takes effect, and half of the answer's body is sent",
  late_delivery: "the connection ends at once, and the request takes effect after_ms later",
  swallow: "it has no effect, and the connection ends without an answer",
  double_delivery: "it is delivered twice, and the second answer is sent",
  ban: "from the first on, all requests are refused for_ms long, with status 418 or 429",
  odd_answer: "it is answered with another body and status, without effect unless applied",
  clock_skew: "its answer's Date is ms ahead, and the clock that it finds where the API has one",
} as const;

export type FaultKind = keyof typeof FAULT_KINDS | FamilyEffectKind;

export interface FaultTerms {
  readonly kind: FaultKind;
  /** null is any method. */
  readonly method: string | null;
  /** Has no query; `*` matches any characters. */
  readonly path: string;
  /** The number of requests. */
  readonly count: number;
  readonly latencyMs: number;
  readonly status: number;
  readonly applied: boolean;
  /** The answer, where another one is sent. */
  readonly odd?: { readonly body: string; readonly contentType: string };
}

export interface PlannedFault extends FaultTerms {
  readonly id: number;
  /** The number of requests it is still to be injected into. */
  readonly remaining: number;
  /** Ends a ban, once it has begun. */
  readonly until?: Millis;
}

const PLANNED_MAX = 100;

export class FaultPlan implements FaultInjector {
  #planned: PlannedFault[] = [];
  #next = 1;
  readonly #now: () => Millis;

  /** @param now by which bans end */
  constructor(now: () => Millis) {
    this.#now = now;
  }

  /** @returns undefined when there are too many. */
  add(terms: FaultTerms): PlannedFault | undefined {
    if (this.#planned.length >= PLANNED_MAX) return undefined;
    const planned = { ...terms, id: this.#next++, remaining: terms.count };
    this.#planned.push(planned);
    return planned;
  }

  list(): readonly PlannedFault[] {
    return this.#planned;
  }

  /** @returns false when there is none with this id. */
  remove(id: number): boolean {
    const before = this.#planned.length;
    this.#planned = this.#planned.filter((planned) => planned.id !== id);
    return this.#planned.length < before;
  }

  clear(): void {
    this.#planned = [];
  }

  take(head: RequestHead): InjectedFault | undefined {
    const now = this.#now();
    this.#planned = this.#planned.filter(({ until = now + 1 }) => until > now);
    const found = this.#planned.find(
      ({ method, path }) => (method ?? head.method) === head.method && matches(path, head.path),
    );
    if (found === undefined) return undefined;
    const next = nextOf(found, now);
    this.#planned = this.#planned.flatMap((planned) => (planned === found ? (next ?? []) : [planned]));
    return injectedFault(found, now, (next?.until ?? now) - now);
  }
}

/** What is left of a fault once it was injected. */
function nextOf(planned: PlannedFault, now: Millis): PlannedFault | undefined {
  if (planned.kind === "ban") return { ...planned, until: planned.until ?? now + planned.latencyMs };
  return planned.remaining > 1 ? { ...planned, remaining: planned.remaining - 1 } : undefined;
}

/** Compared part by part, as a regular expression made of a pattern could backtrack for ever. */
function matches(pattern: string, path: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return path === first;
  if (!path.startsWith(first) || !path.endsWith(last) || path.length < first.length + last.length) return false;
  let at = first.length;
  const end = path.length - last.length;
  for (const part of rest) {
    const found = path.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

const TIMED_OUT = "the service did not finish in time; query before sending an order again";

function injectedFault(planned: PlannedFault, now: Millis, leftMs: Millis): InjectedFault {
  const { kind, latencyMs, status, applied } = planned;
  const outage = status === FAULTS["EService:Timeout"].status ? fault("EService:Timeout", TIMED_OUT) : unavailable(503);
  const failed = (family: Family): Reply => ({ ...family.refuse(outage), status });
  const unaltered = { delayMs: 0, instead: () => undefined, altered: (reply: Reply) => reply };
  switch (kind) {
    case "latency":
      return { ...unaltered, delayMs: latencyMs };
    case "drop":
      return { ...unaltered, altered: () => undefined };
    case "garble":
      return { ...unaltered, altered: garbled };
    case "error":
      return applied ? { ...unaltered, altered: (_, family) => failed(family) } : { ...unaltered, instead: failed };
    case "late_delivery":
      return { ...unaltered, cutsAtOnce: true, delayMs: latencyMs, altered: () => undefined };
    case "swallow":
      return { ...unaltered, instead: failed, altered: () => undefined };
    case "double_delivery":
      return { ...unaltered, deliversTwice: true };
    case "ban":
      return { ...unaltered, instead: (family) => family.refuse({ ...rateExceeded(leftMs), status }) };
    case "odd_answer":
      return applied
        ? { ...unaltered, altered: () => oddReply(planned) }
        : { ...unaltered, instead: () => oddReply(planned) };
    case "clock_skew":
      return { ...unaltered, effect: { kind, ms: latencyMs }, altered: (reply) => dated(reply, now + latencyMs) };
    case "read_lag":
    case "late_execution":
    case "not_ready":
    case "duplicate_id":
    case "partial_then_vanish":
    case "omit_canceled":
    case "half_list":
      return { ...unaltered, effect: { kind, ms: latencyMs } };
    default:
      return kind satisfies never;
  }
}

function oddReply({ status, odd = { body: "", contentType: "text/html" } }: PlannedFault): Reply {
  const length = String(Buffer.byteLength(odd.body));
  return { status, headers: ["Content-Type", odd.contentType, "Content-Length", length], text: odd.body };
}

/** Callers of an exchange without a clock of its own go by HTTP's date. */
function dated(reply: Reply, at: Millis): Reply {
  return { ...reply, headers: [...reply.headers, "Date", new Date(at).toUTCString()] };
}

/** The first half of a reply, with its length as Content-Length, so that only the JSON is broken and not HTTP. */
function garbled({ status, headers, text }: Reply): Reply {
  const half = text.slice(0, Math.floor(text.length / 2));
  const length = headers.findIndex((name, index) => index % 2 === 0 && /^content-length$/i.test(name));
  const shown = length < 0 ? headers : headers.with(length + 1, String(Buffer.byteLength(half)));
  return { status, headers: shown, text: half };
}
