/**
 * The answers of Upbit that are its own; what it shares with others of its kind is in `quote-first-answers.ts` and `one-fee-order.ts`.
 *
 * Source: SOURCES.md#answers.
 */
import { z } from "zod";
import type { BatchCancel } from "../../contract/index.ts";
import { orderAnswer } from "../one-fee-order.ts";
import { maybe } from "../shown-number.ts";

/** What all markets that hoga trades in are quoted in, and what fees are paid in. */
export const QUOTE = "KRW";

export const ordersAnswer = z.array(orderAnswer);

const named = z.looseObject({ orders: z.array(z.looseObject({ uuid: z.string() })).nullish() }).nullish();
export const batchAnswer = z.looseObject({ success: named, failed: named });

export const instrumentsAnswer = z.array(z.looseObject({ market: z.string(), tick_size: maybe }));

/** Ids of the orders whose cancel was taken, and of those where it was not. */
export function batchOf({ success, failed: refused }: z.output<typeof batchAnswer>): BatchCancel {
  const ids = (part: typeof success): string[] => (part?.orders ?? []).map(({ uuid }) => uuid);
  // It does not say why.
  return { requested: ids(success), failed: ids(refused).map((uuid) => ({ uuid, error: "EOrder:Not canceled" })) };
}
