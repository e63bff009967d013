/** Questions about orders and fills, and their answers page by page. */
import type { Fill, Order, OrderStateFilter } from "../../contract/index.ts";

export interface Page {
  readonly cursor?: string;
  readonly limit?: number;
}

export interface OrdersRequest extends Page {
  readonly symbol?: string;
  readonly state?: OrderStateFilter;
  readonly userref?: string;
  readonly fromMs?: number;
  readonly toMs?: number;
}

export interface FillsRequest extends Page {
  readonly symbol?: string;
  readonly fromMs?: number;
  readonly toMs?: number;
}

export interface OrderPage {
  readonly orders: readonly Order[];
  readonly next_cursor: string | null;
}

export interface FillPage {
  readonly trades: readonly Fill[];
  readonly next_cursor: string | null;
}
