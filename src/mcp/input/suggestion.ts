/**
 * Owns "did you mean": the field or value a caller most likely wanted, for the text of an error only.
 *
 * Invariant: nothing here is ever applied to a request; a guess that is wrong costs a sentence, not an order.
 */
import { editDistance } from "../../desk/index.ts";
import { notOffered } from "./not-offered.ts";

interface Synonyms {
  /** Likeliest first. */
  readonly fields: readonly string[];
  readonly words: readonly string[];
}

/** Words other trading tools use, folded, and the fields they may stand for here. */
const SYNONYMS: readonly Synonyms[] = [
  {
    fields: ["base_volume", "quote_amount"],
    words: ["size", "sz", "qty", "quantity", "volume", "vol", "basesize", "baseqty", "수량", "개수"],
  },
  { fields: ["quote_amount", "base_volume"], words: ["amount", "value"] },
  {
    fields: ["quote_amount"],
    words: ["금액", "주문금액", "funds", "notional", "cost", "total", "krw", "spend", "quotesize", "quoteorderqty"],
  },
  { fields: ["type"], words: ["ordtype", "ordertype", "kind"] },
  { fields: ["price"], words: ["limitprice", "px", "rate", "가격", "단가"] },
  {
    fields: ["symbol", "symbols"],
    words: ["market", "markets", "ticker", "tickers", "pair", "pairs", "coin", "instrument", "종목", "마켓", "코인"],
  },
  { fields: ["symbol", "symbols"], words: ["instid", "productid", "asset", "symbol", "symbols"] },
  {
    fields: ["userref"],
    words: ["clientorderid", "newclientorderid", "clordid", "cloid", "clientid", "reference", "identifier"],
  },
  { fields: ["order_id", "userref", "plan_id"], words: ["id", "uuid", "txid", "order", "orderuuid"] },
  { fields: ["plan_id"], words: ["plan", "planid", "alert", "alertid"] },
  { fields: ["time_in_force"], words: ["tif"] },
  { fields: ["post_only"], words: ["makeronly", "maker"] },
  { fields: ["timeout_s"], words: ["timeout", "timeoutms", "wait", "seconds"] },
  { fields: ["limit"], words: ["count", "max", "pagesize", "n"] },
  { fields: ["cursor"], words: ["page", "nextcursor", "offset"] },
  { fields: ["from"], words: ["start", "since", "begin", "starttime", "after"] },
  { fields: ["to"], words: ["end", "endtime", "before"] },
  { fields: ["search"], words: ["query", "q", "name", "keyword"] },
  { fields: ["depth"], words: ["levels"] },
  { fields: ["interval"], words: ["timeframe", "unit", "resolution"] },
  { fields: ["side"], words: ["direction", "action"] },
  { fields: ["kind"], words: ["type"] },
  { fields: ["above", "below"], words: ["price", "target", "targetprice", "목표가"] },
  { fields: ["until"], words: ["expires", "expiry", "expiresat", "validuntil"] },
  { fields: ["preview"], words: ["dryrun", "validateonly", "validate", "simulate", "test"] },
  { fields: ["note"], words: ["message", "comment", "memo", "메모"] },
];

/** Switches people expect on an order that do not exist on purpose. */
const DRY_RUN = new Set(["dryrun", "validateonly", "validate", "test", "simulate", "preview", "paper"]);

/** Values in other words, folded. */
const VALUE_SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  buy: ["bid", "매수", "사줘", "사", "사기", "살래", "매수해줘", "매수주문"],
  sell: ["ask", "매도", "팔아", "팔아줘", "팔기", "팔래", "매도해줘", "매도주문"],
  market: ["mkt", "시장가", "시장가로", "시장가주문"],
  limit: ["lmt", "지정가", "지정가로", "지정가주문"],
};

/** Says what the fields that carry a size mean, said whenever one of them is proposed. */
const MEANINGS: Readonly<Record<string, string>> = {
  base_volume: "the quantity of the coin",
  quote_amount: "KRW to spend or receive",
};

export interface FieldSuggestion {
  /** Known fields the caller may have meant; empty when there is no guess. */
  readonly fields: readonly string[];
  /** The end of the sentence `unknown field "x": …`. */
  readonly text: string;
}

export function suggestField(unknown: string, known: readonly string[]): FieldSuggestion {
  const lacking = notOffered(folded(unknown));
  if (lacking !== undefined) return { fields: [], text: lacking };
  const fields = guessFields(unknown, known);
  if (fields.length > 0) return { fields, text: `did you mean ${fields.map(explained).join(" or ")}?` };
  if (DRY_RUN.has(folded(unknown)))
    return { fields, text: "there is no such switch; to check an order without placing it use preview_order" };
  const list = known.map((name) => `"${name}"`).join(", ");
  return { fields, text: known.length === 0 ? "this tool takes no fields" : `the fields here are ${list}` };
}

/** The permitted value that was probably meant. */
export function suggestValue(given: string, permitted: readonly string[]): string | undefined {
  const wanted = folded(given);
  if (wanted === "") return undefined;
  const same = permitted.find((value) => folded(value) === wanted);
  if (same !== undefined) return same;
  const synonym = Object.keys(VALUE_SYNONYMS).find((value) => VALUE_SYNONYMS[value]?.includes(wanted));
  if (synonym !== undefined && permitted.includes(synonym)) return synonym;
  return nearest(wanted, permitted);
}

/** Says what to say of a value that asks for something that hoga does not do; undefined of any other. */
export function lackingValue(given: string): string | undefined {
  return notOffered(folded(given));
}

function guessFields(unknown: string, known: readonly string[]): readonly string[] {
  const wanted = folded(unknown);
  const same = known.filter((name) => folded(name) === wanted);
  if (same.length > 0) return same;
  const synonyms = SYNONYMS.findLast(({ words }) => words.includes(wanted))?.fields ?? [];
  const offered = synonyms.filter((name) => known.includes(name));
  if (offered.length > 0) return offered;
  const close = nearest(wanted, known);
  return close === undefined ? [] : [close];
}

function explained(field: string): string {
  const meaning = MEANINGS[field];
  return meaning === undefined ? `"${field}"` : `"${field}" (${meaning})`;
}

function nearest(wanted: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: editDistance(wanted.slice(0, 40), folded(candidate)) }))
    .sort((a, b) => a.distance - b.distance);
  const [best, second] = ranked;
  // A third of the letters may differ: "prise" is price, "foo" is not "to". Two that are as near are no guess.
  if (best === undefined || best.distance > Math.floor(wanted.length / 3)) return undefined;
  return second?.distance === best.distance ? undefined : best.candidate;
}

/** Letters and digits, lower case: "time_in_force", "timeInForce" and "TIME-IN-FORCE" are one word. */
function folded(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
}
