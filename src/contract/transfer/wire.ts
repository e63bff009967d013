/**
 * Owns what the APIs of transfers, Payment and Remittance, have in common: the prefix of their paths, the mark of a draft that
 * every answer carries, the idempotency key, the form of their errors. Both APIs are drafts: they change more often than the
 * rest, and are off unless switched on.
 *
 * An idempotency key stands for one request of an account, for good: the same key with the same request is answered as the first
 * time and has no further effect; with another request it is refused with 409. A request that was refused had no effect, and
 * its key is still free. The outcome of a request without an answer is looked up and never sent again: the lists take `idempotency_key`.
 *
 * Source: service.md#transfers, service.md#idempotency-key, service.md#idempotency-lookup; decision 0015.
 */
import { z } from "zod";
import { errorBody } from "../error-body.ts";
import type { Endpoint } from "../open/endpoint.ts";
import { uuid } from "../wire.ts";

/** Every path of these APIs begins with it. */
export const TRANSFER_PREFIX = "/v0.1/";

export const IDEMPOTENCY_HEADER = "Idempotency-Key";

/** The caller's name for one request. Source: service.md#idempotency-key. */
export const idempotencyKey = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,64}$/, { error: "use 1 to 64 characters out of A-Z a-z 0-9 . _ -, without quotes" })
  .meta({ id: "IdempotencyKey", examples: ["9a0c7d52-5b1f-4a77-9c31-01999f3e7a10"] });

/** In every resource: the API may still change. */
export const draftMark = z.literal(true).meta({ description: "This API is a draft, and may change." });

/** Whole won: the currency has no smaller unit. */
export const wonAmount = z
  .string()
  .regex(/^[1-9]\d{0,17}$/, { error: "write whole won above zero as a text, such as 50000" })
  .meta({ id: "WonAmount", examples: ["50000"] });

/** May answer any POST, whatever it asks for. */
export const KEY_REUSED = "ETransfer:Idempotency key reused";

export const transferPath = z.strictObject({ id: uuid });

export const TRANSFER_WRITE = { method: "POST", auth: "transfer", weight: 1 } as const;
export const TRANSFER_READ = { method: "GET", auth: "query", weight: 2, status: 200, params: transferPath } as const;
export const TRANSFER_LIST = { method: "GET", auth: "query", weight: 10, status: 200, faults: [] } as const;

/** A key names one resource, so any other filter beside it would be a mistake. */
export function standsAlone(query: { readonly idempotency_key?: string | undefined }, context: z.RefinementCtx): void {
  const others = Object.entries(query).some(([name, given]) => name !== "idempotency_key" && given !== undefined);
  if (query.idempotency_key !== undefined && others)
    context.addIssue({ code: "custom", path: ["idempotency_key"], message: "ask with the idempotency_key alone" });
}

/** A POST takes an idempotency key. */
export interface TransferEndpoint extends Omit<Endpoint, "addedIn" | "method"> {
  readonly method: "GET" | "POST";
}

/** Follows the Open API, but for `state`. */
export const transferErrorBody = z
  .object({
    error: errorBody.shape.error.extend({
      state: z.string().max(32).optional().meta({ description: "State of the payment or remittance, with 409." }),
    }),
  })
  .meta({ id: "TransferError" });
