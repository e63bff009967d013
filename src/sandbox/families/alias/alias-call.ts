/**
 * The type of a checked alias call, as an endpoint's handler receives it, derived from the contract's table.
 */
import type { z } from "zod";
import type { ALIAS_ENDPOINTS, AliasEndpointId } from "../../../contract/index.ts";
import type { KeyRecord, Millis } from "../../model/index.ts";
import type { Service } from "../../service/service.ts";
import type { AliasOutcome } from "./alias-outcome.ts";

type Row<Id extends AliasEndpointId> = (typeof ALIAS_ENDPOINTS)[Id];

type Parameters<Id extends AliasEndpointId> =
  Row<Id> extends { readonly parameters: infer Schema extends z.ZodType } ? z.infer<Schema> : undefined;

export interface AliasCall<Id extends AliasEndpointId> {
  readonly service: Service;
  readonly at: Millis;
  /** The caller's key; its signature, the call's time and the permission are checked. */
  readonly key: Row<Id>["auth"] extends "none" ? undefined : KeyRecord;
  readonly parameters: Parameters<Id>;
  /** The market that the parameters name, by its own symbol; undefined where none is named. */
  readonly symbol: Parameters<Id> extends { readonly symbol: string } ? string : string | undefined;
}

export type AliasHandler<Id extends AliasEndpointId> = (call: AliasCall<Id>) => AliasOutcome;

export type AliasHandlers<Ids extends AliasEndpointId> = { readonly [Id in Ids]: AliasHandler<Id> };
