/**
 * Markets as people write them. `BTC/KRW`, `btckrw`, `KRW-BTC`, `비트코인` and `bitcoin` mean one market;
 * anything else is refused with the nearest matches, never guessed.
 *
 * Invariant: a symbol goes before a name, as names are the venue's words and may say anything, another market's symbol too.
 *
 * Source: decisions §1.
 */
import { failed, localFault, type Market, ok, quoted, type Result } from "../contract/index.ts";

/** Letters and digits only, upper case; Korean is kept. */
function folded(text: string): string {
  return text
    .normalize("NFC")
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
}

/** Every way to write a market, folded. */
function spellings(market: Market): readonly string[] {
  return [`${market.base}${market.quote}`, `${market.quote}${market.base}`, ...namesOf(market)];
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

/** Hits listed in a refusal. */
const LISTED_MAX = 5;

/**
 * Finds the one market that `text` names: by its symbol, else by the reversed form with a dash, else by its names.
 * @returns `ELocal:Unknown market` with the nearest matches when there is none, or with the hits when there are several.
 */
export function resolveMarket(markets: readonly Market[], text: string): Result<Market> {
  const hits = hitsOf(markets, text);
  const [hit] = hits;
  if (hit !== undefined && hits.length === 1) return ok(hit);
  const typed = JSON.stringify(text.slice(0, 40));
  const listed = (hit === undefined ? nearest(markets, text) : hits.slice(0, LISTED_MAX)).map(named).join(", ");
  const problem =
    hit === undefined
      ? `There is no market ${typed}. Did you mean ${listed}?`
      : `${typed} names more than one market: ${listed}. Write the symbol of the one that is meant.`;
  return failed(localFault("ELocal:Unknown market", { field: "symbol", message: `${problem} Nothing was sent.` }));
}

/** What the first step finds that finds anything. */
function hitsOf(markets: readonly Market[], text: string): readonly Market[] {
  const parts = text.split(/[^\p{L}\p{N}\p{M}]+/u).flatMap((part) => (part === "" ? [] : [folded(part)]));
  const [first = "", second] = parts;
  const isPair = parts.length === 2;
  const exact = markets.filter(({ base, quote }) =>
    isPair ? base === first && quote === second : parts.length === 1 && `${base}${quote}` === first,
  );
  if (exact.length > 0) return exact;
  const isReversible = isPair && /^[^/\s]+[-_][^/\s]+$/.test(text.trim());
  const reversed = markets.filter(({ base, quote }) => isReversible && quote === first && base === second);
  // Written as a symbol that is not there: no name may stand in for it.
  const isSymbol = text.includes("/") || (isReversible && markets.some(({ quote }) => parts.includes(quote)));
  if (reversed.length > 0 || isSymbol) return reversed;
  const wanted = folded(text);
  const byName = wanted === "" ? [] : markets.filter((market) => namesOf(market).includes(wanted));
  // The exchange's markets are in KRW: a coin's name alone means its KRW market, where it has just one.
  const inKrw = byName.filter(({ quote }) => quote === "KRW");
  return inKrw.length === 1 ? inKrw : byName;
}

function namesOf(market: Market): readonly string[] {
  return [folded(market.korean_name), folded(market.english_name)];
}

function named(market: Market): string {
  return `${market.symbol} (${quoted(market.korean_name, 40)})`;
}

/** Markets whose symbol, English or Korean name contains the words searched for; all when nothing is searched. */
export function searchMarkets(markets: readonly Market[], search: string | undefined): readonly Market[] {
  const wanted = folded(search ?? "");
  if (wanted === "") return markets;
  return markets.filter((market) => [...spellings(market), market.base].some((spelling) => spelling.includes(wanted)));
}
