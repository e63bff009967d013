/**
 * What the lists of an account at Korbit are put together of, market by market.
 *
 * Source: SOURCES.md#lists.
 */

import type { z } from "zod";
import { ok, type Result } from "../../contract/index.ts";
import { quantity, wireNumber } from "../../decimal/index.ts";
import type { QueryOptions } from "../../transport/index.ts";
import type { ListReads } from "../market-lists.ts";
import type { GroupCall } from "../venue-calls.ts";
import { type feesAnswer, fillOf, orderOf, type pairsAnswer, QUOTE } from "./answers.ts";
import { CALLS, LIST_MAX } from "./calls.ts";

const QUOTE_THERE = QUOTE.toLowerCase();

interface Reads {
  /** The exchange's time. */
  readonly nowMs: () => number;
  readonly shown: <T, U>(call: GroupCall<T, false>, options: QueryOptions, map: (answer: T) => U) => Promise<Result<U>>;
  /** Those that hoga can trade in. */
  readonly pairs: () => Promise<Result<z.output<typeof pairsAnswer>>>;
  readonly fees: (options: QueryOptions) => Promise<Result<z.output<typeof feesAnswer>>>;
}

export function listReads({ nowMs, shown, pairs, fees }: Reads): ListReads {
  return {
    ...{ nowMs, listMax: LIST_MAX },
    markets: async () => {
      const found = await pairs();
      return found.ok ? ok(found.value.map(({ symbol }) => symbol)) : found;
    },
    inUse: (options) => shown(CALLS.balance(), options, inUseOf),
    held: async (options) => {
      const told = await fees(options);
      const byMarket = new Map((told.ok ? told.value : []).map((each) => [each.symbol, each]));
      return (market) => {
        const { buyFeeCurrency, maxFeeRate } = byMarket.get(market) ?? {};
        const rate = buyFeeCurrency?.toLowerCase() === QUOTE_THERE ? plain(maxFeeRate) : "0";
        return quantity("1").plus(quantity(rate)).toString();
      };
    },
    open: (market, options) =>
      shown(CALLS.openOrders(market), options, (found) => found.map((order) => orderOf(order, market, nowMs()))),
    closed: (market, { fromMs, toMs }, options) =>
      shown(CALLS.allOrders(market, fromMs, toMs), options, (found) =>
        found.map((order) => orderOf(order, market, nowMs())),
      ),
    fills: (market, { fromMs, toMs }, options) =>
      shown(CALLS.fills(market, fromMs, toMs), options, (found) => found.map((fill) => fillOf(fill, market))),
    lastTrades: async (options) => {
      const told = await shown(CALLS.tickers(), options, (found) =>
        found.flatMap(({ symbol, lastTradedAt: at }) => (at == null ? [] : [[symbol, at] as const])),
      );
      return new Map(told.ok ? told.value : []);
    },
  };
}

type Balance = { readonly currency: string; readonly tradeInUse?: string | null | undefined };

/** Of coins in use the market is known: all are quoted in one currency. */
function inUseOf(held: readonly Balance[]): { quote: string; markets: readonly string[] } {
  const used = held.map(({ currency, tradeInUse }) => [currency.toLowerCase(), plain(tradeInUse)] as const);
  const markets = used.flatMap(([name, amount]) =>
    name === QUOTE_THERE || amount === "0" ? [] : [`${name}_${QUOTE_THERE}`],
  );
  return { quote: used.find(([name]) => name === QUOTE_THERE)?.[1] ?? "0", markets };
}

function plain(text: string | null | undefined): string {
  const number = wireNumber(text ?? "", "up");
  return number === undefined || number.startsWith("-") ? "0" : number;
}
