/**
 * Owns how large a result may be: 64 KiB of JSON, text and structured content together, pictures apart. Entry points: `bounded` for a result, `boundedPage` for
 * one page of a list that goes on by a cursor.
 *
 * Invariants: what does not fit is cut at a row, in the text at the same one, and `shortened` says what is left out and how to get it; a page that was cut
 * is read again as a smaller one, so that its cursor goes on right behind it. Figures that count a whole (`total`, `canceled`) stay.
 *
 * Source: decision 0086.
 */
import type { CallToolResult } from "@modelcontextprotocol/server";
import { defined, quoted, type Result } from "../../contract/index.ts";
import type { Desk } from "../../desk/index.ts";
import { fieldOf } from "../person/view.ts";
import { answered, failedRead, lines } from "./answer.ts";

/** Bytes of a whole result. */
const RESULT_MAX = 64 * 1_024;
/** Allows for what the protocol and a view put around it. */
const AROUND = 1_024;
/** Makes what is cut a little smaller than would fit, as rows differ in length. */
const MARGIN = 0.95;

/**
 * The result with as many rows as fit.
 * @param text says what is in the content that it is given
 */
export function bounded<Content extends object>(
  desk: Desk,
  content: Content,
  text: (content: Content) => string,
  isError = false,
): CallToolResult {
  return fitted(desk, content, { text, isError }).result;
}

/** A view with a list that goes on by a cursor. */
type PageView<List extends string> = Readonly<Record<List, readonly unknown[]>> & {
  readonly next_cursor: string | null;
};

/**
 * The page with as many rows as fit.
 * @param again reads it anew, as the same page of at most so many rows
 * @param told its text; and what the exchange leaves out of it, for `shortened`
 */
export async function boundedPage<List extends string, View extends PageView<List>>(
  desk: Desk,
  view: View,
  list: List,
  again: (limit: number) => Promise<Result<PageView<List>>>,
  told: ((view: View) => string) | { readonly text: (view: View) => string; readonly shortened: string | undefined },
): Promise<CallToolResult> {
  const { text, shortened: leftOut } = typeof told === "function" ? { text: told, shortened: undefined } : told;
  let page = view;
  let shortened = leftOut;
  for (;;) {
    const { result, content } = fitted(desk, page, { text, ...defined({ shortened }) });
    const fits = content[list].length;
    if (fits === page[list].length) return result;
    const read = await again(fits);
    if (!read.ok) return failedRead(desk, read.fault);
    const { [list]: rows, next_cursor } = read.value;
    if (rows.length > fits) throw new Error(`a page of at most ${fits} ${list} has ${rows.length}`);
    page = { ...page, [list]: rows, next_cursor };
    const goesOn = `${HEAD} ${rows.length} ${list}; next_cursor goes on behind them.`;
    shortened = lines(leftOut, next_cursor === null ? undefined : goesOn) || undefined;
  }
}

const HEAD = "Shortened, as a result is at most 64 KiB:";

interface Told<Content> {
  readonly text: (content: Content) => string;
  readonly isError?: boolean;
  /** Says what has been left out already. */
  readonly shortened?: string;
}

interface Fitted<Content> {
  readonly result: CallToolResult;
  /** Holds what of the content is in it. */
  readonly content: Content;
}

function fitted<Content extends object>(desk: Desk, whole: Content, told: Told<Content>): Fitted<Content> {
  for (let most = Number.POSITIVE_INFINITY; ; ) {
    const cuts: Cuts = new Map();
    const content = most === Number.POSITIVE_INFINITY ? whole : (capped(whole, most, cuts) as Content);
    const shortened = lines(told.shortened, cutText(cuts)).replaceAll("\n", " ");
    const said = shortened === "" ? {} : { shortened };
    const result = answered(desk, lines(told.text(content), shortened), { ...content, ...said }, told.isError);
    if (isSmall(result)) return { result, content };
    const bytes = Buffer.byteLength(JSON.stringify(result));
    if (bytes <= RESULT_MAX - AROUND || most <= 1) return { result, content };
    const rows = Math.min(most, longestIn(whole));
    most = Math.max(1, Math.floor(((rows * (RESULT_MAX - AROUND)) / bytes) * MARGIN)); // not money: rows
  }
}

/** Most results fit by far, which shows sooner than their text is written. */
function isSmall(result: CallToolResult): boolean {
  return leftBy(result, RESULT_MAX - AROUND) >= 0;
}

/** What JSON makes of a character at most, of a number, a word, and the signs around a field. */
const [CHARACTER, SCALAR, SIGNS] = [6, 25, 4];

/** @returns so many of the bytes, or more, are left when the value is written; below zero where they may not suffice */
export function leftBy(value: unknown, bytes: number): number {
  if (bytes < 0) return bytes;
  if (typeof value === "string") return bytes - CHARACTER * value.length - SIGNS;
  if (typeof value !== "object" || value === null) return bytes - SCALAR - SIGNS;
  // How long it would be it alone knows.
  if ("toJSON" in value) return -1;
  if (Array.isArray(value)) return value.reduce((left: number, item) => leftBy(item, left), bytes - SIGNS);
  const fields = value as Readonly<Record<string, unknown>>;
  const write = (left: number, name: string): number => leftBy(fields[name], left - CHARACTER * name.length);
  return Object.keys(fields).reduce((left, name) => write(left, name) - SIGNS, bytes - SIGNS);
}

/** Holds what was left out, by the place of the list, such as `order.trades`. */
type Cuts = Map<string, { total: number; readonly out: unknown[] }>;

/** These begin with the oldest; all others have first what matters most. */
const OLDEST_FIRST: readonly string[] = ["candles", "equity"];

/** The same with no list longer than that. A list in a list is a row, such as a level of a book, and stays whole. */
function capped(value: unknown, most: number, cuts: Cuts, place = ""): unknown {
  if (Array.isArray(value)) {
    const rows: readonly unknown[] = value;
    const isNewestLast = OLDEST_FIRST.includes(place);
    const kept = isNewestLast ? rows.slice(-most) : rows.slice(0, most);
    const out = isNewestLast ? rows.slice(0, -most) : rows.slice(most);
    const cut = cuts.get(place) ?? { total: 0, out: [] };
    cut.total += rows.length;
    cut.out.push(...out);
    cuts.set(place, cut);
    return kept.map((row) => (Array.isArray(row) ? row : capped(row, most, cuts, place)));
  }
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value);
  return Object.fromEntries(
    fields.map(([name, field]) => [name, capped(field, most, cuts, place === "" ? name : `${place}.${name}`)]),
  );
}

/** Rows of the longest list. */
function longestIn(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const rows = Array.isArray(value) ? value.length : 0;
  const inner = Object.values(value).filter((field) => rows === 0 || !Array.isArray(field));
  return Math.max(rows, ...inner.map(longestIn));
}

function cutText(cuts: Cuts): string {
  const cut = [...cuts].filter(([, { out }]) => out.length > 0);
  if (cut.length === 0) return "";
  const counts = cut.map(([place, { total, out }]) => `${total - out.length} of ${total} ${place.split(".").at(-1)}`);
  const ways = cut.map(([place, { out }]) => (WAYS[place] ?? otherwise)(out));
  return `${HEAD} ${counts.join(", ")}. ${[...new Set(ways)].join(" ")}`;
}

/** Says how to get what was left out, by the place of the list. */
const WAYS: Readonly<Record<string, (out: readonly unknown[]) => string>> = {
  markets: (out) => `With search you find the others: ${namesOf(out, "symbol")}.`,
  tickers: (out) => `With symbols you get the others: ${namesOf(out, "symbol")}.`,
  balances: (out) => `With asset you get one of the others: ${namesOf(out, "asset")}.`,
  assets: (out) => `With asset you get one of the others: ${namesOf(out, "asset")}.`,
  candles: (out) => `With to ${quoted(String(fieldOf(out.at(-1), "time")))} you get those before.`,
  equity: () => "With from and to you get a shorter period.",
  trades: () => "get_candles sums up the older ones.",
  "tick.buys": () => WHOLE_BOOK,
  "tick.asks": () => WHOLE_BOOK,
  "order.trades": () => FILLS,
  "moved_to.trades": () => FILLS,
  "orders.trades": () => FILLS,
  results: () => "get_order_history has the others, with the state of each.",
  withdrawn: () => "get_audit_log has the others.",
  waiting: () => ONE_MARKET,
  unresolved: () => ONE_MARKET,
  "watch.gaps": () => "get_audit_log has the others.",
};

const WHOLE_BOOK = "With side and a size the whole book is priced.";
const FILLS = "get_trade_history has every fill, by market and period.";
const ONE_MARKET = "get_open_orders with symbol has those of one market.";

function otherwise(): string {
  return "Ask for less at a time.";
}

function namesOf(rows: readonly unknown[], field: string): string {
  return rows.map((row) => fieldOf(row, field)).join(", ");
}
