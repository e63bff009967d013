/**
 * Owns orders and executions of the Trading API, in the Kraken spot dialect: what an account sends and what it gets back.
 *
 * Invariants: an order is created with all four compliance fields; `txid[0]` and `orderId` are the same id; with `viqc` in
 * `oflags` a volume is counted in the quote currency, everywhere else in the base asset.
 *
 * Source: service.md#add-order, service.md#trading-queries; decision 0009.
 */
import { z } from "zod";
import { side } from "../open/market.ts";
import { compliance, description, fillSettlement, orderType, settlement, timeInForce } from "../open/order.ts";
import { ORDER_TRAITS } from "../open/order-traits.ts";
import {
  asset,
  cursor,
  decimalString,
  describedAsInteger,
  isoTime,
  nextCursor,
  pageLimitText,
  symbol,
  symbolInput,
  userref,
  uuid,
} from "../wire.ts";
import {
  bound,
  falseText,
  fillId,
  fillIdList,
  flagText,
  offsetText,
  orderIdList,
  rebaseMultiplier,
  unixSeconds,
} from "./wire.ts";

const orderFlags = z.string().regex(/^(post|viqc|fciq|nompp)(,(post|viqc|fciq|nompp))*$/, {
  error: "use post, viqc, fciq, nompp, separated by commas",
});

const addOrderFields = z.strictObject({
  pair: symbolInput,
  type: side,
  ordertype: orderType,
  volume: decimalString,
  price: decimalString.optional(),
  timeinforce: timeInForce.optional(),
  oflags: orderFlags.optional(),
  userref: userref.optional(),
  /** The dialect's later name for the same thing. */
  cl_ord_id: userref.optional(),
  validate: flagText.optional(),
  // What the dialect says without asking for anything the service does not have.
  stptype: z.literal("cancel-newest").optional(),
  leverage: z.literal("none").optional(),
  reduce_only: falseText.optional(),
  starttm: z.literal("0").optional(),
  expiretm: z.literal("0").optional(),
  ...compliance.shape,
});

interface Misfit {
  field: keyof z.infer<typeof addOrderFields>;
  fix: string;
}

function misfits(order: z.infer<typeof addOrderFields>): Misfit[] {
  const found: Misfit[] = [];
  const flags = order.oflags?.split(",") ?? [];
  const { ordertype: type } = order;
  const { isPriced, mayRest, takesAmount } = ORDER_TRAITS[type];
  if (isPriced && order.price === undefined) found.push({ field: "price", fix: `a ${type} order needs price` });
  if (!isPriced && order.price !== undefined) found.push({ field: "price", fix: `a ${type} order takes no price` });
  if (!takesAmount && flags.includes("viqc")) found.push({ field: "oflags", fix: "viqc is for market orders" });
  if (!mayRest && flags.includes("post")) found.push({ field: "oflags", fix: `a ${type} order cannot be post-only` });
  if (mayRest && flags.includes("post") && order.timeinforce !== undefined && order.timeinforce !== "GTC")
    found.push({ field: "oflags", fix: "a post-only order rests: use timeinforce GTC" });
  if (order.userref !== undefined && order.cl_ord_id !== undefined)
    found.push({ field: "cl_ord_id", fix: "userref and cl_ord_id are the same: send one" });
  return found;
}

/** Form of `AddOrder`, apart from the nonce. Unknown fields are refused. */
export const addOrderRequest = addOrderFields.superRefine((order, context) => {
  for (const { field, fix } of misfits(order))
    context.addIssue({ code: "custom", path: [field], message: fix, input: order[field] });
});

export const addedOrder = z.object({
  descr: description,
  txid: z.array(uuid).length(1),
  orderId: uuid,
  settlement,
});
/** With `validate`: nothing was placed, so there is no id. */
export const checkedOrder = z.object({ descr: description });
export const addOrderResult = z.union([addedOrder, checkedOrder]);

/**
 * `txid` may also be a userref: then all open orders with it are canceled. `pair` is the service's own: only an order of that
 * market is canceled.
 */
export const cancelOrderRequest = z
  .strictObject({ txid: userref.optional(), cl_ord_id: userref.optional(), pair: symbolInput.optional() })
  .refine(({ txid, cl_ord_id }) => (txid === undefined) !== (cl_ord_id === undefined), {
    path: ["txid"],
    error: "send txid or cl_ord_id",
  });
/** `pair` is the service's own: without it everything is canceled. */
export const cancelAllRequest = z.strictObject({ pair: symbolInput.optional() });
/** `txid` is the service's own: which orders are canceled. */
export const canceledOrders = z.object({ count: z.int().nonnegative(), pending: z.boolean(), txid: z.array(uuid) });

/** Seconds, up to a day; 0 disarms. */
export const cancelTimerRequest = z.strictObject({
  timeout: z
    .string()
    .regex(/^(0|[1-9]\d{0,3}|[1-7]\d{4}|8[0-5]\d{3}|86[0-3]\d{2}|86400)$/, { error: "use seconds, 0 to 86400" })
    .meta(describedAsInteger(0, 86_400)),
});
/** `triggerTime` is `"0"` once disarmed, as in the dialect. */
export const cancelTimerResult = z.object({ currentTime: isoTime, triggerTime: z.union([isoTime, z.literal("0")]) });

export const tradingFill = z
  .object({
    ordertxid: uuid,
    postxid: fillId,
    pair: symbol,
    time: unixSeconds,
    type: side,
    ordertype: orderType,
    price: decimalString,
    cost: decimalString,
    fee: decimalString,
    vol: decimalString,
    margin: z.literal("0"),
    leverage: z.literal("0"),
    misc: z.string(),
    trade_id: z.int().nonnegative(),
    maker: z.boolean(),
    fee_currency: asset,
    userref: userref.nullable(),
    settlement: fillSettlement.optional(),
    traded_at: isoTime,
  })
  .meta({ id: "TradingFill" });

const orderStatus = z.enum(["open", "closed", "canceled", "expired"]);

export const tradingOrder = z
  .object({
    refid: z.null(),
    userref: userref.nullable(),
    status: orderStatus,
    reason: z.string().nullable(),
    opentm: unixSeconds,
    closetm: unixSeconds.optional(),
    starttm: z.literal(0),
    expiretm: z.literal(0),
    descr: description.extend({
      pair: symbol,
      type: side,
      ordertype: orderType,
      price: decimalString,
      price2: z.literal("0"),
      leverage: z.literal("none"),
      close: z.literal(""),
    }),
    vol: decimalString,
    vol_exec: decimalString,
    cost: decimalString,
    fee: decimalString,
    price: decimalString.meta({ description: "Average price; 0 while nothing is executed." }),
    stopprice: z.literal("0"),
    limitprice: z.literal("0"),
    misc: z.string(),
    oflags: z.string(),
    trades: z.array(fillId).optional(),
    executions: z.array(tradingFill).optional().meta({ description: "Those that trades names, oldest first." }),
    timeinforce: timeInForce,
    fee_currency: asset,
    settlement,
    opened_at: isoTime,
    updated_at: isoTime,
  })
  .meta({ id: "TradingOrder" });

/** Every execution is shown by itself, whoever took part in it, so there is nothing to consolidate. */
const consolidateTaker = flagText;

const listing = {
  trades: flagText.optional(),
  rebase_multiplier: rebaseMultiplier.optional(),
  userref: userref.optional(),
  cl_ord_id: userref.optional(),
  start: bound.optional(),
  end: bound.optional(),
  pair: symbolInput.optional(),
  cursor: cursor.optional(),
  limit: pageLimitText.optional(),
};

export const openOrdersRequest = z.strictObject(listing);
export const openOrders = z.object({ open: z.record(uuid, tradingOrder), next_cursor: nextCursor });

export const closedOrdersRequest = z.strictObject({
  ...listing,
  status: z.enum(["closed", "canceled", "expired"]).optional(),
  closetime: z.enum(["open", "close", "both"]).optional(),
  ofs: offsetText.optional(),
  without_count: flagText.optional(),
  consolidate_taker: consolidateTaker.optional(),
});
export const closedOrders = z.object({
  closed: z.record(uuid, tradingOrder),
  count: z.int().nonnegative().optional(),
  next_cursor: nextCursor,
});

/** Orders by id, with a userref, or created in a period, whatever their state. */
export const queryOrdersRequest = z
  .strictObject({
    txid: orderIdList.optional(),
    userref: userref.optional(),
    cl_ord_id: userref.optional(),
    start: bound.optional(),
    end: bound.optional(),
    pair: symbolInput.optional(),
    trades: flagText.optional(),
    consolidate_taker: consolidateTaker.optional(),
    rebase_multiplier: rebaseMultiplier.optional(),
  })
  .refine(
    ({ txid, userref: name, cl_ord_id, start, end }) =>
      [txid, name, cl_ord_id, start, end].some((each) => each !== undefined),
    { path: ["txid"], error: "send txid, or userref, or start and end" },
  );
export const queriedOrders = z.record(uuid, tradingOrder);

export const tradesHistoryRequest = z.strictObject({
  type: z.literal("all").optional(),
  trades: falseText.optional(),
  ledgers: falseText.optional(),
  consolidate_taker: consolidateTaker.optional(),
  rebase_multiplier: rebaseMultiplier.optional(),
  start: bound.optional(),
  end: bound.optional(),
  ofs: offsetText.optional(),
  without_count: flagText.optional(),
  pair: symbolInput.optional(),
  cursor: cursor.optional(),
  limit: pageLimitText.optional(),
});
export const tradesHistory = z.object({
  trades: z.record(fillId, tradingFill),
  count: z.int().nonnegative().optional(),
  next_cursor: nextCursor,
});
export const queryTradesRequest = z.strictObject({
  txid: fillIdList,
  trades: falseText.optional(),
  rebase_multiplier: rebaseMultiplier.optional(),
});
export const queriedTrades = z.record(fillId, tradingFill);

export type AddOrderRequest = z.infer<typeof addOrderRequest>;
export type AddedOrder = z.infer<typeof addedOrder>;
export type TradingOrder = z.infer<typeof tradingOrder>;
export type TradingFill = z.infer<typeof tradingFill>;
