/**
 * The type of a checked call of the Trading API, as an operation's handler receives it, derived from the contract's table.
 */
import type { z } from "zod";
import type { TRADING_OPERATIONS, TradingOperationId } from "../../../contract/index.ts";
import type { Outcome } from "../../http/outcome.ts";
import type { KeyRecord, Millis } from "../../model/index.ts";
import type { Service } from "../../service/service.ts";
import type { PairDirectory } from "./pair-directory.ts";

export interface OperationCall<Id extends TradingOperationId> {
  readonly service: Service;
  readonly pairs: PairDirectory;
  readonly at: Millis;
  /** The caller's key; its signature, nonce and permission are checked. */
  readonly key: (typeof TRADING_OPERATIONS)[Id]["auth"] extends "none" ? undefined : KeyRecord;
  readonly request: z.infer<(typeof TRADING_OPERATIONS)[Id]["request"]>;
}

export type OperationHandler<Id extends TradingOperationId> = (call: OperationCall<Id>) => Outcome;

export type OperationHandlers<Ids extends TradingOperationId> = { readonly [Id in Ids]: OperationHandler<Id> };
