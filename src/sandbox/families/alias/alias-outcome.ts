/**
 * The outcomes of an alias call, and the form of its faults, `{ code, msg }`. Entry points: `problem` (of the dialect), `fault` (of
 * the service's catalogue), `faultOf` (a refusal of the engine), `aliasFault` (a fault of HTTP or of the admission).
 *
 * Invariant: numbers, texts and statuses come from the contract's tables; only HTTP's own faults have a status of HTTP's.
 * Source: service.md#alias-errors.
 */
import {
  ALIAS_FAULTS,
  ALIAS_PROBLEMS,
  type AliasProblem,
  FAULTS,
  type FaultCode,
  faultFor,
} from "../../../contract/index.ts";
import type { Answer, Fault } from "../../http/outcome.ts";
import type { Millis, Refusal } from "../../model/index.ts";

export interface AliasFault {
  readonly ok: false;
  readonly status: number;
  readonly number: number;
  readonly msg: string;
  readonly retryAfterMs?: Millis;
}

export type AliasOutcome = Answer | AliasFault;

/** @param values for the `%s` in its text; of text from the request only printable ASCII is kept */
export function problem(name: AliasProblem, ...values: string[]): AliasFault {
  const { number, msg } = ALIAS_PROBLEMS[name];
  return { ok: false, status: 400, number, msg: filled(msg, values) };
}

export function fault(code: FaultCode, ...values: string[]): AliasFault {
  const { status, number, msg } = ALIAS_FAULTS[code];
  return { ok: false, status, number, msg: filled(msg, values) };
}

/** Adds to the message what is wrong in particular. @param values as those of `problem` */
export function withDetail(refused: AliasFault, detail: string, ...values: string[]): AliasFault {
  return { ...refused, msg: `${refused.msg}; ${filled(detail, values)}` };
}

/** For these the engine's message says more than the dialect's text. */
const DETAILED: readonly FaultCode[] = [
  "EGeneral:Invalid arguments",
  "EOrder:Tick size check failed",
  "EOrder:Order minimum not met",
  "EOrder:Invalid price",
];

export function faultOf(refusal: Refusal): AliasFault {
  const named = namedFault(refusal);
  return DETAILED.includes(refusal.code) ? withDetail(named, refusal.message) : named;
}

function namedFault({ code, field }: Refusal): AliasFault {
  if (code === "EGeneral:Invalid arguments") return problem("invalidQuantity");
  return code === "EOrder:Tick size check failed" && field === "volume" ? problem("lotSize") : fault(code);
}

/** A fault of the HTTP layer or of the admission, such as a body that is too large or an exceeded rate. */
export function aliasFault({ code: wireCode, status, field = "request", retryAfterMs }: Fault): AliasFault {
  const code = faultFor(wireCode)?.code ?? "EService:Unavailable";
  const known = fault(code, retryAfterMs === undefined ? field : String(retryAfterMs));
  const waiting = retryAfterMs === undefined ? known : { ...known, retryAfterMs };
  return status === FAULTS[code].status ? waiting : { ...waiting, status };
}

const VALUE_LENGTH = 128;

/** Text from a request can contain anything; of it only printable ASCII is sent back. */
function filled(text: string, values: readonly string[]): string {
  const rest = values.map((value) => value.slice(0, VALUE_LENGTH).replace(/[^ -~]/g, "?"));
  return text.replace(/%s/g, () => rest.shift() ?? "");
}
