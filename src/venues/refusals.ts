/**
 * What a refusal of an exchange means for a write: the lists that its codes stand in, and what is said where none fits.
 *
 * Invariant: only a code that stands in a list as a refusal lets a write count as refused.
 *
 * Source: architecture.md#rule-5, architecture.md#rule-10.
 */
import { z } from "zod";
import { type Fault, type FaultCode, type ReachedVenue, venueFault } from "../contract/index.ts";
import { unreadableAnswer, venueText } from "../transport/index.ts";

/**
 * `sure`: what was asked for was looked at and refused. `cancel`: the same of a cancel, and nothing of an order. `gate`: it was refused before. `maybe`: it may be a second delivery that is refused, or the
 * exchange failed. `duplicate`: it has seen the id. `not_found`: there is no such order.
 */
export type RefusalList = "sure" | "cancel" | "gate" | "maybe" | "duplicate" | "not_found";

/** `why`: where our words for the code say something else. */
export type Listed = readonly [list: RefusalList, code: FaultCode, why?: Partial<Fault> | undefined];

/** @param names apart by a bar */
export function refusalsOf(
  rows: readonly (readonly [list: RefusalList, code: FaultCode, names: string, why?: Partial<Fault>])[],
): ReadonlyMap<string, Listed> {
  const named = rows.flatMap(([list, code, names, why]) =>
    names.split("|").map((name): [string, Listed] => [name, [list, code, why]]),
  );
  return new Map(named);
}

/** Refusals for which no code has words of its own. */
export const WHY = {
  wrongTime: {
    retry: "back_off",
    message:
      "The exchange took this request for too old, or for one of the future: its clock is not where it was taken to be.",
    nextAction: "Ask again: the exchange's clock is read anew.",
  },
  tooLarge: {
    message: "The order is worth more than the exchange takes at once.",
    nextAction: "Show the user the refusal, and ask for a smaller order.",
  },
  restricted: {
    message: "The exchange has restricted trading for this account.",
    nextAction: "Ask the exchange why; its site and its customer center tell.",
  },
  justListed: {
    message: "Right after a listing the exchange takes limit orders to sell alone in this market.",
    nextAction: "Wait, or ask for a limit order to sell.",
  },
  stillPlaced: {
    message: "The exchange is still processing this order, and has not taken the cancel.",
    nextAction: "Cancel it again in a second.",
  },
} as const satisfies Readonly<Record<string, Partial<Fault>>>;

/** The exchange has seen this id before, in a request that may have been this one. */
export const DUPLICATE = "EOrder:Duplicate client id";

export const errorBody = z.looseObject({
  error: z.looseObject({ name: z.string().nullish(), message: z.string().nullish() }),
});

export const UNKNOWN: { readonly reachedVenue: ReachedVenue; readonly message: string; readonly nextAction: string } = {
  reachedVenue: "unknown",
  message:
    "The exchange did not say what became of this request: it, or an earlier delivery of it, may have taken effect.",
  nextAction: "Look the order up before anything else; it is never sent twice.",
};

/** What a code of that list says of a write. */
export function reached(list: RefusalList): Partial<Fault> {
  switch (list) {
    case "sure":
    case "cancel":
    case "not_found":
      return { reachedVenue: "yes" };
    case "gate":
      return { reachedVenue: "no" };
    case "duplicate":
    case "maybe":
      return UNKNOWN;
    default:
      return list satisfies never;
  }
}

/** What was asked for when it was refused. */
export interface Asked {
  readonly isWrite: boolean;
  /** It places an order, of which no answer can say that it is not there, or has ended before. */
  readonly places?: boolean;
}

interface Refusal {
  /** Its name or code, and its words; false for an answer that is no refusal that can be read. */
  readonly said: readonly (string | null | undefined)[] | false;
  /** Undefined: it stands in no list. */
  readonly listed: Listed | undefined;
  /** What its status says besides. */
  readonly more?: Partial<Fault>;
}

/** Of a redirect nothing is believed, and of a failure no code: what became of a write stays open. */
export function faultOf(status: number, { isWrite, places }: Asked, { said, listed, more }: Refusal): Fault {
  if (said === false || (status >= 300 && status < 400)) return unreadableAnswer(status, isWrite);
  const words = venueText(said.filter(Boolean).join(": "));
  const detail = { status, ...(words !== undefined && { venueText: words }) };
  const open = isWrite ? UNKNOWN : {};
  if (status >= 500) return venueFault("EService:Unavailable", { ...detail, ...open });
  if (listed === undefined) return venueFault("EGeneral:Unlisted", { ...detail, ...open });
  const [list, code, why] = listed;
  const isNoWord = places && (list === "not_found" || list === "cancel" || code === "EOrder:Order already closed");
  const isReached = isWrite ? reached(isNoWord ? "maybe" : list) : {};
  return venueFault(list === "duplicate" ? DUPLICATE : code, { ...detail, ...why, ...more, ...isReached });
}
