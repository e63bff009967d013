/**
 * Owns what an alias call may end in, and how a fault of the catalogue or a problem of the dialect becomes `{ code, msg }`.
 * Entry points: `problem`, `fault`, `faultOf` (an engine's refusal), `faultOfWire` (what HTTP cannot do).
 *
 * Invariant: numbers, texts and statuses come from the contract's tables; an HTTP status only where HTTP knows a better one.
 */
import {
  ALIAS_FAULTS,
  ALIAS_PROBLEMS,
  type AliasProblem,
  FAULTS,
  type FaultCode,
  faultFor,
} from "../../contract/index.ts";
import type { Answer, Fault } from "../http/outcome.ts";
import type { Millis, Refusal } from "../model/index.ts";

export interface AliasFault {
  readonly ok: false;
  readonly status: number;
  readonly number: number;
  readonly msg: string;
  readonly retryAfterMs?: Millis;
}

export type AliasOutcome = Answer | AliasFault;

/** @param values for the `%s` of its text; names out of the request are made harmless */
export function problem(name: AliasProblem, ...values: string[]): AliasFault {
  const { number, msg } = ALIAS_PROBLEMS[name];
  return { ok: false, status: 400, number, msg: filled(msg, values) };
}

export function fault(code: FaultCode, ...values: string[]): AliasFault {
  const { status, number, msg } = ALIAS_FAULTS[code];
  return { ok: false, status, number, msg: filled(msg, values) };
}

export function rateExceeded(waitMs: Millis): AliasFault {
  return { ...fault("EAPI:Rate limit exceeded", String(waitMs)), retryAfterMs: waitMs };
}

/** With what is wrong in particular, for who reads the message. @param values as those of `problem` */
export function withDetail(refused: AliasFault, detail: string, ...values: string[]): AliasFault {
  return { ...refused, msg: `${refused.msg}; ${filled(detail, values)}` };
}

/** The engine says more about these than the dialect's text does. */
const DETAILED: readonly FaultCode[] = [
  "EGeneral:Invalid arguments",
  "EOrder:Tick size check failed",
  "EOrder:Order minimum not met",
  "EOrder:Invalid price",
];

/** The engine's no to an order. */
export function faultOf(refusal: Refusal): AliasFault {
  const named = namedFault(refusal);
  return DETAILED.includes(refusal.code) ? withDetail(named, refusal.message) : named;
}

function namedFault({ code, field }: Refusal): AliasFault {
  if (code === "EGeneral:Invalid arguments") return problem("invalidQuantity");
  return code === "EOrder:Tick size check failed" && field === "volume" ? problem("lotSize") : fault(code);
}

/** A fault from outside the family, such as a body that is too large. */
export function faultOfWire(wire: Fault): AliasFault {
  const code = faultFor(wire.code)?.code ?? "EService:Unavailable";
  const known = fault(code, wire.field ?? "request");
  return wire.status === FAULTS[code].status ? known : { ...known, status: wire.status };
}

const VALUE_LENGTH = 128;

/** What comes out of a request may hold anything; what is sent back holds none of it but printable ASCII. */
function filled(text: string, values: readonly string[]): string {
  const rest = values.map((value) => value.slice(0, VALUE_LENGTH).replace(/[^ -~]/g, "?"));
  return text.replace(/%s/g, () => rest.shift() ?? "");
}
