/** What an endpoint's handler is given, and what the family remembers besides the exchange. */
import type { FamilyEffect } from "../../http/family-effect.ts";
import type { KeyRecord, Millis } from "../../model/index.ts";
import type { Service } from "../../service/service.ts";
import type { AveragePrices } from "../../venue-kit/average-prices.ts";
import type { OrderMemory } from "../../venue-kit/order-memory.ts";
import type { ListedMarket } from "../../venue-kit/won-markets.ts";
import type { Figures } from "./figures.ts";
import { symbolOf } from "./market-rules.ts";
import type { OrderNote } from "./order-note.ts";
import type { BithumbError, BithumbOutcome } from "./outcome.ts";
import type { BithumbParameters } from "./parameters.ts";

export interface PublicCall {
  readonly service: Service;
  readonly at: Millis;
  readonly parameters: BithumbParameters;
  readonly figures: Figures;
  /** What this request is to do wrong. */
  readonly effect: FamilyEffect | undefined;
}

export interface PrivateCall extends PublicCall {
  readonly key: KeyRecord;
  readonly memory: OrderMemory<OrderNote>;
  /** Until when orders are not ready, on purpose. */
  readonly unready: Map<string, Millis>;
  readonly averages: AveragePrices;
  /** When the family was started. */
  readonly startedAt: Millis;
  /** Whether a repeated `client_order_id` is answered with the first order. */
  readonly repeatsAnswer: boolean;
  /** Charges an order or a cancellation to its market. @returns the refusal over the rate */
  readonly chargeAsset: (symbol: string) => BithumbError | undefined;
}

export type PublicHandler = (call: PublicCall) => BithumbOutcome;
export type PrivateHandler = (call: PrivateCall) => BithumbOutcome;

/** The market of a code such as those of `market/all`; undefined for any other text. */
export function marketOf({ exchange }: Pick<Service, "exchange">, code: string): ListedMarket | undefined {
  const symbol = symbolOf(code);
  return symbol === undefined ? undefined : exchange.market(symbol);
}
