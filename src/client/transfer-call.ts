/**
 * Composing a call of the drafts: what `TRANSFER_ENDPOINTS` says about it, with its parts and its idempotency key checked against the
 * contract, so that nothing malformed leaves.
 */
import type { z } from "zod";
import {
  failed,
  IDEMPOTENCY_HEADER,
  idempotencyKey,
  localFault,
  ok,
  type Result,
  TRANSFER_ENDPOINTS,
  type TransferEndpoint,
  type TransferEndpointId,
} from "../contract/index.ts";
import { type Call, type CallInput, composeParts } from "./request/call.ts";

/** Answer of an endpoint of the drafts, as the contract has it. */
export type TransferAnswer<Id extends TransferEndpointId> = z.output<(typeof TRANSFER_ENDPOINTS)[Id]["response"]>;

export interface TransferInput extends CallInput {
  /** A write has one. */
  readonly key?: string;
}

/** @returns the call, or `ELocal:Invalid input` naming the first field that does not fit the contract. */
export function composeTransfer<Id extends TransferEndpointId>(
  id: Id,
  { key, ...input }: TransferInput,
): Result<Call<TransferAnswer<Id>>> {
  const endpoint: TransferEndpoint = TRANSFER_ENDPOINTS[id];
  const isWrite = endpoint.method === "POST";
  const named = isWrite ? idempotencyKey.safeParse(key) : undefined;
  if (named?.success === false) {
    const message = `${IDEMPOTENCY_HEADER}: ${named.error.issues[0]?.message ?? "is missing"}. Nothing was sent.`;
    return failed(localFault("ELocal:Invalid input", { message, field: "idempotency_key" }));
  }
  const parts = composeParts(endpoint, input);
  if (!parts.ok) return parts;
  return ok({
    family: "transfer",
    endpoint: id,
    method: endpoint.method,
    ...parts.value,
    weight: endpoint.weight,
    isPrivate: true,
    response: endpoint.response as z.ZodType<TransferAnswer<Id>>,
    isWrite,
    ...(named === undefined ? {} : { idempotencyKey: named.data }),
  });
}
