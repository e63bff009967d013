/**
 * What is asked for of a plan, as it is written: which fields each kind takes, and how what is wrong with one is said.
 *
 * Invariant: a field that does not belong to the kind is refused by its name, never dropped, as somebody relies on it.
 *
 * Source: decision 0106.
 */
import { type Candle, type Fault, localFault, type Market, quoted } from "../../../contract/index.ts";
import type { Parsed, Quantity } from "../../../decimal/index.ts";
import { planSettingName, shownPlanSettings } from "../../../policy/index.ts";
import type { Quotes } from "../../market/order-value.ts";
import type { PlanKind, PlanTerms } from "../../model/plan.ts";
import type { PlanRequest } from "../../model/plan-report.ts";
import type { PlanDenial, Policy } from "../../model/policy.ts";
import { lineOf } from "../../risk/policy-line.ts";
import { planDenialFault } from "../../risk/protective-sell.ts";
import type { BasketFacts } from "./basket.ts";
import type { Buy } from "./bought.ts";

/** What a plan is made by: everything is of now. */
export interface PlanFacts {
  /** Of the symbol; undefined where the request names none. */
  readonly market: Market | undefined;
  /** Best prices of others. */
  readonly quotes: Pick<Quotes, "bid" | "ask">;
  /** Of the coin; a share is of this. */
  readonly available: Quantity;
  readonly policy: Pick<Policy, "plans" | "unit" | "approvalTtlMs">;
  /** IANA name. */
  readonly timeZone: string;
  /** Unix milliseconds of the exchange's clock. */
  readonly nowMs: number;
  /** The last of one minute, 60 at most. */
  readonly candles: readonly Pick<Candle, "high" | "low">[];
  /** Of a request with `after`: that buy. */
  readonly buy?: Buy | undefined;
  /** Of a basket. */
  readonly basket?: BasketFacts | undefined;
}

/** The facts of a request that has a market. */
export type MarketFacts = PlanFacts & { readonly market: Market };

/** Terms as far as one kind has them. */
export interface KindTerms {
  readonly terms: PlanTerms;
  readonly warnings: readonly string[];
}

/** The line of the section as it stands, or by default would. */
export function planLine(stem: Parameters<typeof planSettingName>[0], policy: Pick<Policy, "plans" | "unit">): string {
  const name = planSettingName(stem, policy.unit);
  return lineOf(name, shownPlanSettings(policy)[name] ?? "");
}

export type PlanField = Exclude<keyof PlanRequest, "kind">;

interface Fields {
  readonly needs: readonly PlanField[];
  readonly takes: readonly PlanField[];
}

const FIELDS: Readonly<Record<PlanKind, Fields>> = {
  stop: { needs: ["symbol", "base_volume", "stop_price"], takes: ["limit_price", "floor_price"] },
  take_profit: { needs: ["symbol", "base_volume", "take_price"], takes: [] },
  trailing_stop: { needs: ["symbol", "base_volume", "trail"], takes: ["floor_price"] },
  oco: { needs: ["symbol", "base_volume", "take_price"], takes: ["stop_price", "trail", "floor_price", "after"] },
  recurring: { needs: ["symbol", "schedule"], takes: ["side", "quote_amount", "base_volume", "limit_price"] },
  slices: {
    needs: ["symbol", "side", "slices", "duration"],
    takes: ["quote_amount", "base_volume", "limit_price"],
  },
  rebalance: { needs: ["weights"], takes: [] },
  alert: { needs: [], takes: ["event", "symbol", "above", "below"] },
};

/** Its volume is what the buy brings. */
const AFTER_BUY: Fields = { needs: ["symbol", "after", "take_price"], takes: ["stop_price", "trail", "floor_price"] };

const OF_ALL: readonly PlanField[] = ["until", "note", "replaces"];

const NOTE_MAX = 200;

/** Finds the first thing that is wrong. What is read after it counts for nothing. */
export class Reading {
  #fault: Fault | undefined;

  get fault(): Fault | undefined {
    return this.#fault;
  }

  /** @param message says what is wrong and how to put it right; without a full stop */
  wrong(field: keyof PlanRequest, message: string): undefined {
    const sentence = `${message.charAt(0).toUpperCase()}${message.slice(1)}. Nothing was recorded.`;
    this.#fault ??= localFault("ELocal:Invalid input", { field, message: sentence });
    return undefined;
  }

  denied(denial: PlanDenial, line?: string): undefined {
    this.#fault ??= planDenialFault(denial, line);
    return undefined;
  }

  number<Value>(field: PlanField, text: string, parse: (text: unknown) => Parsed<Value>): Value | undefined {
    const parsed = parse(text);
    return parsed.ok ? parsed.value : this.wrong(field, `${field}: ${parsed.message}`);
  }
}

const TRIGGERED: readonly string[] = ["stop", "take_profit", "trailing_stop", "oco"];

/** @returns the kind, where the request has what it needs and nothing else */
export function kindOf(request: PlanRequest, reading: Reading): PlanKind | undefined {
  const { kind } = request;
  if (!isKind(kind))
    return reading.wrong("kind", `there is no plan of kind ${quoted(kind, 40)}: use ${Object.keys(FIELDS).join(", ")}`);
  const { needs, takes } = kind === "oco" && request.after !== undefined ? AFTER_BUY : FIELDS[kind];
  if (TRIGGERED.includes(kind) && request.side === "buy")
    return reading.wrong(
      "side",
      `a ${kind} sells what is held: to buy below the market, place a limit order; to buy above it, ask for an alert and place the order then`,
    );
  const taken: readonly string[] = [...needs, ...takes, ...OF_ALL];
  const given = Object.entries(request).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  const foreign = given.find((name) => name !== "kind" && !taken.includes(name));
  if (foreign !== undefined)
    return reading.wrong(
      foreign as PlanField,
      `a plan of kind ${kind}${request.after === undefined || kind !== "oco" ? "" : " with after"} takes no ${quoted(foreign, 40).slice(1, -1)}: leave it out. It takes ${taken.join(", ")}`,
    );
  const missing = needs.find((name) => !given.includes(name));
  if (missing !== undefined) return reading.wrong(missing, `a plan of kind ${kind} needs ${missing}`);
  if ((request.note ?? "").length > NOTE_MAX)
    return reading.wrong("note", `note has more than ${NOTE_MAX} characters: make it shorter`);
  return reading.fault === undefined ? kind : undefined;
}

function isKind(kind: string): kind is PlanKind {
  return Object.hasOwn(FIELDS, kind);
}
