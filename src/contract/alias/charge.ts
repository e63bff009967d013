/**
 * Owns what the alias endpoints say of fees, and of the limits that orders count against. At run time not part of index.ts, as
 * answer.ts. Source: service.md#alias-private.
 */
import { z } from "zod";
import { aliasDecimal, aliasSymbol } from "./scalar.ts";

const makerTaker = z.object({ maker: aliasDecimal, taker: aliasDecimal });
const commission = makerTaker.extend({ buyer: aliasDecimal, seller: aliasDecimal });
/** There is none. */
const discount = z.object({
  enabledForAccount: z.literal(false),
  enabledForSymbol: z.literal(false),
  discountAsset: z.string(),
  discount: aliasDecimal,
});
/** Shown as rates. */
export const aliasCommission = z.object({
  symbol: aliasSymbol,
  standardCommission: commission,
  specialCommission: commission,
  taxCommission: commission,
  discount,
});
export const testedCommission = z.object({
  standardCommissionForOrder: makerTaker,
  specialCommissionForOrder: makerTaker,
  taxCommissionForOrder: makerTaker,
  discount,
});

/** Orders have no limit of their own: they count, with weight 1, as all calls of the key. */
export const aliasOrderLimits = z.array(
  z.object({
    rateLimitType: z.literal("ORDERS"),
    interval: z.literal("MINUTE"),
    intervalNum: z.literal(1),
    limit: z.int().positive(),
    count: z.int().nonnegative(),
  }),
);
