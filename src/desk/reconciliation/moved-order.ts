/**
 * What stands in the place of an order that was moved: each change is an order of its own, and the names of the first one go on meaning what rests now.
 *
 * Invariants: the journal alone is read, as a cancel may wait for the answer; what cannot be read there counts as not moved; a change that proved not to
 * have been placed leaves its order without a successor.
 *
 * Source: decision 0062.
 */
import { ok, type Result } from "../../contract/index.ts";
import { attempt } from "../core/attempt.ts";
import type { DeskContext } from "../core/context.ts";
import type { IntentRecord } from "../model/intent.ts";
import { isAtVenue } from "../model/intent-state.ts";
import { replacementUserref } from "../model/replaced-order.ts";
import type { OrderName } from "../model/reports.ts";
import { isUnresolved } from "../model/submission.ts";

/** The last change of an order that was asked for, as the journal has it, and the name that the next one has. */
export interface Changes {
  readonly last: IntentRecord | undefined;
  readonly userref: string;
}

export async function changesOf({ parts: { journal } }: DeskContext, account: string, orderId: string) {
  let last: IntentRecord | undefined;
  for (let nth = 0; ; nth++) {
    const userref = replacementUserref(account, orderId, nth);
    const found: Result<IntentRecord | undefined> = await journal.byUserref(account, userref);
    if (!found.ok) return found;
    if (found.value === undefined) return ok<Changes>({ last, userref });
    last = found.value;
  }
}

/** The changes that took the place of an order, one of the other, oldest first: the last is what rests now, or may. */
export async function placesOf(context: DeskContext, account: string, orderId: string): Promise<IntentRecord[]> {
  const places: IntentRecord[] = [];
  for (let id: string | null = orderId; id !== null; ) {
    const moved: string = id;
    const { value } = await attempt(() => changesOf(context, account, moved));
    const last = value?.last;
    if (last === undefined || !isInPlace(last)) break;
    places.push(last);
    id = last.orderId;
  }
  return places;
}

/** It was placed, may have been, or is about to be. */
export function isInPlace({ state }: IntentRecord): boolean {
  return state === "approved" || isUnresolved(state) || isAtVenue(state);
}

/** What of the orders before the last of these has executed. */
export function hasExecuted(places: readonly IntentRecord[]): boolean {
  return places.some(({ body: { replaces } }) =>
    /[1-9]/.test(replaces?.ended?.executedVolume ?? replaces?.executedVolume ?? "0"),
  );
}

/** Whether a name means this order, by itself or as what stands in the place of the one that it was given to. */
export async function isNameOf(context: DeskContext, account: string, name: OrderName, orderId: string) {
  const { userref } = name;
  const { value: intent } = await attempt(async () =>
    userref === undefined ? ok(undefined) : context.parts.journal.byUserref(account, userref),
  );
  const first = name.orderId ?? intent?.orderId ?? undefined;
  if (first === undefined || first === orderId) return first === orderId;
  return (await placesOf(context, account, first)).some((place) => place.orderId === orderId);
}
