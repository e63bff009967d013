/**
 * Owns expected outcomes as values: `Result<T>` is a value or a `Fault`, and a fault always says whether the venue was reached.
 * Broken invariants throw instead.
 *
 * Venue codes come from the catalogue (`FAULTS`); codes of class `ELocal` are ours, raised on this side of the wire. Both tables
 * together make the error reference page.
 *
 * Source: architecture.md#rule-5, architecture.md#rule-10.
 */

import { FAULTS, type FaultCode, faultFor, type RetryRule } from "./fault.ts";
import { defined } from "./idioms.ts";
import { visibleLine } from "./quotation.ts";

/**
 * Tells whether the request may have had an effect at the venue. `no`: it certainly never left or was never accepted as a request; `yes`:
 * the venue answered; `unknown`: it was sent and no readable answer came.
 */
export type ReachedVenue = "no" | "yes" | "unknown";

export interface LocalFaultEntry {
  readonly reachedVenue: ReachedVenue;
  readonly retry: RetryRule;
  readonly meaning: string;
  readonly nextAction: string;
}

const notSent = { reachedVenue: "no", retry: "never" } as const;

export const LOCAL_FAULTS = {
  "ELocal:Invalid input": {
    ...notSent,
    meaning: "An argument is missing, unknown or of the wrong form; the field is named. Nothing was sent.",
    nextAction: "Correct the named field.",
  },
  "ELocal:Unknown market": {
    ...notSent,
    meaning: "No market matches the symbol given; the nearest are listed. Nothing was sent.",
    nextAction: "Use one of the symbols listed, or search with get_markets.",
  },
  "ELocal:Unknown order": {
    ...notSent,
    meaning: "No order with this id or userref is known here or at the venue.",
    nextAction: "List orders with get_open_orders or get_order_history.",
  },
  "ELocal:Userref in use": {
    ...notSent,
    meaning: "This userref already belongs to a different order. Nothing was sent.",
    nextAction: "Leave userref out, or choose a new one for a new order.",
  },
  "ELocal:Twin unresolved": {
    ...notSent,
    meaning: "The same order was sent before and had no answer when this one was requested. Nothing was sent now.",
    nextAction:
      "Look it up with get_order by the userref named. Only if a second order is wanted, place it again after that.",
  },
  "ELocal:Withdrawn": {
    ...notSent,
    meaning: "The call was withdrawn. Nothing was sent.",
    nextAction: "If it is still wanted, ask for it anew, an order without its userref.",
  },
  "ELocal:Not checked": {
    reachedVenue: "no",
    retry: "back_off",
    meaning: "A check that has to come first got no readable answer from the exchange. Nothing was sent.",
    nextAction: "See with get_desk_status whether the exchange is up.",
  },
  "ELocal:Draft not usable": {
    ...notSent,
    meaning: "The draft is unknown, already used or expired. Nothing was sent.",
    nextAction: "Call preview_order again.",
  },
  "ELocal:Policy unreadable": {
    ...notSent,
    meaning:
      "The file policy.toml cannot be read, is damaged or may be changed by others, so no order is placed. Cancels still work. Nothing was sent.",
    nextAction: "A person repairs what the message names; the file is read again for the next order.",
  },
  "ELocal:Denied by policy": {
    ...notSent,
    meaning: "The policy does not allow this order; rule, figure and limit say why. Nothing was sent.",
    nextAction: "Do what the message says, or leave it.",
  },
  "ELocal:Trading halted": {
    ...notSent,
    meaning: "Trading is halted, so no order is placed. Cancels still work. Nothing was sent.",
    nextAction: "Tell the person; only a person ends the halt, with hoga resume.",
  },
  "ELocal:Not approved": {
    ...notSent,
    meaning:
      "The order needed a person's approval and has none: it was declined, its time ran out, or it lapsed because the price moved. Nothing was sent.",
    nextAction: "Ask the person whether the order is still wanted; if so, preview and place it anew.",
  },
  "ELocal:Approval mismatch": {
    ...notSent,
    meaning:
      "The approval is not for this order: another field, account or environment, or it was used before. Nothing was sent.",
    nextAction: "Preview and place the order anew, so that a person sees exactly what would be sent.",
  },
  "ELocal:Cannot rehearse": {
    ...notSent,
    meaning: "Past candles do not tell what the plan would have done. Nothing was recorded.",
    nextAction: "Choose a trigger that is further from the price, or a shorter period, whose candles are finer.",
  },
  "ELocal:Unknown plan": {
    ...notSent,
    meaning: "The account has no plan with this id. Nothing was changed.",
    nextAction: "Look for it among the account's plans, the ended ones too.",
  },
  "ELocal:Plan ended": {
    ...notSent,
    meaning: "The plan has ended, so nothing of it can be changed. Nothing was changed.",
    nextAction: "If it is still wanted, make a new plan.",
  },
  "ELocal:No key": {
    ...notSent,
    meaning: "The profile has no API key, so only public market data is available.",
    nextAction: "Add a key to the profile.",
  },
  "ELocal:Venue unreachable": {
    reachedVenue: "no",
    retry: "back_off",
    meaning: "No connection to the venue could be made. Nothing was sent.",
    nextAction: "Check that the venue is up and base_url is right.",
  },
  "ELocal:No answer": {
    reachedVenue: "unknown",
    retry: "back_off",
    meaning: "The request was sent and no answer came.",
    nextAction: "For an order or cancel: look it up before anything else; it is never sent twice.",
  },
  "ELocal:Not placed": {
    ...notSent,
    meaning: "The order did not take effect: it never left, or the exchange has proved that it has no such order.",
    nextAction: "Place it again if it is still wanted.",
  },
  "ELocal:Unreadable answer": {
    reachedVenue: "unknown",
    retry: "never",
    meaning: "The venue answered with something that is not the service's form (for example an HTML page).",
    nextAction: "Check base_url; for an order or cancel look it up first.",
  },
  "ELocal:Wrong order": {
    reachedVenue: "unknown",
    retry: "never",
    meaning:
      "The exchange answered with another order than was requested, or with the id of another one. What became of the order is not known.",
    nextAction: "Tell the user at once: a person has to look at the exchange. Nothing more is sent for this order.",
  },
  "ELocal:Not started": {
    ...notSent,
    meaning: "The store or the exchange could not be opened. Nothing was sent.",
    nextAction: "Read the message; correct the setting or file it names and start again.",
  },
  "ELocal:Webhook not authentic": {
    ...notSent,
    meaning:
      "A webhook's headers are missing, its signature is not one of the secret's, or it was signed too long ago or ahead. It was not read.",
    nextAction: "Check that the secret is the endpoint's own and that this machine's clock is right.",
  },
  "ELocal:Webhook not understood": {
    reachedVenue: "yes",
    retry: "never",
    meaning: "A webhook is authentic, and of a type or form that is not in the contract.",
    nextAction: "Update hoga, or check with the exchange what has changed.",
  },
  "ELocal:Store unavailable": {
    ...notSent,
    meaning: "The store cannot be read or written, so no order can be recorded. Nothing was sent.",
    nextAction: "Do what the message says; hoga store check tells more.",
  },
  "ELocal:Store damaged": {
    ...notSent,
    meaning: "What is kept is damaged, so no order can be recorded in it. Nothing was sent.",
    nextAction: "Tell the person: hoga store check says what is wrong, and a backup is put back as the guide says.",
  },
  "ELocal:Busy": {
    reachedVenue: "no",
    retry: "after_delay",
    meaning: "This caller has as many pictures under way as it may have: one that is drawn, and two that wait.",
    nextAction: "Wait retry_after_ms, or ask for the same without a picture.",
  },
  "ELocal:Internal error": {
    reachedVenue: "unknown",
    retry: "never",
    meaning: "Something inside hoga itself failed; this is a defect. Whether a write took effect is not known.",
    nextAction: "Check with get_open_orders and get_order_history before placing anything, and report the defect.",
  },
} as const satisfies Record<string, LocalFaultEntry>;

export type LocalFaultCode = keyof typeof LOCAL_FAULTS;

/** A value that would fit in place of one that does not. For a person to choose: it is never applied by itself. */
export interface Proposal {
  readonly field: "price" | "base_volume" | "quote_amount";
  readonly given: string;
  readonly proposed: string;
  readonly reason: string;
}

export interface Fault {
  /** Catalogue code, a venue's unlisted code of a few words as sent, or `EGeneral:Unlisted`. */
  readonly code: string;
  /** Our own sentence: what happened and what to do. Never the venue's text. */
  readonly message: string;
  readonly reachedVenue: ReachedVenue;
  readonly retry: RetryRule;
  readonly nextAction: string;
  readonly field?: string;
  /** Values that would fit, where they can be computed. */
  readonly proposals?: readonly Proposal[];
  readonly retryAfterMs?: number;
  /** The venue's own words, length-capped and quoted as data. */
  readonly venueText?: string;
  readonly userActionUrl?: string;
  /** Final state of the order, with `EOrder:Order already closed`. */
  readonly orderState?: string;
  /** State of the payment or remittance, where it did not allow the request. */
  readonly transferState?: string;
  /** With a request about a transfer that may have taken effect: what it is looked up by. */
  readonly idempotencyKey?: string;
  /** HTTP status, when there was one. */
  readonly status?: number;
  /** With `ELocal:Denied by policy`: which rule, what broke it, and what it allows; numbers as decimal text, without a unit. */
  readonly rule?: string;
  readonly figure?: string;
  readonly limit?: string;
}

export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fault: Fault };

export function ok<T>(value: T): Result<T> {
  return { ok: true, value };
}

export function failed(fault: Fault): { readonly ok: false; readonly fault: Fault } {
  return { ok: false, fault };
}

type FaultDetail = Partial<Omit<Fault, "code">>;

/** A fault of our own side, filled from `LOCAL_FAULTS`. */
export function localFault(code: LocalFaultCode, detail: FaultDetail = {}): Fault {
  const entry = LOCAL_FAULTS[code];
  return {
    code,
    message: entry.meaning,
    reachedVenue: entry.reachedVenue,
    retry: entry.retry,
    nextAction: entry.nextAction,
    ...detail,
  };
}

/** A catalogue fault found on our side before sending: same code as the venue's, but nothing was sent. */
export function checkFault(code: FaultCode, detail: FaultDetail = {}): Fault {
  const entry = FAULTS[code];
  return {
    code,
    message: entry.meaning,
    ...notSent,
    nextAction: entry.nextAction,
    ...detail,
  };
}

/** An unlisted code that is shown as it came: a class and at most four words. The class `ELocal` is ours alone. */
const SHORT_CODE = /^E(?!Local:)[A-Z][A-Za-z]{1,20}:(?=.{1,40}$)[A-Za-z0-9._-]+( [A-Za-z0-9._-]+){0,3}$/;

/** Stands for every other unlisted code, as a whole sentence could be read as an instruction of ours. Its text is in `venueText`. */
export const UNLISTED_CODE = "EGeneral:Unlisted";

/** Longest text of the venue kept in a fault, in characters. */
const VENUE_TEXT_MAX = 200;

/** A fault the venue answered with. Unlisted codes are never retried, and kept only if they are a few words. */
export function venueFault(wireCode: string, detail: FaultDetail = {}): Fault {
  const known = faultFor(wireCode);
  const code = known?.code ?? (SHORT_CODE.test(wireCode) ? wireCode : UNLISTED_CODE);
  const words = code === UNLISTED_CODE ? wordsOf(wireCode, detail.venueText) : detail.venueText;
  const { venueText: _words, ...rest } = detail;
  return {
    code,
    message: known?.entry.meaning ?? "The venue refused the request with a code that is not in the catalogue.",
    reachedVenue: "yes",
    retry: known?.entry.retry ?? "never",
    nextAction: known?.entry.nextAction ?? "Read venue_text; do not repeat the request unchanged.",
    ...rest,
    ...defined({ venueText: words }),
  };
}

/** A code that is shown as text, with the message that came with it. */
function wordsOf(wireCode: string, message: string | undefined): string | undefined {
  return visibleLine([wireCode, ...(message === undefined ? [] : [message])].join(": "), VENUE_TEXT_MAX);
}
