/**
 * The outcome of a call, an answer or a fault, and the error body of a fault. Entry points: `answer`, `changedAnswer`, `fault` and
 * other constructors of faults, `faultOf` (a refusal of the engine), `errorBodyOf`.
 *
 * Invariant: every fault has a code of the contract's catalogue, and its HTTP status, except where a constructor sets another.
 * Source: service.md#error-body, service.md#error-codes.
 */
import { type ErrorBody, FAULTS, type FaultCode, type OrderState } from "../../contract/index.ts";
import type { PaymentState, Refusal, RemittanceState } from "../model/index.ts";

export interface Answer {
  readonly ok: true;
  readonly status: 200 | 201;
  /** To be written as JSON; a `WrittenJson` is it already. */
  readonly body: object;
  /** Tells whether the call changed the exchange; the reply then waits until that is on disk. */
  readonly changed: boolean;
}

export interface Fault {
  readonly ok: false;
  readonly status: number;
  /** Stands as on the wire, with its detail. */
  readonly code: string;
  readonly message: string;
  readonly field?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  /** The order's, where that is the reason. */
  readonly state?: OrderState | undefined;
  /** The payment's or remittance's, where that is the reason. */
  readonly transferState?: PaymentState | RemittanceState | undefined;
}

export type Outcome = Answer | Fault;

export function answer(body: object): Answer {
  return { ok: true, status: 200, body, changed: false };
}

export function changedAnswer(body: object, status: 200 | 201): Answer {
  return { ok: true, status, body, changed: true };
}

/** A fault with the status in the catalogue. */
export function fault(code: FaultCode, message: string): Fault {
  return { ok: false, status: FAULTS[code].status, code, message };
}

/** A malformed request. @param status where HTTP has a more specific one than 400 */
export function badArgument(field: string, message: string, status = 400): Fault {
  const name = printable(field);
  return { ok: false, status, code: `EGeneral:Invalid arguments:${name}`, message, field: name };
}

export function unknownPair(symbol: string): Fault {
  return { ...fault("EQuery:Unknown asset pair", `there is no market ${printable(symbol)}`), field: "symbol" };
}

export function unknownOrder(): Fault {
  return fault("EOrder:Unknown order", "this account has no such order in this market");
}

export function rateExceeded(waitMs: number): Fault {
  return { ...fault("EAPI:Rate limit exceeded", `wait ${waitMs} ms`), retryAfterMs: waitMs };
}

/** An outage, without its cause. @param status 500 for a defect of ours, 503 for a known outage */
export function unavailable(status: 500 | 503): Fault {
  return {
    ...fault("EService:Unavailable", "the service cannot answer now; query before sending an order again"),
    status,
  };
}

export function faultOf({ code, message, field, state }: Refusal): Fault {
  if (code === "EGeneral:Invalid arguments") return badArgument(field ?? "body", message);
  return { ...fault(code, message), field, state };
}

/** The error body of a fault, to be written as JSON, which leaves out what is undefined. */
export function errorBodyOf({ code, message, field, retryAfterMs, state }: Fault, requestId: string): ErrorBody {
  return { error: { code, message, field, retry_after_ms: retryAfterMs, state, request_id: requestId } };
}

const NAME_LENGTH = 64;

/** A name from a request can contain anything; of it only plain characters are sent back. */
function printable(name: string): string {
  return name.slice(0, NAME_LENGTH).replace(/[^A-Za-z0-9._/-]/g, "?");
}
