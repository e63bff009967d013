/**
 * What the draft APIs, Payment and Remittance, have in common: the version they stand under, the mark that every answer carries,
 * the idempotency key, the form of their errors. Drafts change more often than the rest, and are off unless switched on.
 *
 * An idempotency key stands for one request of an account, for good: the same key with the same request is answered as the first
 * time and has no further effect; with another request it is refused with 409. A request that was refused had no effect, and
 * its key is still free. What became of a request without an answer is read, not sent again: the lists take `idempotency_key`.
 *
 * Source: specification, "Versioning" 4; decisions §2, §9; docs/decisions/0015.
 */
import { z } from "zod";
import { errorBody } from "../fault.ts";
import type { Endpoint } from "../open/endpoint.ts";
import { uuid } from "../wire.ts";

/** Every path of the drafts begins with it. */
export const TRANSFER_PREFIX = "/v0.1/";

export const IDEMPOTENCY_HEADER = "Idempotency-Key";

/** The caller's name for one request. Source: decisions §9. */
export const idempotencyKey = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,64}$/, { error: "use 1 to 64 characters out of A-Z a-z 0-9 . _ -, without quotes" })
  .meta({ id: "IdempotencyKey", examples: ["9a0c7d52-5b1f-4a77-9c31-01999f3e7a10"] });

/** Stands in every resource, so that nobody takes a draft for a promise. */
export const draftMark = z.literal(true).meta({ description: "This API is a draft, and may change." });

/** Whole won: the currency has no smaller coin. */
export const wonAmount = z
  .string()
  .regex(/^[1-9]\d{0,17}$/, { error: "write whole won above zero as a text, such as 50000" })
  .meta({ id: "WonAmount", examples: ["50000"] });

/** Why a POST is refused with 409, whatever it asks for. */
export const KEY_REUSED = "The idempotency key was used with another request.";

export const transferPath = z.strictObject({ id: uuid });

/** A key names one resource, so whatever else is asked for would be a mistake. */
export function standsAlone(query: { readonly idempotency_key?: string | undefined }, context: z.RefinementCtx): void {
  const others = Object.entries(query).some(([name, given]) => name !== "idempotency_key" && given !== undefined);
  if (query.idempotency_key !== undefined && others)
    context.addIssue({ code: "custom", path: ["idempotency_key"], message: "ask with the idempotency_key alone" });
}

/** An endpoint of the drafts. A POST takes an idempotency key. */
export interface TransferEndpoint extends Omit<Endpoint, "addedIn" | "method"> {
  readonly method: "GET" | "POST";
  /** When `EGeneral:Invalid arguments` has one of these statuses in place of 400. */
  readonly refusals: { readonly 404?: string; readonly 409?: string };
}

/** As on the Open API, but for `state`. */
export const transferErrorBody = z
  .object({
    error: errorBody.shape.error.extend({
      state: z.string().max(32).optional().meta({ description: "State of the payment or remittance, with 409." }),
    }),
  })
  .meta({ id: "TransferError" });
