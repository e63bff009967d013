/**
 * Markets and their rules at the exchanges that write the quote first and tell fees and minimum with a key (`orders/chance`). Ticks follow the
 * price by a table of the exchange's.
 */
import { z } from "zod";
import type { Market } from "../contract/index.ts";
import { type Price, price, wireNumber } from "../decimal/index.ts";
import { assumedMarket, bandsOf, exactOf } from "./market-rules.ts";
import { type marketsAnswer, symbolOf } from "./quote-first-answers.ts";
import { maybe } from "./shown-number.ts";

const limits = z.looseObject({ min_total: maybe }).nullish();
export const chanceAnswer = z.looseObject({
  ...{ bid_fee: maybe, ask_fee: maybe, maker_bid_fee: maybe, maker_ask_fee: maybe },
  market: z.looseObject({ bid: limits, ask: limits, state: maybe }).nullish(),
});

export interface TickTable {
  readonly bands: Market["tick_bands"];
  readonly exact: readonly { readonly from: Price; readonly tick: Price }[];
}

/** @param rows from a price on, the tick */
export function tickTable(rows: readonly string[]): TickTable {
  const bands = bandsOf(rows);
  return { bands, exact: exactOf(bands) };
}

/** What is taken for granted of every market until the exchange tells more. */
export interface MarketFacts {
  readonly quote: string;
  readonly ticks: TickTable;
  readonly minimum: string;
  readonly fee: string;
}

/** Those that hoga can trade in: names of other letters are left out. */
export function marketsOf(
  answer: z.output<typeof marketsAnswer>,
  { quote, ticks, minimum, fee }: MarketFacts,
  lastOf: (symbol: string) => string | null,
): Market[] {
  const latin = new RegExp(`^${quote}-[A-Z0-9]{1,15}$`);
  return answer.flatMap(({ market, korean_name, english_name }) => {
    if (!latin.test(market)) return [];
    const symbol = symbolOf(market);
    const assumed = assumedMarket(symbol, { bands: ticks.bands, minimum, fee }, lastOf(symbol));
    const { base } = assumed;
    return [{ ...assumed, korean_name: korean_name ?? base, english_name: english_name ?? base }];
  });
}

export function withChance(market: Market, chance: z.output<typeof chanceAnswer>): Market {
  const { bid_fee: bid, ask_fee: ask, maker_bid_fee: makerBid, maker_ask_fee: makerAsk } = chance;
  const { bid: buying, ask: selling, state } = chance.market ?? {};
  const [taker, maker] = [highest([bid, ask]), highest([makerBid, makerAsk])];
  const minimum = highest([buying?.min_total, selling?.min_total]);
  return {
    ...market,
    status: state == null || state === "active" ? market.status : "halted",
    min_notional: minimum ?? market.min_notional,
    taker_fee_rate: taker ?? market.taker_fee_rate,
    maker_fee_rate: maker ?? taker ?? market.maker_fee_rate,
  };
}

function highest(texts: readonly (string | null | undefined)[]): string | undefined {
  const numbers = texts.flatMap((text) => wireNumber(text ?? "", "up") ?? []).filter((text) => !text.startsWith("-"));
  return numbers.sort((a, b) => price(b).cmp(price(a)))[0];
}
