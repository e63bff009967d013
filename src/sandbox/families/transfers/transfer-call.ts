/**
 * The type of a checked call of the Payment or Remittance API, as an endpoint's handler receives it, derived from the contract's
 * table.
 */
import type { z } from "zod";
import type { TRANSFER_ENDPOINTS, TransferEndpointId } from "../../../contract/index.ts";
import type { Outcome } from "../../http/outcome.ts";
import type { Idempotency, KeyRecord, Millis } from "../../model/index.ts";
import type { Service } from "../../service/service.ts";

type Endpoints = typeof TRANSFER_ENDPOINTS;
type Part<Id extends TransferEndpointId, Name extends "params" | "query" | "body"> =
  Endpoints[Id] extends Record<Name, infer Schema extends z.ZodType> ? z.infer<Schema> : undefined;

export interface TransferCall<Id extends TransferEndpointId> {
  readonly service: Service;
  readonly at: Millis;
  /** The caller's key; its signature, nonce and permission are checked. */
  readonly key: KeyRecord;
  readonly params: Part<Id, "params">;
  readonly query: Part<Id, "query">;
  readonly body: Part<Id, "body">;
  /** Only of a POST. */
  readonly idempotency: Endpoints[Id]["method"] extends "POST" ? Idempotency : undefined;
}

export type TransferHandler<Id extends TransferEndpointId> = (call: TransferCall<Id>) => Outcome;

export type TransferHandlers<Ids extends TransferEndpointId> = { readonly [Id in Ids]: TransferHandler<Id> };
