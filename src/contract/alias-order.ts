/**
 * Orders, own trades and balances as the alias endpoints take and give them: names and shapes of their dialect.
 *
 * Invariant: an order always has `orderId` and `txid`, and they are the id it has everywhere; `clientOrderId` is its `userref`,
 * or its id when it has none.
 *
 * Source: specification, conventions 4 and 5; decisions §1, §4; decision 0010.
 */
import { z } from "zod";
import {
  aliasAsset,
  aliasDecimal,
  aliasLimit,
  aliasSymbol,
  aliasTime,
  aliasTimeInput,
  aliasTradeId,
} from "./alias-market.ts";
import { decimalString, isoTime, symbolInput, userref, uuid } from "./wire.ts";

export const ALIAS_ORDER_TYPES = ["LIMIT", "LIMIT_MAKER", "MARKET"] as const;
const SIDES = ["BUY", "SELL"] as const;
const TIMES_IN_FORCE = ["GTC", "IOC", "FOK"] as const;
const STATUSES = ["NEW", "PARTIALLY_FILLED", "FILLED", "CANCELED", "REJECTED", "EXPIRED", "EXPIRED_IN_MATCH"] as const;

const orderId = z.string().regex(/^[0-9A-Za-z-]{1,36}$/);
const clientOrderId = userref.min(1, { error: "emptyClientOrderId" });
const origClientOrderId = userref.min(1, { error: "emptyOrigClientOrderId" });

const orderFields = z.strictObject({
  symbol: symbolInput,
  side: z.enum(SIDES, { error: "invalidSide" }),
  type: z.enum(ALIAS_ORDER_TYPES, { error: "invalidOrderType" }),
  timeInForce: z.enum(TIMES_IN_FORCE, { error: "invalidTimeInForce" }).optional(),
  quantity: decimalString.optional(),
  quoteOrderQty: decimalString.optional(),
  price: decimalString.optional(),
  newClientOrderId: clientOrderId.optional(),
  newOrderRespType: z.enum(["ACK", "RESULT", "FULL"], { error: "invalidParameter" }).optional(),
  selfTradePreventionMode: z.enum(["EXPIRE_TAKER"], { error: "invalidParameter" }).optional(),
});

type OrderFields = z.infer<typeof orderFields>;
type OrderField = keyof OrderFields;

/** What each type needs and what it may not have; a market order besides takes one of `quantity` and `quoteOrderQty`. */
const TERMS: Readonly<Record<OrderFields["type"], { needs: readonly OrderField[]; refuses: readonly OrderField[] }>> = {
  LIMIT: { needs: ["timeInForce", "quantity", "price"], refuses: ["quoteOrderQty"] },
  LIMIT_MAKER: { needs: ["quantity", "price"], refuses: ["quoteOrderQty", "timeInForce"] },
  MARKET: { needs: [], refuses: ["price", "timeInForce"] },
};

export const aliasOrderParameters = orderFields.superRefine((order, context) => {
  const report = (field: OrderField, message: string): void =>
    context.addIssue({ code: "custom", path: [field], message, input: order[field] });
  const { needs, refuses } = TERMS[order.type];
  for (const field of needs) if (order[field] === undefined) report(field, "missingParameter");
  for (const field of refuses) if (order[field] !== undefined) report(field, "notRequired");
  if (order.type !== "MARKET") return;
  if (order.quantity === undefined && order.quoteOrderQty === undefined) report("quantity", "missingEither");
  if (order.quantity !== undefined && order.quoteOrderQty !== undefined) report("quoteOrderQty", "badCombination");
});

const whichOrder = {
  symbol: symbolInput,
  orderId: orderId.optional(),
  origClientOrderId: origClientOrderId.optional(),
};

interface WhichOrder {
  readonly orderId?: string | undefined;
  readonly origClientOrderId?: string | undefined;
}

function eitherId(which: WhichOrder, context: z.RefinementCtx): void {
  if (which.orderId !== undefined || which.origClientOrderId !== undefined) return;
  context.addIssue({ code: "custom", path: ["origClientOrderId"], message: "missingEither", input: undefined });
}

export const aliasWhichOrder = z.strictObject(whichOrder).superRefine(eitherId);
export const aliasCancelParameters = z
  .strictObject({ ...whichOrder, newClientOrderId: clientOrderId.optional() })
  .superRefine(eitherId);

/** The other of the two parameters of which one must be there, for the message about `missingEither`. */
export const ALIAS_EITHER: Readonly<Record<string, string>> = {
  origClientOrderId: "orderId",
  quantity: "quoteOrderQty",
};

export const aliasOpenOrdersParameters = z.strictObject({ symbol: symbolInput.optional() });
export const aliasCancelAllParameters = z.strictObject({ symbol: symbolInput });

const HISTORY_HOURS_MAX = 24;
/** The longest span of history in one call. */
export const ALIAS_HISTORY = { hoursMax: HISTORY_HOURS_MAX, spanMaxMs: HISTORY_HOURS_MAX * 3_600_000 } as const;

const period = { startTime: aliasTimeInput.optional(), endTime: aliasTimeInput.optional() };

export const aliasAllOrdersParameters = z.strictObject({
  symbol: symbolInput,
  /** Orders from this one on. */
  orderId: orderId.optional(),
  ...period,
  limit: aliasLimit.optional(),
});

const tradesFields = z.strictObject({
  symbol: symbolInput,
  orderId: orderId.optional(),
  ...period,
  /** Trades from this one on. */
  fromId: z
    .string()
    .regex(/^\d{1,15}$/)
    .optional(),
  limit: aliasLimit.optional(),
});

/** A period goes with no other choice. */
export const aliasMyTradesParameters = tradesFields.superRefine((query, context) => {
  const timed = query.startTime !== undefined || query.endTime !== undefined;
  if (timed && (query.orderId !== undefined || query.fromId !== undefined))
    context.addIssue({ code: "custom", path: ["startTime"], message: "badCombination", input: query.startTime });
});

export const aliasAccountParameters = z.strictObject({
  omitZeroBalances: z.enum(["true", "false"], { error: "invalidParameter" }).optional(),
});

const ids = {
  symbol: aliasSymbol,
  orderId: uuid,
  txid: z.tuple([uuid]),
  orderListId: z.literal(-1),
  clientOrderId: z.string().min(1),
};

const times = { created_at: isoTime, updated_at: isoTime };

const terms = {
  price: aliasDecimal,
  origQty: aliasDecimal,
  executedQty: aliasDecimal,
  origQuoteOrderQty: aliasDecimal,
  cummulativeQuoteQty: aliasDecimal,
  status: z.enum(STATUSES),
  timeInForce: z.enum(TIMES_IN_FORCE),
  type: z.enum(ALIAS_ORDER_TYPES),
  side: z.enum(SIDES),
  selfTradePreventionMode: z.literal("EXPIRE_TAKER"),
};

export const aliasAck = z.object({ ...ids, transactTime: aliasTime, ...times });
export const aliasPlaced = z.object({ ...aliasAck.shape, ...terms, workingTime: aliasTime });

export const aliasPlacedFill = z.object({
  price: aliasDecimal,
  qty: aliasDecimal,
  commission: aliasDecimal,
  commissionAsset: aliasAsset,
  tradeId: aliasTradeId,
});
const placedWithFills = z.object({ ...aliasPlaced.shape, fills: z.array(aliasPlacedFill) });

/** By `newOrderRespType`: ACK, RESULT or FULL. */
export const aliasNewOrder = z.union([placedWithFills, aliasPlaced, aliasAck]);

export const aliasOrder = z.object({
  ...ids,
  ...terms,
  stopPrice: aliasDecimal,
  icebergQty: aliasDecimal,
  time: aliasTime,
  updateTime: aliasTime,
  ...times,
  isWorking: z.boolean(),
  workingTime: aliasTime,
});
/** Oldest first. */
export const aliasOrders = z.array(aliasOrder);

/** `clientOrderId` is the cancellation's own. */
export const aliasCanceled = z.object({ ...aliasAck.shape, origClientOrderId: z.string().min(1), ...terms });
export const aliasCanceledAll = z.array(aliasCanceled);

/** Oldest first. */
export const aliasMyTrades = z.array(
  z.object({
    symbol: aliasSymbol,
    id: aliasTradeId,
    orderId: uuid,
    orderListId: z.literal(-1),
    price: aliasDecimal,
    qty: aliasDecimal,
    quoteQty: aliasDecimal,
    commission: aliasDecimal,
    commissionAsset: aliasAsset,
    time: aliasTime,
    traded_at: isoTime,
    isBuyer: z.boolean(),
    isMaker: z.boolean(),
    isBestMatch: z.boolean(),
  }),
);

/** Commissions are the highest of any market: in basis points, and as rates. */
export const aliasAccount = z.object({
  makerCommission: z.int().nonnegative(),
  takerCommission: z.int().nonnegative(),
  buyerCommission: z.literal(0),
  sellerCommission: z.literal(0),
  commissionRates: z.object({
    maker: aliasDecimal,
    taker: aliasDecimal,
    buyer: aliasDecimal,
    seller: aliasDecimal,
  }),
  canTrade: z.boolean(),
  canWithdraw: z.boolean(),
  canDeposit: z.boolean(),
  brokered: z.boolean(),
  requireSelfTradePrevention: z.boolean(),
  preventSor: z.boolean(),
  updateTime: aliasTime,
  accountType: z.literal("SPOT"),
  balances: z.array(z.object({ asset: aliasAsset, free: aliasDecimal, locked: aliasDecimal })),
  permissions: z.array(z.literal("SPOT")),
  uid: z.string(),
});

export type AliasOrderParameters = z.infer<typeof aliasOrderParameters>;
export type AliasAck = z.infer<typeof aliasAck>;
export type AliasPlaced = z.infer<typeof aliasPlaced>;
export type AliasPlacedFill = z.infer<typeof aliasPlacedFill>;
export type AliasOrder = z.infer<typeof aliasOrder>;
export type AliasCanceled = z.infer<typeof aliasCanceled>;
export type AliasMyTrade = z.infer<typeof aliasMyTrades>[number];
export type AliasAccount = z.infer<typeof aliasAccount>;
