/**
 * The rates at which payments and remittances convert assets. Entry points: `rateOf`, `stepOf`, `corridorOf`, `CORRIDORS`,
 * `divideUp`.
 *
 * An asset of the exchange converts at its market's best bid, else its last price; a foreign currency at a fixed rate, as the
 * sandbox has no market for it.
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
  /** Amounts of the asset are multiples of this. */
  readonly step: Units;
}

/** Won have no decimals. */
const WON: Rate = { ok: true, price: ONE, step: ONE };

/** @param field named in the refusal when there is no rate for the asset. */
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

/** @throws InvariantError for an asset without a market in won, for which there was no rate either. */
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
  /** The smallest amount of the currency. */
  readonly minorUnit: Units;
  /** KRW for one of the currency. */
  readonly price: Units;
  readonly countries: readonly string[];
}

const CENT = ONE / 100n;

/** The currencies and countries that money can be sent to. */
export const CORRIDORS: readonly Corridor[] = [
  { currency: "USD", minorUnit: CENT, price: 1_380n * ONE, countries: ["US"] },
  { currency: "JPY", minorUnit: ONE, price: (92n * ONE) / 10n, countries: ["JP"] },
  { currency: "CNY", minorUnit: CENT, price: 190n * ONE, countries: ["CN"] },
  {
    currency: "EUR",
    minorUnit: CENT,
    price: 1_500n * ONE,
    countries: ["AT", "BE", "DE", "ES", "FI", "FR", "IE", "IT", "NL"],
  },
  { currency: "GBP", minorUnit: CENT, price: 1_750n * ONE, countries: ["GB"] },
  { currency: "SGD", minorUnit: CENT, price: 1_030n * ONE, countries: ["SG"] },
  { currency: "PHP", minorUnit: CENT, price: 24n * ONE, countries: ["PH"] },
  { currency: "THB", minorUnit: CENT, price: 38n * ONE, countries: ["TH"] },
  { currency: "VND", minorUnit: ONE, price: (54n * ONE) / 1_000n, countries: ["VN"] },
];

export function corridorOf(currency: string): Corridor | undefined {
  return CORRIDORS.find((corridor) => corridor.currency === currency);
}

export function divideUp(dividend: Units, divisor: Units): Units {
  return (dividend + divisor - 1n) / divisor;
}
