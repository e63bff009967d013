/**
 * Owns orders, fills and balances: what an account sends and what it gets back.
 *
 * Invariants: a limit order has volume and price and no amount; a market order has exactly one of volume and amount and no
 * price; terminal states never change.
 *
 * Source: service.md#order-request, service.md#order-combinations, service.md#order-record, service.md#fill, service.md#balance.
 */
import { z } from "zod";
import {
  asset,
  cursor,
  decimalString,
  isoTime,
  nextCursor,
  orderState,
  pageLimitText,
  symbol,
  symbolInput,
  unixMsText,
  userref,
  uuid,
} from "../wire.ts";
import { side } from "./market.ts";
import { ORDER_TRAITS, ORDER_TYPES } from "./order-traits.ts";

export const orderType = z.enum(ORDER_TYPES);

export const timeInForce = z.enum(["GTC", "IOC", "FOK"]);
export const settlementMode = z.enum(["INSTANT_KRW", "STANDARD_KRW"]);
/** From the lowest to the highest. */
export const KYC_LEVELS = ["TIER1", "TIER2", "TIER3"] as const;
export const kycLevel = z.enum(KYC_LEVELS);

/** An order over so many won needs at least that level. Source: service.md#kyc-level. */
export const KYC_LEVEL_OVER_KRW = { TIER2: "10000000", TIER3: "100000000" } as const;

/** Travel-rule metadata; optional on the Open API, all four required together. */
export const compliance = z
  .strictObject({
    vasp_purpose_code: z.string().regex(/^[A-Z0-9_]{1,32}$/),
    originator_vasp_id: z.string().regex(/^[A-Za-z0-9._:-]{1,64}$/),
    kyc_level: kycLevel,
    settlement_mode: settlementMode,
  })
  .meta({ id: "Compliance" });

const orderFields = z.strictObject({
  symbol: symbolInput,
  side,
  type: orderType,
  volume: decimalString.optional(),
  price: decimalString.optional(),
  amount: decimalString.optional().meta({ description: "Quote currency to spend or receive; market orders, 1.1.0." }),
  time_in_force: timeInForce.optional(),
  post_only: z.boolean().optional(),
  userref: userref.optional(),
  validate_only: z.boolean().optional(),
  compliance: compliance.optional(),
});

interface Misfit {
  field: keyof z.infer<typeof orderFields>;
  fix: string;
}

/** The combinations an order may not have, in the order they are reported. */
function misfits(order: z.infer<typeof orderFields>): Misfit[] {
  const found: Misfit[] = [];
  const { type } = order;
  const { isPriced, mayRest, takesAmount } = ORDER_TRAITS[type];
  if (!takesAmount && order.volume === undefined) found.push({ field: "volume", fix: `a ${type} order needs volume` });
  if (isPriced && order.price === undefined) found.push({ field: "price", fix: `a ${type} order needs price` });
  if (!takesAmount && order.amount !== undefined)
    found.push({ field: "amount", fix: `a ${type} order takes volume and price, no amount` });
  if (!isPriced && order.price !== undefined) found.push({ field: "price", fix: `a ${type} order takes no price` });
  if (takesAmount && (order.volume === undefined) === (order.amount === undefined))
    found.push({ field: "volume", fix: `a ${type} order takes exactly one of volume and amount` });
  if (!mayRest && order.post_only === true)
    found.push({ field: "post_only", fix: `a ${type} order cannot be post-only` });
  if (mayRest && order.post_only === true && order.time_in_force !== undefined && order.time_in_force !== "GTC")
    found.push({ field: "post_only", fix: "a post-only order rests: use time_in_force GTC" });
  return found;
}

/** Body of `POST /v1/orders`. Unknown fields are refused. */
export const createOrderBody = orderFields
  .superRefine((order, context) => {
    for (const misfit of misfits(order))
      context.addIssue({ code: "custom", path: [misfit.field], message: misfit.fix, input: order[misfit.field] });
  })
  .meta({
    id: "CreateOrder",
    description:
      "A limit order needs volume and price and takes no amount. A market order takes exactly one of volume and amount, and " +
      "no price and no post_only, and its unfilled rest expires whatever the time_in_force.",
  });

const settlementState = z.enum(["pending", "settled", "failed"]);

export const settlement = z
  .object({
    mode: settlementMode,
    expected_settle_time: z.string().regex(/^T\+\d+$/),
    krw_account_linked: z.boolean(),
    state: settlementState
      .nullable()
      .optional()
      .meta({ description: "Of what is executed so far, pending while any of it is; null while nothing is." }),
  })
  .meta({ id: "Settlement" });

export const fillSettlement = z.object({ state: settlementState }).meta({ id: "FillSettlement" });

export const description = z
  .object({ order: z.string().meta({ examples: ["buy 0.01500000 BTC/KRW @ limit 95000000"] }) })
  .meta({ id: "OrderDescription" });

/** Shows one execution of an own order, as in `GET /v1/trades/history`. `fee` and `fee_currency` since 1.2.0. */
export const fill = z
  .object({
    trade_id: z.string(),
    orderId: uuid,
    userref: userref.nullable(),
    symbol,
    side,
    price: decimalString,
    volume: decimalString,
    value: decimalString.meta({ description: "price × volume in the quote currency." }),
    liquidity: z.enum(["maker", "taker"]),
    fee: decimalString,
    fee_currency: asset,
    settlement: fillSettlement.optional(),
    time: isoTime,
  })
  .meta({ id: "Fill" });

export const order = z
  .object({
    uuid,
    orderId: uuid,
    txid: z.array(uuid),
    symbol,
    side,
    type: orderType,
    time_in_force: timeInForce,
    post_only: z.boolean(),
    price: decimalString.nullable(),
    volume: decimalString.nullable().meta({ description: "Null for a market order placed by amount." }),
    amount: decimalString.nullable(),
    executed_volume: decimalString,
    remaining_volume: decimalString.nullable().meta({ description: "Null for a market order placed by amount." }),
    executed_value: decimalString,
    avg_price: decimalString.nullable().meta({ description: "Rounded half-even to 8 decimals." }),
    fee: decimalString,
    fee_currency: asset,
    state: orderState,
    reject_reason: z.string().nullable(),
    userref: userref.nullable(),
    settlement,
    descr: description,
    created_at: isoTime,
    updated_at: isoTime,
    trades: z.array(fill).optional(),
  })
  .meta({
    id: "Order",
    description: "uuid, orderId and txid[0] are the same id. trades only on the single-order query.",
  });

const ANY_IDS = { uuid: z.string(), orderId: z.string() };

/**
 * A fill as any exchange may show it. `fee_exact` is false where the exchange tells the fee of a whole order alone: what stands here is the
 * fill's share by value.
 */
export const shownFill = fill
  .partial({ liquidity: true })
  .extend({ orderId: z.string(), fee_exact: z.boolean().optional() });

/**
 * An order as any exchange may show it: ids are whatever text it uses, and what it does not say is absent.
 */
export const shownOrder = order
  .partial({
    ...{ settlement: true, descr: true, updated_at: true, time_in_force: true, post_only: true },
    ...{ fee: true, fee_currency: true, executed_value: true },
  })
  .extend({ ...ANY_IDS, txid: z.array(z.string()), trades: z.array(shownFill).optional() });

export const validatedOrder = z
  .object({ descr: description })
  .meta({ id: "ValidatedOrder", description: "Answer to validate_only: nothing was placed." });

export const orderList = z.object({ orders: z.array(order), next_cursor: nextCursor }).meta({ id: "OrderList" });
export const fillList = z.object({ trades: z.array(fill), next_cursor: nextCursor }).meta({ id: "FillList" });

export const orderStateFilter = z.enum(["open", "filled", "canceled", "expired", "rejected", "closed", "all"]);

export const ordersQuery = z.strictObject({
  symbol: symbolInput.optional(),
  state: orderStateFilter.optional().meta({ description: "open when absent; closed is every terminal state." }),
  userref: userref.optional(),
  from: unixMsText.optional(),
  to: unixMsText.optional(),
  cursor: cursor.optional(),
  limit: pageLimitText.optional(),
});
export const fillsQuery = z.strictObject({
  symbol: symbolInput.optional(),
  from: unixMsText.optional(),
  to: unixMsText.optional(),
  cursor: cursor.optional(),
  limit: pageLimitText.optional(),
});
export const orderPath = z.strictObject({ symbol: symbolInput, uuid });
export const batchCancelQuery = z.strictObject({ symbol: symbolInput.optional() });

export const batchCancel = z
  .object({
    requested: z.array(uuid),
    failed: z.array(z.object({ uuid, error: z.string() })),
  })
  .meta({ id: "BatchCancel" });

export const balance = z
  .object({
    asset,
    total: decimalString,
    available: decimalString,
    locked: decimalString,
    unsettled: decimalString
      .optional()
      .meta({ description: "Proceeds that may be traded and not be withdrawn yet; part of the total." }),
  })
  .meta({ id: "Balance", description: "total = available + locked." });

export const accounts = z
  .object({ account_id: z.string(), balances: z.array(balance) })
  .meta({ id: "Accounts", description: "Balances of the key's account; assets never held are absent." });

export const streamToken = z.object({ token: z.string(), expires_at: isoTime }).meta({ id: "StreamToken" });

export type CreateOrderBody = z.infer<typeof createOrderBody>;
export type Compliance = z.infer<typeof compliance>;
export type KycLevel = z.infer<typeof kycLevel>;
export type Order = z.infer<typeof shownOrder>;
export type ServiceOrder = z.infer<typeof order>;
export type OrderState = z.infer<typeof orderState>;
export type OrderStateFilter = z.infer<typeof orderStateFilter>;
export type Fill = z.infer<typeof shownFill>;
export type ServiceFill = z.infer<typeof fill>;
export type Balance = z.infer<typeof balance>;
export type Accounts = z.infer<typeof accounts>;
export type BatchCancel = z.infer<typeof batchCancel>;
export type Settlement = z.infer<typeof settlement>;
export type TimeInForce = z.infer<typeof timeInForce>;
