/**
 * Finds a market or an asset by a name of the dialect: `BTC/KRW` and `BTCKRW`, and the names that exchanges of the dialect use, such
 * as `XBTKRW` and `XXBTZKRW`. Entry point: `pairDirectory`.
 *
 * Invariant: the service's own names have precedence, and answers use those alone. Source: service.md#symbols.
 */

import type { Exchange } from "../../model/index.ts";
import type { MarketDirectory } from "../../wire/market-directory.ts";

export interface PairDirectory {
  /** The market's own symbol; undefined when there is no such market. */
  symbolOf(written: string): string | undefined;
  assetOf(written: string): string | undefined;
  /** All assets, quote currencies first. */
  readonly assets: readonly string[];
}

/** Other names of assets in the dialect: its own code, and the code with the asset class in front. */
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
