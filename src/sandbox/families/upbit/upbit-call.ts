/** What an endpoint's handler is given, and what the family remembers besides the exchange. */
import type { FamilyEffect } from "../../http/family-effect.ts";
import type { KeyRecord, MarketRule, MarketStatus, Millis, Units } from "../../model/index.ts";
import type { Service } from "../../service/service.ts";
import type { UsedNames } from "../../service/used-names.ts";
import type { Variant } from "./authentication.ts";
import type { AveragePrices } from "./average-prices.ts";
import { symbolOf } from "./market-rules.ts";
import type { OrderMemory } from "./order-memory.ts";
import type { UpbitOutcome } from "./outcome.ts";
import type { Parameters } from "./parameters.ts";

export interface PublicCall {
  readonly service: Service;
  readonly at: Millis;
  readonly parameters: Parameters;
  /** What this request is to do wrong. */
  readonly effect: FamilyEffect | undefined;
}

export interface PrivateCall extends PublicCall {
  readonly key: KeyRecord;
  readonly memory: OrderMemory;
  /** Of accounts, for their orders. */
  readonly identifiers: UsedNames;
  readonly averages: AveragePrices;
  /** When the family was started. */
  readonly startedAt: Millis;
  readonly variant: Variant;
}

export type PublicHandler = (call: PublicCall) => UpbitOutcome;
export type PrivateHandler = (call: PrivateCall) => UpbitOutcome;

export type ListedMarket = MarketRule & { readonly status: MarketStatus; readonly last: Units | null };

/** The market of a code such as those of `market/all`; undefined for any other text. */
export function marketOf({ exchange }: Pick<Service, "exchange">, code: string): ListedMarket | undefined {
  const symbol = symbolOf(code);
  return symbol === undefined ? undefined : exchange.market(symbol);
}
