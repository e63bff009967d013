/**
 * Markets as people write them. `BTC/KRW`, `btckrw`, `KRW-BTC`, `비트코인` and `bitcoin` mean one market;
 * anything else is refused with the nearest matches, never guessed.
 *
 * Source: decisions §1.
 */
import { failed, localFault, type Market, ok, type Result } from "../contract/index.ts";

/** Letters and digits only, upper case; Korean is kept. */
function folded(text: string): string {
  return text
    .normalize("NFC")
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
}

/** Every way to write a market, folded. */
function spellings(market: Market): readonly string[] {
  return [
    `${market.base}${market.quote}`,
    `${market.quote}${market.base}`,
    folded(market.korean_name),
    folded(market.english_name),
  ];
}

/** How many letters to insert, drop, replace or swap with their neighbour lie between two words. */
export function editDistance(a: string, b: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = (last[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const swapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const viaSwap = swapped ? (beforeLast[column - 2] ?? 0) + 1 : replaced;
      current.push(Math.min(replaced, viaSwap, (last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
}

/** The nearest markets to what was typed, best first, at most three. */
function nearest(markets: readonly Market[], text: string): readonly Market[] {
  const wanted = folded(text);
  const distance = (market: Market) =>
    Math.min(
      ...[...spellings(market), market.base].map((spelling) =>
        spelling.includes(wanted) && wanted.length > 1 ? 0 : editDistance(wanted, spelling),
      ),
    );
  return [...markets].sort((a, b) => distance(a) - distance(b)).slice(0, 3);
}

/**
 * Finds the one market that `text` names.
 * @returns `ELocal:Unknown market` with the nearest matches when there is none.
 */
export function resolveMarket(markets: readonly Market[], text: string): Result<Market> {
  const wanted = folded(text);
  const match = markets.find((market) => spellings(market).includes(wanted));
  if (match !== undefined) return ok(match);
  const matches = nearest(markets, text).map((market) => `${market.symbol} (${market.korean_name})`);
  const shown = JSON.stringify(text.slice(0, 40));
  return failed(
    localFault("ELocal:Unknown market", {
      field: "symbol",
      message: `There is no market ${shown}. Did you mean ${matches.join(", ")}? Nothing was sent.`,
    }),
  );
}

/** Markets whose symbol, English or Korean name contains the words searched for; all when nothing is searched. */
export function searchMarkets(markets: readonly Market[], search: string | undefined): readonly Market[] {
  const wanted = folded(search ?? "");
  if (wanted === "") return markets;
  return markets.filter((market) => [...spellings(market), market.base].some((spelling) => spelling.includes(wanted)));
}
