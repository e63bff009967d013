/**
 * Markets as people write them. `BTC/KRW`, `btckrw`, `KRW-BTC`, `BTC`, `ＢＴＣ`, `비트코인` and `bitcoin` mean one market, `XBT` too where none
 * is listed under that code, and `비트` where nothing is ordered; anything else is refused with the nearest matches, never guessed.
 *
 * Invariant: symbols and codes go before names, as names are the venue's words and may say anything, another market's symbol too.
 *
 * Source: service.md#symbol-input.
 */
import { DEFAULT_UNIT, failed, localFault, type Market, ok, quoted, type Result } from "../../contract/index.ts";
import { coinNicknamed } from "./nickname.ts";

/** Letters and digits only, upper case; Korean is kept. Letters in full width, as input methods for Korean write them, are the same letters. */
function folded(text: string): string {
  return text
    .normalize("NFKC")
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
}

/** Every way to write a market, folded. */
function spellings(market: Market): readonly string[] {
  return [`${market.base}${market.quote}`, `${market.quote}${market.base}`, ...namesOf(market)];
}

/** Counts how many letters to insert, drop, replace or swap with their neighbour lie between two words. */
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

/** Longest text for which similar markets are searched. */
const TYPED_MAX = 40;

/** The markets that are like what was typed, best first, at most three; none when nothing is. */
function nearest(markets: readonly Market[], text: string): readonly Market[] {
  const wanted = folded(text.slice(0, TYPED_MAX));
  if (wanted === "") return [];
  const coin = withoutQuote(markets, wanted);
  return markets
    .map((market) => ({ market, distance: distanceTo(market, wanted, coin) }))
    .filter(({ distance }) => Number.isFinite(distance))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ market }) => market);
}

/** Leaves what was typed of the coin: the quote is the same in every market and would make all of them alike. */
function withoutQuote(markets: readonly Market[], wanted: string): string {
  const quote = markets.map((market) => market.quote).find((code) => wanted.startsWith(code) || wanted.endsWith(code));
  if (quote === undefined || quote === wanted) return wanted;
  return wanted.endsWith(quote) ? wanted.slice(0, -quote.length) : wanted.slice(quote.length);
}

/** Tells how far a market is from what was typed; infinite where they are not alike. */
function distanceTo(market: Market, wanted: string, coin: string): number {
  const { base, quote } = market;
  const pairs = [`${base}${quote}`, `${quote}${base}`].map((pair) => within(1, editDistance(wanted, pair)));
  const names = [base, ...namesOf(market)].map((name) =>
    isPartOf(name, coin) ? 0 : within(Math.floor(coin.length / 3), editDistance(coin, name)),
  );
  return Math.min(...pairs, ...names);
}

function within(limit: number, distance: number): number {
  return distance <= limit ? distance : Number.POSITIVE_INFINITY;
}

/** Two letters inside a longer name are chance; at its head they may be its beginning. */
function isPartOf(name: string, typed: string): boolean {
  return (typed.length > 1 && name.startsWith(typed)) || (typed.length > 2 && name.includes(typed));
}

/** Hits listed in a refusal. */
const LISTED_MAX = 5;

/** Tells whether a symbol is written as the venue writes it, so that no query is needed to resolve it. */
export function isCanonical(text: string): boolean {
  return /^[A-Z0-9]{1,20}\/[A-Z]{3,10}$/.test(text);
}

export type Nicknames = "taken" | "proposed";

/**
 * Finds the one market that `text` names: by its symbol, else by the reversed form with a dash, else by the coin's code, else
 * by its names. A coin alone means its market in the unit of account, where it has just one.
 * @param nicknames what people call a coin that has another name: taken by whoever only looks, and proposed for an order
 * @returns `ELocal:Unknown market` with the nearest matches when there is none, or with the hits when there are several.
 */
export function resolveMarket(
  markets: readonly Market[],
  text: string,
  nicknames: Nicknames = "proposed",
  unit: string = DEFAULT_UNIT,
): Result<Market> {
  const hits = ofUnit(hitsOf(markets, text), unit);
  const [hit] = hits;
  if (hit !== undefined && hits.length === 1) return ok(hit);
  const typed = quoted(text, TYPED_MAX);
  const refused = (problem: string, detail: { readonly nextAction?: string } = {}) =>
    failed(
      localFault("ELocal:Unknown market", { field: "symbol", message: `${problem} Nothing was sent.`, ...detail }),
    );
  if (hit !== undefined) {
    const listed = hits.slice(0, LISTED_MAX).map(named).join(", ");
    return refused(`${typed} names more than one market: ${listed}. Write the symbol of the one that is meant.`);
  }
  const nicknamed = ofUnit(
    markets.filter(({ base }) => base === coinNicknamed(folded(text))),
    unit,
  );
  const [only] = nicknamed;
  if (only !== undefined && nicknamed.length === 1 && nicknames === "taken") return ok(only);
  const alike = (nicknamed.length > 0 ? nicknamed : nearest(markets, text)).map(named).join(", ");
  if (alike !== "") return refused(`There is no market ${typed}. Did you mean ${alike}?`);
  return refused(`There is no market ${typed} and no similar market; search with get_markets.`, {
    nextAction: "Search with get_markets, or leave its search out to see all markets.",
  });
}

function hitsOf(markets: readonly Market[], typed: string): readonly Market[] {
  // As the venue writes it, which needs no folding: most calls name it so.
  const asWritten = markets.find(({ symbol, base, quote }) => symbol === typed && typed === `${base}/${quote}`);
  if (asWritten !== undefined) return [asWritten];
  const text = typed.normalize("NFKC");
  const hits = namedBy(markets, text);
  return hits.length > 0 ? hits : namedBy(markets, underOwnCode(markets, text));
}

/** Bitcoin under the code that other exchanges have for it, where no market has that code itself. */
function underOwnCode(markets: readonly Market[], text: string): string {
  return markets.some(({ base }) => base === "XBT") ? text : text.replace(/(?<![\p{L}\p{N}])XBT/iu, "BTC");
}

/** Finds what the first step finds that finds anything. */
function namedBy(markets: readonly Market[], text: string): readonly Market[] {
  const parts = text.split(/[^\p{L}\p{N}\p{M}]+/u).flatMap((part) => (part === "" ? [] : [folded(part)]));
  const [first = "", second] = parts;
  const isPair = parts.length === 2;
  const exact = markets.filter(({ base, quote }) =>
    isPair ? base === first && quote === second : parts.length === 1 && `${base}${quote}` === first,
  );
  if (exact.length > 0) return exact;
  const isReversible = isPair && /^[^/\s]+[-_][^/\s]+$/.test(text.trim());
  const reversed = markets.filter(({ base, quote }) => isReversible && quote === first && base === second);
  // Written as a symbol that does not exist: no name may replace it.
  const isSymbol = text.includes("/") || (isReversible && markets.some(({ quote }) => parts.includes(quote)));
  if (reversed.length > 0 || isSymbol) return reversed;
  const wanted = folded(text);
  if (wanted === "") return [];
  const byCode = markets.filter(({ base }) => parts.length === 1 && base === wanted);
  return byCode.length > 0 ? byCode : markets.filter((market) => namesOf(market).includes(wanted));
}

/** Takes the one that is in the unit, where there is just one. */
function ofUnit(hits: readonly Market[], unit: string): readonly Market[] {
  const own = hits.filter(({ quote }) => quote === unit);
  return own.length === 1 ? own : hits;
}

/** The names, whole and, as in "엑스알피(리플)", each of the two that brackets hold apart. */
function namesOf(market: Market): readonly string[] {
  const names = [market.korean_name, market.english_name].flatMap((name) => [name, ...name.split(/[()[\]（）]/)]);
  return [...new Set(names.map(folded))].filter((name) => name !== "");
}

function named(market: Market): string {
  return `${market.symbol} (${quoted(market.korean_name, 40)})`;
}

/** Markets whose symbol, English or Korean name contains the words searched for; all when nothing is searched. */
export function searchMarkets(markets: readonly Market[], search: string | undefined): readonly Market[] {
  const text = (search ?? "").normalize("NFKC");
  const found = spelledLike(markets, text);
  return found.length > 0 ? found : spelledLike(markets, underOwnCode(markets, text));
}

function spelledLike(markets: readonly Market[], text: string): readonly Market[] {
  const wanted = folded(text);
  if (wanted === "") return markets;
  return markets.filter((market) => [...spellings(market), market.base].some((spelling) => spelling.includes(wanted)));
}
