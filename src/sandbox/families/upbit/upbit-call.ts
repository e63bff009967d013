/** What an endpoint's handler is given, and what the family remembers besides the exchange. */
import type { FamilyEffect } from "../../http/family-effect.ts";
import type { KeyRecord, Millis } from "../../model/index.ts";
import type { Service } from "../../service/service.ts";
import type { UsedNames } from "../../service/used-names.ts";
import type { AveragePrices } from "../../venue-kit/average-prices.ts";
import type { OrderMemory } from "../../venue-kit/order-memory.ts";
import type { ListedMarket } from "../../venue-kit/won-markets.ts";
import type { Variant } from "./authentication.ts";
import { symbolOf } from "./market-rules.ts";
import type { OrderNote } from "./order-note.ts";
import type { UpbitOutcome } from "./outcome.ts";
import type { UpbitParameters } from "./parameters.ts";

export interface PublicCall {
  readonly service: Service;
  readonly at: Millis;
  readonly parameters: UpbitParameters;
  /** What this request is to do wrong. */
  readonly effect: FamilyEffect | undefined;
}

export interface PrivateCall extends PublicCall {
  readonly key: KeyRecord;
  readonly memory: OrderMemory<OrderNote>;
  /** Of accounts, for their orders. */
  readonly identifiers: UsedNames;
  readonly averages: AveragePrices;
  /** When the family was started. */
  readonly startedAt: Millis;
  readonly variant: Variant;
}

export type PublicHandler = (call: PublicCall) => UpbitOutcome;
export type PrivateHandler = (call: PrivateCall) => UpbitOutcome;

/** The market of a code such as those of `market/all`; undefined for any other text. */
export function marketOf({ exchange }: Pick<Service, "exchange">, code: string): ListedMarket | undefined {
  const symbol = symbolOf(code);
  return symbol === undefined ? undefined : exchange.market(symbol);
}
