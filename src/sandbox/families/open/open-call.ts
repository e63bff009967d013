/**
 * The type of a checked call of the Open API, as an endpoint's handler receives it, derived from the contract's table.
 */
import type { z } from "zod";
import type { ApiVersion, ENDPOINTS, EndpointId } from "../../../contract/index.ts";
import type { Outcome } from "../../http/outcome.ts";
import type { KeyRecord, Millis } from "../../model/index.ts";
import type { Service } from "../../service/service.ts";

type Part<Id extends EndpointId, Name extends "params" | "query" | "body"> =
  (typeof ENDPOINTS)[Id] extends Record<Name, infer Schema extends z.ZodType> ? z.infer<Schema> : undefined;

export interface Call<Id extends EndpointId> {
  readonly service: Service;
  readonly at: Millis;
  readonly version: ApiVersion;
  /** The caller's key; its signature, nonce and permission are checked. */
  readonly key: (typeof ENDPOINTS)[Id]["auth"] extends "none" ? undefined : KeyRecord;
  readonly params: Part<Id, "params">;
  readonly query: Part<Id, "query">;
  readonly body: Part<Id, "body">;
}

export type Handler<Id extends EndpointId> = (call: Call<Id>) => Outcome;

export type Handlers<Ids extends EndpointId> = { readonly [Id in Ids]: Handler<Id> };
