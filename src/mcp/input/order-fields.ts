/**
 * Owns the input of an order, shared by preview_order and place_order. Which fields go together (a limit order needs a price …)
 * is the desk's to check, as for every entry point; here is only what each field may hold.
 */
import { z } from "zod";
import { compliance, orderType, timeInForce } from "../../contract/index.ts";
import type { OrderRequest } from "../../desk/index.ts";
import { baseVolumeOrShare, limitPrice, orderSide, quoteAmountOrShare, symbol, userref } from "./field.ts";

export const orderFields = {
  symbol,
  side: orderSide,
  type: orderType,
  base_volume: baseVolumeOrShare,
  quote_amount: quoteAmountOrShare,
  price: limitPrice,
  time_in_force: timeInForce.optional().describe("Default GTC"),
  post_only: z.boolean().optional(),
  userref: userref.describe("Your own id for this order; usually left out"),
  compliance: z.strictObject(compliance.shape).optional(),
} as const;

/** The fields without those that were left out, as the desk takes them. */
export function given<Fields extends object>(fields: Fields): WithoutUndefined<Fields> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as WithoutUndefined<Fields>;
}

type WithoutUndefined<Fields> = { [Key in keyof Fields]: Exclude<Fields[Key], undefined> };

export type OrderFields = z.infer<z.ZodObject<typeof orderFields>>;

/** An order as the desk takes it. */
export function orderRequest(fields: OrderFields): OrderRequest {
  return given(fields) as OrderRequest;
}
