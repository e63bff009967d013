/** Whether the text of a result says what its structured content says, field by field of the advertised schema. Source: decision 0030. */
import type { ToolResult } from "./client.ts";

type Json = Readonly<Record<string, unknown>>;

/** Fields whose value need not stand in the text, by tool and place, and why. */
export const EXCEPTIONS: readonly (readonly [fields: RegExp, why: string])[] = [
  [/ account$/, "one server serves one account: the status and the balances name it"],
  [
    / (outcome|state|replaced\.state)$/,
    "the first line says it in its own words, which text.test.ts has for every state",
  ],
  [
    /error\.(code|message|class|retryable)$/,
    "several problems are a list in the text; the advice says what to do again",
  ],
  [/error\.(figure|limit)$/, "in the message, where the rule is about figures"],
  [/(error\.|^preview_order )proposals\[\]\.given$/, "what was asked for"],
  [/ moved_to$/, "the same text as of the order before it, whose fields are looked at one by one"],
  [/^place_order duplicate_of$/, "of the order that the answer is about, which is named by its ids"],
  [/^replace_order order$/, "the same text as of place_order, whose fields are looked at one by one"],
  [/^preview_order problems\[\]$/, "each is a line, as the errors of other results"],
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
  [/^get_ticker tickers\[\]\.(open|change|quote_volume)$/, "they follow from the last price and the change in percent"],
  [/^get_ticker tickers\[\]\.time$/, "the time of the answer"],
  [/^get_markets .*price_decimals$/, "the tick says it"],
  [/^get_orderbook seq$/, "orders books for programs"],
  [/^get_candles .*quote_volume$/, "the volume at the prices beside it"],
  [/^get_recent_trades .*trade_id$/, "no tool looks a public trade up"],
  [/^get_trade_history trades\[\]\.userref$/, "order_id names the order"],
  [/^get_portfolio period\.name$/, "its two times say it"],
  [/^get_portfolio method$/, "the average is the usual one; the other is said"],
  [/\.compliance$/, "as given with the order, or by the profile"],
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
  const { items, properties = {}, patternProperties = {} } = schema as Readonly<Record<string, Json>>;
  const patterned = Object.entries(patternProperties).flatMap(([pattern, field]) =>
    pattern
      .replace(/^\^\(?|\)?\$$/g, "")
      .split("|")
      .map((name): [string, unknown] => [name, field]),
  );
  const inner = [...Object.entries(properties), ...patterned].flatMap(([name, field]) =>
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

/** Those of them that the text does not say. */
export function unsaid(tool: string, field: string, result: ToolResult): readonly unknown[] {
  const place = `${tool} ${field}`;
  const words = WORDS.find(([of]) => of.test(place))?.[1];
  return toBeSaid(result, field).filter(
    (value) => !says(result.text, value) && words?.(value).test(result.text) !== true,
  );
}

function says(text: string, value: unknown): boolean {
  if (typeof value === "object" && value !== null)
    return Object.values(value).every((inner) => isNothing(inner) || says(text, inner));
  const plain = String(value);
  if (text.includes(plain) || text.includes(JSON.stringify(plain).slice(1, -1))) return true;
  if (/^-?\d+(\.\d+)?$/.test(plain)) return saysNumber(text, plain);
  if (/^\d{4}-\d\d-\d\dT/.test(plain)) return timesOf(plain).some((time) => text.includes(time));
  const [said, word] = [text.toLowerCase(), plain.toLowerCase()];
  return said.includes(word) || said.includes(word.replaceAll("_", " "));
}

/** To the second, or to the minute. */
function timesOf(iso: string): readonly string[] {
  const [second, minute] = [iso.slice(0, 19), iso.slice(0, 16)];
  return [`${second.replace("T", " ")} UTC`, `${minute}Z`, `${minute.replace("T", " ")} UTC`];
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
