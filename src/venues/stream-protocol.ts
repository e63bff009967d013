/**
 * What an exchange's stream is, for the code that all such streams have alike: where its two connections go and what signs them, how topics are
 * subscribed to, and what a message tells.
 */
import type { Orderbook, PublicTrade, Result } from "../contract/index.ts";

export type LineName = "public" | "private";

/** What can be subscribed to; of a market, by its symbol, or of the account. */
export interface Topic {
  readonly channel: "orderbook" | "trades" | "orders" | "balances";
  readonly symbol: string | null;
}

export function topicName({ channel, symbol }: Topic): string {
  return `${channel} ${symbol ?? ""}`;
}

/** Tells which order of ours has changed, and nothing of how: what became of it is asked for. */
export interface OrderHint {
  readonly orderId: string;
  /** Our own id, where the exchange tells it. */
  readonly userref: string | null;
}

/** `taken`: the exchange says that it tells of this topic from now on. `refused`: of something that was asked for it does not. */
export type Told =
  /** `toldMs`: the exchange's time of it, Unix milliseconds, where it tells one. */
  | { readonly kind: "book"; readonly book: Orderbook; readonly toldMs?: number | undefined }
  | { readonly kind: "trades"; readonly symbol: string; readonly trades: readonly PublicTrade[] }
  /** Without a hint of an order that it does not name. */
  | { readonly kind: "order"; readonly hint: OrderHint | undefined }
  | { readonly kind: "balances" }
  | { readonly kind: "taken"; readonly topic: Topic }
  | { readonly kind: "refused"; readonly code: string };

/** A message, and what is subscribed to once it was sent. */
export interface Step {
  readonly message: object;
  readonly sent: readonly Topic[];
}

export interface StreamProtocol {
  /** The next message that brings what is subscribed to nearer to what is wanted; undefined where there is none to send. */
  next(wanted: readonly Topic[], sent: readonly Topic[]): Step | undefined;
  /**
   * @param json with numbers as text
   * @param atMs when it came
   * @returns nothing for what is of no use here, or cannot be read
   */
  read(json: unknown, atMs: number): readonly Told[];
  /** What keeps a connection up that is silent. Absent: a ping below the messages. */
  readonly ping?: object;
  readonly messagesPerSecond: number;
  /** `levels`: its books are as deep as those that are asked for. `change`: they are not, so one tells only that there is a new one. */
  readonly books: "levels" | "change";
}

/** How one connection is opened. What is in it is used once. */
export interface Opening {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface StreamSource {
  readonly protocol: StreamProtocol;
  /** @returns undefined where it cannot be opened now, as without a key */
  opening(line: LineName): Promise<Opening | undefined>;
  /** The last public trades, newest first, with which a gap is closed. */
  trades(symbol: string, limit: number): Promise<Result<readonly PublicTrade[]>>;
}

/**
 * @param baseUrl of the calls
 * @param hosts where the streams of the exchange's own hosts are; at any other address they are beside the calls
 */
export async function streamUrl(
  baseUrl: string | (() => Promise<string>),
  hosts: Readonly<Record<string, string>>,
  path: string,
): Promise<string> {
  const url = new URL(typeof baseUrl === "string" ? baseUrl : await baseUrl());
  const scheme = url.protocol === "https:" ? "wss" : "ws";
  return `${scheme}://${hosts[url.host] ?? url.host}${url.pathname.replace(/\/+$/, "")}${path}`;
}

/** Levels that are shown of a book, more than any has. */
export const BOOK_LEVELS = 200;

/** Those of `a` that are not in `b`. */
export function without(a: readonly Topic[], b: readonly Topic[]): readonly Topic[] {
  const names = new Set(b.map(topicName));
  return a.filter((topic) => !names.has(topicName(topic)));
}

/** A message that tells of something, by the exchange's name for its channel. */
interface Message {
  readonly channel: string | null | undefined;
  /** Of which market, where it is of one. */
  readonly symbol: string | undefined;
  readonly data: unknown;
}

interface Reading {
  /** The exchange's names. */
  readonly channels: Readonly<Record<Topic["channel"], string>>;
  /** Its code, where a message refuses. */
  readonly refusedIn: (json: unknown) => string | undefined;
  readonly messageIn: (json: unknown) => Message | undefined;
  /** Of own orders; undefined for one that is not named, which may be any. */
  readonly hintsIn: (data: unknown) => readonly (OrderHint | undefined)[];
  /** @returns undefined for what cannot be read, here and below */
  readonly bookIn: (
    symbol: string,
    data: unknown,
    atMs: number,
  ) => Omit<Extract<Told, { readonly kind: "book" }>, "kind"> | undefined;
  readonly tradesIn: (symbol: string, data: unknown) => readonly PublicTrade[] | undefined;
}

/** Reads messages that say which channel they are of. */
export function reading({ channels, ...read }: Reading): StreamProtocol["read"] {
  return (json, atMs) => {
    const code = read.refusedIn(json);
    if (code !== undefined) return [{ kind: "refused", code }];
    const { channel, symbol, data } = read.messageIn(json) ?? {};
    if (channel === channels.balances) return [{ kind: "balances" }];
    if (channel === channels.orders) return read.hintsIn(data).map((hint) => ({ kind: "order", hint }));
    if (symbol === undefined) return [];
    const book = channel === channels.orderbook ? read.bookIn(symbol, data, atMs) : undefined;
    const trades = channel === channels.trades ? read.tradesIn(symbol, data) : undefined;
    return [
      ...(book ? [{ kind: "book", ...book } as const] : []),
      ...(trades ? [{ kind: "trades", symbol, trades } as const] : []),
    ];
  };
}

export interface NamedStreamParts extends Pick<StreamSource, "trades"> {
  readonly baseUrl: string | (() => Promise<string>);
  /** As of `streamUrl`. */
  readonly hosts: Readonly<Record<string, string>>;
  readonly paths: { readonly public: string; readonly private: string };
  /** All markets: orders of no other are told. */
  readonly markets: () => Promise<Result<readonly string[]>>;
  /** @param markets as they were when the line was opened */
  readonly protocol: (markets: () => readonly string[]) => StreamProtocol;
  /** What opens the own line: a query with its `?`, and headers; undefined where it cannot be signed. */
  readonly sign: () => Promise<
    { readonly query?: string; readonly headers: Readonly<Record<string, string>> } | undefined
  >;
}

/** A source whose own line is opened with a signature, and on which orders are told of in the markets that are named. */
export function namedStream({
  trades,
  baseUrl,
  hosts,
  paths,
  markets,
  protocol,
  sign,
}: NamedStreamParts): StreamSource {
  let listed: readonly string[] = [];
  return {
    trades,
    protocol: protocol(() => listed),
    opening: async (line) => {
      const url = await streamUrl(baseUrl, hosts, paths[line]);
      if (line === "public") return { url, headers: {} };
      const found = await markets();
      const signed = found.ok ? await sign() : undefined;
      if (!found.ok || signed === undefined) return undefined;
      listed = found.value;
      return { url: `${url}${signed.query ?? ""}`, headers: signed.headers };
    },
  };
}
