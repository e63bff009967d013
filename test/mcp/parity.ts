/** Whether the text of a result says what its structured content says, field by field of the advertised schema. Source: decision 0030. */
import { localMoments } from "../../src/words/index.ts";
import type { ToolResult } from "./client.ts";

type Json = Readonly<Record<string, unknown>>;

/** Fields whose value need not stand in the text, by tool and place, and why. */
export const EXCEPTIONS: readonly (readonly [fields: RegExp, why: string])[] = [
  [/ shortened$/, "only where rows are left out: bounded-answer.test.ts"],
  [/ unit$/, "every sum in a text has its currency with it, by sign or by name"],
  [/ account$/, "one server serves one account: the status and the balances name it"],
  [
    / (outcome|state|replaced\.state)$/,
    "the first line says it in its own words, which text.test.ts has for every state",
  ],
  [
    /error\.(code|message|class|retryable)$/,
    "several problems are a list in the text; the advice says what to do again",
  ],
  [/(error|problems\[\])\.(figure|limit)$/, "in the message, where the rule is about figures"],
  [/(error\.|^preview_order )proposals\[\]\.given$/, "what was asked for"],
  [/ moved_to\./, "the same text as of the order before it, whose fields are looked at one by one"],
  [/^place_order duplicate_of$/, "of the order that the answer is about, which is named by its ids"],
  [/^replace_order order\./, "the same text as of place_order, whose fields are looked at one by one"],
  [/^preview_order problems\[\]\.|results\[\]\.error\./, "each is a line, as the errors of other results"],
  [/ next_action$/, "after arguments that do not fit, the text names each field"],
  [/\.(descr|settlement|txid)$/, "descr and txid repeat the order; its settlement was asked for with it"],
  [/\.trades$/, "each fill is a line as in get_trade_history, whose fields are looked at one by one"],
  [
    /^(?!get_order |await_order |get_order_history |get_open_orders )\S+ order\.(created|updated)_at$/,
    "a write is about now",
  ],
  [/ orders\[\]\.updated_at$/, "a list has the time of each order's creation, get_order both"],
  [/\.intent_id$| intent_id$/, "an order is named by its ids, and next_action has the id to approve"],
  [/withdrawn\[\]\.id$/, "an order is named by its userref, a transfer by this id"],
  [/^get_ticker tickers\[\]\.(open|change)$/, "they follow from the last price and the change in percent"],
  [/^get_ticker tickers\[\]\.time$/, "the time of the answer"],
  [/^get_markets .*price_decimals$/, "the tick says it"],
  [/^get_orderbook seq$/, "orders books for programs"],
  [/ (period|now)\.timezone$/, "its times have their distance from UTC"],
  [/^get_candles candles\[\]\.time$/, "to the minute, as the head has the distance from UTC"],
  [/^get_candles .*quote_volume$/, "the volume at the prices beside it"],
  [/^get_recent_trades .*trade_id$/, "no tool looks a public trade up"],
  [/^get_trade_history trades\[\]\.fee_exact$/, "said where it is false, which counts as nothing: venue-lacks.test.ts"],
  [/^get_trade_history trades\[\]\.userref$/, "order_id names the order"],
  [/^get_portfolio period\.name$/, "its two times say it"],
  [/^get_portfolio method$/, "the average is the usual one; the other is said"],
  [/\.compliance$/, "as given with the order, or by the profile"],
  [/_(payment|remittance) (approval\.)?kind$/, "what the tool does, by its own name"],
  [/^quote_payment payment\.(refunded|paid|settled)_/, "a quote has nothing of these yet"],
  [
    /^(?!get_)\S+ (payment|quote|remittance)\.\w+_at$/,
    "a write or a quote is about now; a quote says how long it holds",
  ],
  [/^get_payment payment\.expires_at$/, "held the quote, until it was paid"],
  [/_(payment|remittance) approval\.asked_at$/, "asked for now"],
  [
    /^place_order approval\.(asked_at|order\.userref|userref|order\.validate_only)$/,
    "asked for now; the order's userref is in the text",
  ],
  [/^await_order waited_ms$/, "said in seconds where the wait was in vain"],
  [/^set_cancel_timer kept_by$/, "of a timer that is off nobody keeps anything"],
  [/^get_audit_log entries\[\]\.(event|detail)$/, "each step is a sentence"],
];

export function isExcepted(tool: string, field: string): boolean {
  return EXCEPTIONS.some(([fields]) => fields.test(`${tool} ${field}`));
}

/** Values that have words of their own. */
const WORDS: readonly (readonly [field: RegExp, words: (value: unknown) => RegExp])[] = [
  [/post_only$/, () => /post-only/],
  [/side$/, (value) => (value === "buy" ? /\b(buy|bought|spent)\b/ : /\b(sell|sold|received)\b/)],
  [/fee_currency$/, (value) => (value === "KRW" ? /₩/ : new RegExp(String(value)))],
  [/draft$/, () => /Draft API\./],
  [
    /^quote_\S+ policy$/,
    (value) => (value === "needs_approval" ? /a person will be asked/ : new RegExp(String(value), "i")),
  ],
  [/source_asset$/, (value) => (value === "KRW" ? /₩/ : new RegExp(String(value)))],
  [/ unread$/, () => /Trades are not known of this time: (\S+ ){3}to (\S+ ?){3}\./],
  [/ valid$/, () => /^\[\w+\] Valid/],
  [/ reached$/, () => /Reached/],
  [/evidence\.in_open_list$/, () => /asks for the same, and is not known here, is open/],
  [/evidence\.in_closed_list$/, () => /and is not known here, has ended since it was sent/],
  [/evidence\.locked_explained$/, () => /What is locked is what the open orders lock/],
  [/ can_trade$/, () => /Trading is possible/],
  [/ pin_set$/, () => /A PIN is set/],
  [/estimate\.complete$/, () => /^(?!.*does not hold the whole)/s],
  [/ brake$/, (value) => (value === "everywhere" ? /in every process/ : /this process only|NOT HALTED/)],
  [/policy\.verdict$/, (value) => (value === "allowed" ? /Policy: allowed/ : /has to approve|- /)],
  [/settlement\.state$/, (value) => (value === "settled" ? /^(?!.*pending)/s : new RegExp(String(value)))],
  [/tick\.(buys|asks)\[\]\[\]$/, () => /\(\d+ of \d+\)/],
];

/** Every field that a schema names, in the form `orders[].price`; one without a shape of its own stands for all that is in it. */
export function fieldsOf(schema: Json, place = ""): readonly string[] {
  const { items, properties = {} } = schema as Readonly<Record<string, Json>>;
  const inner = Object.entries(properties).flatMap(([name, field]) =>
    fieldsOf(field as Json, place === "" ? name : `${place}.${name}`),
  );
  if (inner.length > 0) return inner;
  return items === undefined ? [place] : fieldsOf(items, `${place}[]`);
}

/** The values at one such place. */
function valuesAt(value: unknown, place: string): readonly unknown[] {
  if (place === "") return value === undefined ? [] : [value];
  if (place.startsWith("[]"))
    return Array.isArray(value) ? value.flatMap((item) => valuesAt(item, place.slice(2))) : [];
  const [, name = "", rest = ""] = /^\.?([^.[]+)(.*)$/.exec(place) ?? [];
  return typeof value === "object" && value !== null ? valuesAt((value as Json)[name], rest) : [];
}

/** What is nothing need not be said. */
function isNothing(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return (
    value === null || value === false || value === 0 || (typeof value === "string" && /^(-?0+(\.0*)?)?$/.test(value))
  );
}

/** The values of a field that ought to be said. `field`: as `fieldsOf` names it. */
export function toBeSaid({ structured }: ToolResult, field: string): readonly unknown[] {
  return valuesAt(structured, field).filter((value) => !isNothing(value));
}

/** Those of them that the text does not say. @param timeZone of the reader */
export function unsaid(tool: string, field: string, result: ToolResult, timeZone = "UTC"): readonly unknown[] {
  const place = `${tool} ${field}`;
  const words = WORDS.find(([of]) => of.test(place))?.[1];
  return toBeSaid(result, field).filter(
    (value) => !says(result.text, value, timeZone) && words?.(value).test(result.text) !== true,
  );
}

function says(text: string, value: unknown, timeZone: string): boolean {
  if (typeof value === "object" && value !== null)
    return Object.values(value).every((inner) => isNothing(inner) || says(text, inner, timeZone));
  const plain = localMoments(String(value), timeZone);
  if (text.includes(plain) || text.includes(JSON.stringify(plain).slice(1, -1))) return true;
  if (/^-?\d+(\.\d+)?$/.test(plain)) return saysNumber(text, plain);
  // With its distance from UTC, as `now.local` has it.
  if (/^\d{4}-\d\d-\d\dT/.test(plain)) return text.includes(plain.slice(0, 19).replace("T", " "));
  const [said, word] = [text.toLowerCase(), plain.toLowerCase()];
  return said.includes(word) || said.includes(word.replaceAll("_", " "));
}

/** As it is, with the two decimals that a long figure in won has, or as percent. */
function saysNumber(text: string, number: string): boolean {
  return [...text.matchAll(/-?₩?\d[\d,]*(\.\d+)?%?/g)].some(([shown]) => {
    const plain = shown.replaceAll(/[₩,%]/g, "");
    if (shown.endsWith("%")) return isRounded(Number(number) * 100, plain) || isRounded(Number(number), plain);
    if (Number(plain) === Number(number)) return true;
    return shown.includes("₩") && /\.\d{5}/.test(number) && isRounded(Number(number), plain, 2);
  });
}

/** Whether a text shows a number with so many decimals, sign apart. */
function isRounded(number: number, shown: string, decimals = shown.split(".")[1]?.length ?? 0): boolean {
  return Math.abs(Math.abs(number) - Math.abs(Number(shown))) <= 0.5 * 10 ** -decimals + 1e-9;
}

/** Moments, ids and figures, in that order: what is one of these is not read as the next. */
const TOLD =
  /\d{4}-\d\d-\d\d(?: \d\d:\d\d(?::\d\d)?)?|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|(?<![\w-])-?₩?\d[\d,]*(?:\.\d+)?%?/g;

/** What the text says and nothing in the structured content does: figures, ids and times. @param timeZone of the reader */
export function unheld({ text, structured }: ToolResult, timeZone: string): readonly string[] {
  const held = leavesOf(structured)
    .map((leaf) => localMoments(leaf, timeZone))
    .join("\n");
  const numbers = held.match(/(?:(?<!\w)-)?\d[\d,]*(?:\.\d+)?/g) ?? [];
  const figures = [...numbers.map((number) => number.replaceAll(",", "")), ...countsOf(structured)];
  return [...text.replaceAll(" in 24 h", "").matchAll(TOLD)]
    .map(([told]) => told)
    .filter((told) => !held.includes(told) && !figures.some((figure) => saysNumber(told, figure)));
}

function leavesOf(value: unknown): readonly string[] {
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(leavesOf) : [String(value)];
}

/** How many there are of whatever there are several of. */
function countsOf(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  return [...(Array.isArray(value) ? [String(value.length)] : []), ...Object.values(value).flatMap(countsOf)];
}
