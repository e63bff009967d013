/**
 * Owns the parameters of the signed alias endpoints, as their dialect names them.
 *
 * Where a parameter can be wrong in a way the dialect has its own number for, the schema's message is the name of an
 * `ALIAS_PROBLEMS` entry.
 *
 * Source: service.md#alias-private; decision 0010.
 */
import { z } from "zod";
import { decimalString, symbolInput, userref } from "../wire.ts";
import { aliasFlag, aliasLimit, aliasTimeInput, aliasTradeIdInput } from "./market.ts";

export const ALIAS_ORDER_TYPES = ["LIMIT", "LIMIT_MAKER", "MARKET"] as const;
export const ALIAS_SIDES = ["BUY", "SELL"] as const;
export const ALIAS_TIMES_IN_FORCE = ["GTC", "IOC", "FOK"] as const;
const orderId = z.string().regex(/^[0-9A-Za-z-]{1,36}$/);
const clientOrderId = userref.min(1, { error: "emptyClientOrderId" });
const origClientOrderId = userref.min(1, { error: "emptyOrigClientOrderId" });

const orderFields = z.strictObject({
  symbol: symbolInput,
  side: z.enum(ALIAS_SIDES, { error: "invalidSide" }),
  type: z.enum(ALIAS_ORDER_TYPES, { error: "invalidOrderType" }),
  timeInForce: z.enum(ALIAS_TIMES_IN_FORCE, { error: "invalidTimeInForce" }).optional(),
  quantity: decimalString.optional(),
  quoteOrderQty: decimalString.optional(),
  price: decimalString.optional(),
  newClientOrderId: clientOrderId.optional(),
  newOrderRespType: z.enum(["ACK", "RESULT", "FULL"], { error: "invalidParameter" }).optional(),
  selfTradePreventionMode: z.enum(["EXPIRE_TAKER"], { error: "invalidParameter" }).optional(),
});

type OrderFields = z.infer<typeof orderFields>;
type OrderField = keyof OrderFields;

/** Lists what each type needs and what it may not have; a market order besides takes one of `quantity` and `quoteOrderQty`. */
const TERMS: Readonly<Record<OrderFields["type"], { needs: readonly OrderField[]; refuses: readonly OrderField[] }>> = {
  LIMIT: { needs: ["timeInForce", "quantity", "price"], refuses: ["quoteOrderQty"] },
  LIMIT_MAKER: { needs: ["quantity", "price"], refuses: ["quoteOrderQty", "timeInForce"] },
  MARKET: { needs: [], refuses: ["price", "timeInForce"] },
};

function checkTerms(order: OrderFields, context: z.RefinementCtx): void {
  const report = (field: OrderField, message: string): void =>
    context.addIssue({ code: "custom", path: [field], message, input: order[field] });
  const { needs, refuses } = TERMS[order.type];
  for (const field of needs) if (order[field] === undefined) report(field, "missingParameter");
  for (const field of refuses) if (order[field] !== undefined) report(field, "notRequired");
  if (order.type !== "MARKET") return;
  if (order.quantity === undefined && order.quoteOrderQty === undefined) report("quantity", "missingEither");
  if (order.quantity !== undefined && order.quoteOrderQty !== undefined) report("quoteOrderQty", "badCombination");
}

export const aliasOrderParameters = orderFields.superRefine(checkTerms);
/** With `computeCommissionRates` the answer says what the order would be charged. */
export const aliasTestOrderParameters = orderFields
  .extend({ computeCommissionRates: aliasFlag.optional() })
  .superRefine(checkTerms);

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
  fromId: aliasTradeIdInput.optional(),
  limit: aliasLimit.optional(),
});

/** A period goes with no other choice. */
export const aliasMyTradesParameters = tradesFields.superRefine((query, context) => {
  const timed = query.startTime !== undefined || query.endTime !== undefined;
  if (timed && (query.orderId !== undefined || query.fromId !== undefined))
    context.addIssue({ code: "custom", path: ["startTime"], message: "badCombination", input: query.startTime });
});

export const aliasAccountParameters = z.strictObject({
  omitZeroBalances: aliasFlag.optional(),
});

export type AliasOrderParameters = z.infer<typeof aliasOrderParameters>;
