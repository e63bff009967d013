/**
 * Owns finding a market or an asset by what callers of the dialect write: `BTC/KRW` and `BTCKRW`, and the names that exchanges
 * of the dialect use for the same things, such as `XBTKRW` and `XXBTZKRW`.
 *
 * Invariant: the service's own names come first; every answer uses those alone (decisions §1).
 */

import type { Exchange } from "../model/index.ts";
import type { MarketDirectory } from "../wire/market-directory.ts";

export interface PairDirectory {
  /** The market's own symbol; undefined when there is no such market. */
  symbolOf(written: string): string | undefined;
  assetOf(written: string): string | undefined;
  /** All assets, the quote currency first. */
  readonly assets: readonly string[];
}

/** The dialect's other names of assets: its own code, and the code with the class of asset in front. */
const ALTNAMES: Readonly<Record<string, readonly string[]>> = {
  BTC: ["XBT", "XXBT"],
  DOGE: ["XDG", "XXDG"],
  ETH: ["XETH"],
  XRP: ["XXRP"],
  KRW: ["ZKRW"],
};

/** The set of markets is fixed while the exchange runs. */
export function pairDirectory(exchange: Exchange, markets: MarketDirectory): PairDirectory {
  const symbols = new Map<string, string>();
  const assets = new Map<string, string>();
  const listed = exchange.markets();
  for (const asset of [...listed.map(({ quote }) => quote), ...listed.map(({ base }) => base)]) {
    assets.set(asset, asset);
  }
  const own = [...assets.keys()];
  for (const asset of own) for (const name of ALTNAMES[asset] ?? []) if (!assets.has(name)) assets.set(name, asset);
  for (const { symbol, base, quote } of listed)
    for (const left of [base, ...(ALTNAMES[base] ?? [])])
      for (const right of [quote, ...(ALTNAMES[quote] ?? [])])
        for (const name of [`${left}${right}`, `${left}/${right}`]) if (!symbols.has(name)) symbols.set(name, symbol);
  return {
    symbolOf: (written) => markets.symbolOf(written) ?? symbols.get(written.toUpperCase()),
    assetOf: (written) => assets.get(written.toUpperCase()),
    assets: own,
  };
}
