/**
 * Owns what a call may end in: an answer or a fault, and the wire form of a fault.
 * Entry points: `answer`, the fault makers, `faultOf` (an engine's refusal), `errorBodyOf`.
 *
 * Invariant: every fault carries a code of the contract's catalogue, and its HTTP status comes from there, except where a
 * maker says otherwise.
 * Source: decisions §3 (error body), §5.
 */
import { type ErrorBody, FAULTS, type FaultCode, type OrderState } from "../../contract/index.ts";
import type { PaymentState, Refusal, RemittanceState } from "../model/index.ts";

export interface Answer {
  readonly ok: true;
  readonly status: 200 | 201;
  readonly body: object;
  /** The exchange changed: the answer waits until that is on disk. */
  readonly changed: boolean;
}

export interface Fault {
  readonly ok: false;
  readonly status: number;
  /** As on the wire, with its detail. */
  readonly code: string;
  readonly message: string;
  readonly field?: string;
  readonly retryAfterMs?: number;
  readonly state?: OrderState;
  /** Of the payment or remittance, where that is against it. */
  readonly transferState?: PaymentState | RemittanceState;
}

export type Outcome = Answer | Fault;

export function answer(body: object): Answer {
  return { ok: true, status: 200, body, changed: false };
}

/** An answer to a call that changed the exchange. */
export function changedAnswer(body: object, status: 200 | 201): Answer {
  return { ok: true, status, body, changed: true };
}

/** A fault with the status of the catalogue. */
export function fault(code: FaultCode, message: string): Fault {
  return { ok: false, status: FAULTS[code].status, code, message };
}

/** A malformed request; names the field it is about. `status` only where HTTP knows a better one than 400. */
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

/** Nothing about the cause leaves the service. Status 500 for a defect of ours, 503 for a known outage. */
export function unavailable(status: 500 | 503): Fault {
  return {
    ...fault("EService:Unavailable", "the service cannot answer now; query before sending an order again"),
    status,
  };
}

/** The engine's no, as the caller gets it. */
export function faultOf(refusal: Refusal): Fault {
  if (refusal.code === "EGeneral:Invalid arguments") return badArgument(refusal.field ?? "body", refusal.message);
  return {
    ...fault(refusal.code, refusal.message),
    ...(refusal.field === undefined ? {} : { field: refusal.field }),
    ...(refusal.state === undefined ? {} : { state: refusal.state }),
  };
}

export function errorBodyOf(refused: Fault, requestId: string): ErrorBody {
  return {
    error: {
      code: refused.code,
      message: refused.message,
      ...(refused.field === undefined ? {} : { field: refused.field }),
      ...(refused.retryAfterMs === undefined ? {} : { retry_after_ms: refused.retryAfterMs }),
      ...(refused.state === undefined ? {} : { state: refused.state }),
      request_id: requestId,
    },
  };
}

const NAME_LENGTH = 64;

/** A name out of the request may hold anything; what is sent back holds none of it but plain characters. */
function printable(name: string): string {
  return name.slice(0, NAME_LENGTH).replace(/[^A-Za-z0-9._/-]/g, "?");
}
