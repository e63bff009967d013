/**
 * What an asset is worth where it is not traded: for payments and remittances. Entry points: `rateOf`, `stepOf`,
 * `corridorOf`, `CORRIDORS`, `divideUp`.
 *
 * Coins go by what the exchange's own market would pay for them now; foreign currencies by a fixed table, as the sandbox has no
 * market for them.
 */
import { ONE, type Refusal, type Units } from "../../model/index.ts";
import { refusal } from "../core/command.ts";
import { invariant } from "../core/invariant.ts";
import { stepFor } from "../market/pricing.ts";
import type { State } from "../state/exchange-state.ts";
import type { MarketState } from "../state/market-state.ts";

interface Rate {
  readonly ok: true;
  /** KRW for one of the asset. */
  readonly price: Units;
  /** What can be moved of it is a multiple of this. */
  readonly step: Units;
}

/** KRW has no decimals. */
const WON: Rate = { ok: true, price: ONE, step: ONE };

/** @param field named when the asset is at fault. */
export function rateOf(state: State, asset: string, field: string): Rate | Refusal {
  if (asset === "KRW") return WON;
  const market = wonMarketOf(state, asset);
  if (market === undefined) return refusal("EQuery:Unknown asset pair", `no market ${asset}/KRW`, field);
  const { rule, status, book, tape } = market;
  if (status !== "trading") return refusal("EOrder:Market halted", `${rule.symbol} is ${status}: no rate`, field);
  const price = book.best("buy") ?? tape.last;
  if (price === null) return refusal("EOrder:Invalid price", `${rule.symbol} has no price yet`, field);
  return { ok: true, price, step: stepFor(rule.volumeDecimals) };
}

/** @throws InvariantError for an asset without a market in won; it would have had no rate. */
export function stepOf(state: State, asset: string): Units {
  const market = wonMarketOf(state, asset);
  invariant(market !== undefined, `no market ${asset}/KRW`);
  return stepFor(market.rule.volumeDecimals);
}

function wonMarketOf({ markets }: State, asset: string): MarketState | undefined {
  return [...markets.values()].find(({ rule }) => rule.base === asset && rule.quote === "KRW");
}

interface Corridor {
  readonly currency: string;
  /** The currency's smallest coin. */
  readonly coin: Units;
  /** KRW for one of the currency. */
  readonly price: Units;
  readonly countries: readonly string[];
}

const CENT = ONE / 100n;

/** Where money can be sent to. */
export const CORRIDORS: readonly Corridor[] = [
  { currency: "USD", coin: CENT, price: 1_380n * ONE, countries: ["US"] },
  { currency: "JPY", coin: ONE, price: (92n * ONE) / 10n, countries: ["JP"] },
  { currency: "CNY", coin: CENT, price: 190n * ONE, countries: ["CN"] },
  {
    currency: "EUR",
    coin: CENT,
    price: 1_500n * ONE,
    countries: ["AT", "BE", "DE", "ES", "FI", "FR", "IE", "IT", "NL"],
  },
  { currency: "GBP", coin: CENT, price: 1_750n * ONE, countries: ["GB"] },
  { currency: "SGD", coin: CENT, price: 1_030n * ONE, countries: ["SG"] },
  { currency: "PHP", coin: CENT, price: 24n * ONE, countries: ["PH"] },
  { currency: "THB", coin: CENT, price: 38n * ONE, countries: ["TH"] },
  { currency: "VND", coin: ONE, price: (54n * ONE) / 1_000n, countries: ["VN"] },
];

export function corridorOf(currency: string): Corridor | undefined {
  return CORRIDORS.find((corridor) => corridor.currency === currency);
}

export function divideUp(dividend: Units, divisor: Units): Units {
  return (dividend + divisor - 1n) / divisor;
}
