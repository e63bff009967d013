/** Reading an account's lists page by page, on every API. All lists are newest first. Source: service.md#pages. */
import type { Result } from "../result.ts";
import type { Fill, Order, OrderStateFilter } from "./order.ts";

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

export interface FillsOptions {
  /** Nobody waits for it, and it goes behind every other call. */
  readonly background?: boolean;
  /**
   * Where fills are shown in their order alone: which orders need not be asked for, as the fills of all that they have executed are there.
   * @param executed the volume of each, by its id
   */
  readonly known?: (executed: ReadonlyMap<string, string>) => Promise<Result<ReadonlySet<string>>>;
}

export interface OrdersRequest extends FillsRequest {
  /** Default: `open`. */
  readonly state?: OrderStateFilter;
  readonly userref?: string;
}

export interface OrderPage {
  readonly orders: readonly Order[];
  readonly next_cursor: string | null;
}

export interface FillPage {
  readonly trades: readonly Fill[];
  readonly next_cursor: string | null;
}
