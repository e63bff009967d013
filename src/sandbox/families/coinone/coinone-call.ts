/** What an endpoint's handler is given, and what the family remembers besides the exchange. */
import type { FamilyEffect } from "../../http/family-effect.ts";
import type { KeyRecord, Millis, PlaceCommand, Units } from "../../model/index.ts";
import type { Service } from "../../service/service.ts";
import type { UsedNames } from "../../service/used-names.ts";
import type { AveragePrices } from "../../venue-kit/average-prices.ts";
import type { OrderMemory } from "../../venue-kit/order-memory.ts";
import type { CoinoneOutcome } from "./outcome.ts";

/** `other` is what other sources say where they differ: SOURCES.md has the list. */
export const VARIANTS = ["newest", "other"] as const;

export type Variant = (typeof VARIANTS)[number];

/** How a market order ended that its limit price, or the end of the book, cut short. */
export type CutShort = "CANCELED_LIMIT_PRICE_EXCEED" | "CANCELED_NO_ORDER";

/** Terms of an order that the exchange has no word for. */
export interface OrderNote {
  /** It is a market order, though the exchange may have it as a limit order. */
  readonly isMarket: true;
  readonly limitPrice: Units;
  /** What a market buy may spend, where the exchange has it by volume. */
  readonly amount: Units;
  readonly cutShort: CutShort;
}

/** What of an order the exchange is asked for, and what it has no word for. */
export interface Sized {
  readonly ok: true;
  readonly sizes: Pick<PlaceCommand, "orderType" | "price" | "volume" | "amount" | "timeInForce" | "postOnly">;
  readonly note: Partial<OrderNote>;
}

interface Call {
  readonly service: Service;
  readonly at: Millis;
  readonly variant: Variant;
  /** When the family was started. */
  readonly startedAt: Millis;
  /** What of the path follows the endpoint's: a quote, and a target. */
  readonly path: readonly string[];
}

export interface PublicCall extends Call {
  readonly query: URLSearchParams;
}

export interface PrivateCall extends Call {
  readonly key: KeyRecord;
  /** Of the payload, but for what authenticates it. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly memory: OrderMemory<OrderNote>;
  /** Of accounts, for their orders. */
  readonly userOrderIds: UsedNames;
  readonly averages: AveragePrices;
  /** What this request is to do wrong. */
  readonly effect: FamilyEffect | undefined;
}

export type PublicHandler = (call: PublicCall) => CoinoneOutcome;
export type PrivateHandler = (call: PrivateCall) => CoinoneOutcome;
