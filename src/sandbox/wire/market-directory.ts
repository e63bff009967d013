/**
 * Finds a market by a symbol as callers write it: `BTC/KRW` or `BTCKRW`, in any case. Entry point: `marketDirectory`.
 * Source: service.md#symbols.
 */
import type { Exchange } from "../model/index.ts";

export interface MarketDirectory {
  /** The market's own symbol; undefined when there is no such market. */
  symbolOf(written: string): string | undefined;
  /** The quote asset, in which fees are charged too. @param symbol from `symbolOf` or from a record */
  quoteOf(symbol: string): string;
}

/** The set of markets is fixed while the exchange runs. */
export function marketDirectory(exchange: Exchange): MarketDirectory {
  const symbols = new Map<string, string>();
  const quotes = new Map<string, string>();
  for (const { symbol, quote } of exchange.markets()) {
    symbols.set(symbol, symbol);
    quotes.set(symbol, quote);
  }
  for (const { symbol, base, quote } of exchange.markets()) {
    const joined = `${base}${quote}`;
    if (!symbols.has(joined)) symbols.set(joined, symbol);
  }
  return {
    symbolOf: (written) => symbols.get(written) ?? symbols.get(written.toUpperCase()),
    quoteOf(symbol) {
      const quote = quotes.get(symbol);
      if (quote === undefined) throw new Error(`a record names ${symbol}, which is no market`);
      return quote;
    },
  };
}
