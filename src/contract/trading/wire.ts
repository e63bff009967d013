/**
 * Owns the scalar shapes of the Trading API: form fields are texts; times have the dialect's form, with the service's own beside
 * them.
 *
 * Source: service.md#trading-requests, service.md#trading-dialect; decision 0009.
 */
import { z } from "zod";
import { describedAsInteger } from "../wire.ts";

/** Markets in one field, separated by commas: `BTC/KRW,ETH/KRW`. */
export const pairList = z.string().regex(/^[A-Za-z0-9/]{1,31}(,[A-Za-z0-9/]{1,31}){0,99}$/, {
  error: "write the markets as BTC/KRW,ETH/KRW",
});

export const assetList = z.string().regex(/^[A-Za-z0-9]{1,15}(,[A-Za-z0-9]{1,15}){0,99}$/, {
  error: "write the assets as BTC,KRW",
});

/** `true` or `false`, in any case. */
export const flagText = z.string().regex(/^(true|false)$/i, { error: "write true or false" });

/** For what the service does not have: a caller may say, in upper or lower case, that it is not wanted. */
export const falseText = z.string().regex(/^false$/i, { error: "the service does not have this: write false" });

/** In which unit amounts of a rebased asset are counted. No asset here is rebased, so both mean the same. */
export const rebaseMultiplier = z.enum(["rebased", "base"]);

/** A time in a request: Unix seconds, with a fraction if need be, or Unix milliseconds (12 digits and more). */
export const unixTimeText = z
  .string()
  .regex(/^(\d{1,11}(\.\d{1,9})?|\d{12,15})$/, { error: "write the time in Unix seconds or milliseconds" });

/** Bounds a list: a time, or the id of an order or trade. */
export const bound = z
  .string()
  .regex(/^(\d{1,11}(\.\d{1,9})?|\d{12,15}|[0-9a-f-]{36}|T\d{1,15})$/, { error: "write a Unix time or an id" });

/** Counts how many of a list to leave out. */
export const offsetText = z
  .string()
  .regex(/^\d{1,7}$/, { error: "use a whole number" })
  .meta(describedAsInteger(0, 9_999_999));

/** Orders by id, separated by commas: at most 50. */
export const orderIdList = z
  .string()
  .regex(/^[0-9a-f-]{36}(,[0-9a-f-]{36}){0,49}$/, { error: "write up to 50 order ids, separated by commas" });

/** An own execution by id, as in `TradesHistory`. */
export const fillId = z.string().regex(/^T\d{1,15}$/);

/** Own executions by id, separated by commas: at most 20. */
export const fillIdList = z
  .string()
  .regex(/^T\d{1,15}(,T\d{1,15}){0,19}$/, { error: "write up to 20 trade ids, separated by commas" });

/** A time in an answer, as the dialect has it: Unix seconds, with milliseconds as a fraction; none that no date holds. */
export const unixSeconds = z.number().nonnegative().max(8_640_000_000_000);
