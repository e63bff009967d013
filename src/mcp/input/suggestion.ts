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
  {
    fields: ["stop_price"],
    words: [
      ...["stop", "stoploss", "stoplossprice", "sl", "slprice", "trigger", "triggerprice", "activationprice"],
      ...["손절", "손절가", "감시가"],
    ],
  },
  { fields: ["take_price"], words: ["takeprofit", "takeprofitprice", "tp", "tpprice", "익절", "익절가"] },
  { fields: ["trail"], words: ["trailing", "trailingdelta", "trailingpercent", "trailingstop", "callbackrate"] },
  { fields: ["floor_price"], words: ["floor", "minprice", "하한"] },
  { fields: ["schedule"], words: ["cron", "every", "frequency", "repeat", "recurring", "scheduled", "주기"] },
  { fields: ["slices"], words: ["pieces", "parts", "splits", "twap"] },
  { fields: ["replaces"], words: ["replace", "replaceplan"] },
  { fields: ["limit_price"], words: ["stoplimitprice", "px"] },
  { fields: ["stop_price", "limit_price", "above", "below"], words: ["price"] },
  { fields: ["above", "below"], words: ["target", "targetprice", "alertprice", "목표가"] },
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
  stop: ["stoploss", "stopmarket", "stoplimit", "stoporder", "sl", "손절", "손절매", "스탑", "스탑로스"],
  take_profit: ["tp", "takeprofitlimit", "takeprofitmarket", "익절"],
  trailing_stop: ["trailing", "trailingstoplimit", "trailingstopmarket", "추적손절", "트레일링스탑"],
  oco: ["bracket", "onecancelstheother"],
  recurring: ["dca", "repeat", "scheduled", "적립식", "적립식매수", "정기", "정기매수", "자동매수"],
  slices: ["twap", "sliced", "split", "iceberg", "분할", "분할매수", "분할매도", "분할주문"],
  rebalance: ["rebalancing", "rebalancer", "weights", "리밸런싱", "리밸런스", "비중", "비중조절"],
  alert: ["alarm", "pricealert", "notification", "알림", "가격알림"],
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
  const meant = sameFields(unknown, known);
  const lacking = meant.length > 0 ? undefined : notOffered(folded(unknown));
  if (lacking !== undefined) return { fields: [], text: lacking };
  const fields = meant.length > 0 ? meant : nearFields(unknown, known);
  if (fields.length > 0) return { fields, text: `did you mean ${fields.map(explained).join(" or ")}?` };
  if (DRY_RUN.has(folded(unknown)))
    return { fields, text: "there is no such switch; to check an order without placing it use preview_order" };
  const list = known.map((name) => `"${name}"`).join(", ");
  return { fields, text: known.length === 0 ? "this tool takes no fields" : `the fields here are ${list}` };
}

/** The permitted value that was probably meant. */
export function suggestValue(given: string, permitted: readonly string[]): string | undefined {
  return sameValue(given, permitted) ?? nearest(folded(given), permitted);
}

/** Says what to say of a value that asks for something that hoga does not do there; undefined of any other. */
export function lackingValue(given: string, permitted: readonly string[]): string | undefined {
  return sameValue(given, permitted) === undefined ? notOffered(folded(given)) : undefined;
}

/** Written otherwise, or in another word for it. */
function sameValue(given: string, permitted: readonly string[]): string | undefined {
  const wanted = folded(given);
  if (wanted === "") return undefined;
  const same = permitted.find((value) => folded(value) === wanted);
  if (same !== undefined) return same;
  return Object.keys(VALUE_SYNONYMS).find(
    (value) => permitted.includes(value) && VALUE_SYNONYMS[value]?.includes(wanted),
  );
}

/** Likewise. */
function sameFields(unknown: string, known: readonly string[]): readonly string[] {
  const wanted = folded(unknown);
  const same = known.filter((name) => folded(name) === wanted);
  if (same.length > 0) return same;
  const meanings = SYNONYMS.filter(({ words }) => words.includes(wanted)).reverse();
  return (
    meanings.map(({ fields }) => fields.filter((name) => known.includes(name))).find(({ length }) => length > 0) ?? []
  );
}

function nearFields(unknown: string, known: readonly string[]): readonly string[] {
  const close = nearest(folded(unknown), known);
  return close === undefined ? [] : [close];
}

function explained(field: string): string {
  const meaning = MEANINGS[field];
  return meaning === undefined ? `"${field}"` : `"${field}" (${meaning})`;
}

function nearest(wanted: string, candidates: readonly string[]): string | undefined {
  if (wanted === "") return undefined;
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
