/** The part of an account's list that is read, on every API. All lists are newest first. */
import type { OrderStateFilter } from "../contract/index.ts";

export interface PageRequest {
  readonly cursor?: string;
  readonly limit?: number;
}

export interface FillsRequest extends PageRequest {
  readonly symbol?: string;
  /** Unix milliseconds, both included. */
  readonly fromMs?: number;
  readonly toMs?: number;
}

export interface OrdersRequest extends FillsRequest {
  /** Default: `open`. */
  readonly state?: OrderStateFilter;
  readonly userref?: string;
}
