/**
 * Owns what the Trading API says of an account: balances, volume and fees, the stream token.
 *
 * Source: service.md#trading-account; decision 0009.
 */
import { z } from "zod";
import { asset, decimalString, isoTime, symbol } from "../wire.ts";
import { flagText, pairList, rebaseMultiplier } from "./wire.ts";

export const balancesRequest = z.strictObject({ rebase_multiplier: rebaseMultiplier.optional() });

/** Shows what an account has of each asset it ever held, in orders or not. */
export const balances = z.record(asset, decimalString);

/** `hold_trade` is what open orders have locked of `balance`, and `unsettled` what of it cannot be withdrawn yet. */
const extendedBalance = z.object({
  balance: decimalString,
  hold_trade: decimalString,
  unsettled: decimalString.optional(),
});
export const extendedBalances = z.record(asset, extendedBalance);

export const tradeVolumeRequest = z.strictObject({
  pair: pairList.optional(),
  "fee-info": flagText.optional(),
  rebase_multiplier: rebaseMultiplier.optional(),
});

/** In percent. Fees do not fall with the volume, so there is no next step. */
const feeInfo = z
  .object({
    fee: decimalString,
    minfee: decimalString,
    maxfee: decimalString,
    nextfee: z.null(),
    nextvolume: z.null(),
    tiervolume: decimalString,
  })
  .meta({ id: "FeeInfo" });

export const tradeVolume = z.object({
  currency: asset,
  volume: decimalString.meta({ description: "Value of the own executions of the last 30 days." }),
  fees: z.record(symbol, feeInfo).optional(),
  fees_maker: z.record(symbol, feeInfo).optional(),
  account_id: z.string().meta({ description: "The service's own: whose key it is, as in GET /v1/accounts." }),
});

/** `expires` is in seconds from now. */
export const webSocketsToken = z.object({ token: z.string(), expires: z.int().nonnegative(), expires_at: isoTime });

export type ExtendedBalance = z.infer<typeof extendedBalance>;
