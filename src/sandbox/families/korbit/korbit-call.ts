/** What an endpoint's handler is given, and the market that a call names. */
import type { FamilyEffect } from "../../http/family-effect.ts";
import type { KeyRecord, Millis } from "../../model/index.ts";
import type { Service } from "../../service/service.ts";
import type { AveragePrices } from "../../venue-kit/average-prices.ts";
import type { OrderMemory } from "../../venue-kit/order-memory.ts";
import type { ListedMarket } from "../../venue-kit/won-markets.ts";
import type { KeyType } from "./authentication.ts";
import type { Cancellations } from "./cancellations.ts";
import type { KeyPairs } from "./key-pair.ts";
import { symbolOf } from "./market-rules.ts";
import type { OrderNote } from "./order-note.ts";
import type { OrderNumbers } from "./order-numbers.ts";
import { badRequest, type KorbitError, type KorbitOutcome, refuse, type Variant } from "./outcome.ts";
import type { Parameters } from "./parameters.ts";

export interface PublicCall {
  readonly service: Service;
  readonly at: Millis;
  readonly parameters: Parameters;
  /** What this request is to do wrong. */
  readonly effect: FamilyEffect | undefined;
  readonly variant: Variant;
}

export interface PrivateCall extends PublicCall {
  readonly key: KeyRecord;
  readonly keyType: KeyType;
  readonly keyPairs: KeyPairs;
  readonly memory: OrderMemory<OrderNote>;
  readonly numbers: OrderNumbers;
  readonly cancellations: Cancellations;
  readonly averages: AveragePrices;
  /** When the family was started. */
  readonly startedAt: Millis;
}

export type PublicHandler = (call: PublicCall) => KorbitOutcome;
export type PrivateHandler = (call: PrivateCall) => KorbitOutcome;

/** The market of a code; undefined for any other text. */
export function marketOf({ exchange }: Pick<Service, "exchange">, code: string): ListedMarket | undefined {
  const symbol = symbolOf(code);
  return symbol === undefined ? undefined : exchange.market(symbol);
}

/** The market that a call has to name. */
export function namedMarket({
  service,
  parameters,
}: Pick<PublicCall, "service" | "parameters">): ListedMarket | KorbitError {
  const code = parameters.text("symbol");
  if (code === undefined) return badRequest("symbol");
  return marketOf(service, code) ?? refuse("INVALID_CURRENCY_PAIR");
}

/** The markets of a list with commas; all without one. */
export function namedMarkets({ service, parameters }: PublicCall): readonly ListedMarket[] | KorbitError {
  const codes = parameters.list("symbol");
  if (codes.length === 0) return service.exchange.markets();
  const found = codes.flatMap((code) => marketOf(service, code) ?? []);
  return found.length === codes.length ? found : refuse("INVALID_CURRENCY_PAIR");
}
