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

/** When those keys of the account end that are ours: nothing of the others leaves it. */
export function keysAnswer(isOurs: (accessKey: string) => boolean) {
  return z
    .array(z.looseObject({ access_key: z.string(), expire_at: maybe }))
    .transform((keys) => keys.filter(({ access_key }) => isOurs(access_key)).map(({ expire_at }) => endOf(expire_at)));
}

/** Undefined for no moment. */
function endOf(text: string | null | undefined): string | undefined {
  const atMs = Date.parse(text ?? "");
  return Number.isFinite(atMs) ? new Date(atMs).toISOString() : undefined;
}

export const instrumentsAnswer = z.array(z.looseObject({ market: z.string(), tick_size: maybe }));

/** Ids of the orders whose cancel was taken, and of those where it was not. */
export function batchOf({ success, failed: refused }: z.output<typeof batchAnswer>): BatchCancel {
  const ids = (part: typeof success): string[] => (part?.orders ?? []).map(({ uuid }) => uuid);
  // It does not say why.
  return { requested: ids(success), failed: ids(refused).map((uuid) => ({ uuid, error: "EOrder:Not canceled" })) };
}
