/**
 * The stream of the exchanges that write the quote first: a request is one list of all topics, which replaces the one before; nothing says that it was
 * taken; every book is a whole one.
 *
 * Source: SOURCES.md#stream of the exchanges that write the quote first.
 */
import { z } from "zod";
import type { PublicTrade } from "../contract/index.ts";
import { bookOf, booksAnswer, marketOf, symbolOf, tradeOf, tradesAnswer } from "./quote-first-answers.ts";
import { count } from "./shown-number.ts";
import type { OrderHint, StreamProtocol, Topic } from "./stream-protocol.ts";
import { BOOK_LEVELS, reading, without } from "./stream-protocol.ts";

const CHANNELS = { orderbook: "orderbook", trades: "trade", orders: "myOrder", balances: "myAsset" } as const;

const frame = z.looseObject({ type: z.string(), code: z.string().nullish().catch(undefined) });
const refusal = z.looseObject({ error: z.looseObject({ name: z.string().regex(/^\w{1,40}$/) }) });
const tradeTime = z.looseObject({ trade_timestamp: count });

interface Differences extends Pick<StreamProtocol, "books" | "messagesPerSecond"> {
  /** Names a request, each another. */
  readonly ticket: () => string;
  readonly hintIn: (frame: unknown) => OrderHint | undefined;
  /** A time of a book, in the exchange's own unit, as milliseconds. */
  readonly bookMs?: (time: number) => number;
}

export function quoteFirstProtocol({ ticket, hintIn, bookMs = (time) => time, ...rest }: Differences): StreamProtocol {
  return {
    ...rest,
    next: (wanted, sent) => {
      const isDifferent = without(wanted, sent).length > 0 || without(sent, wanted).length > 0;
      if (!isDifferent || wanted.length === 0) return undefined;
      return { message: [{ ticket: ticket() }, ...fields(wanted), { format: "DEFAULT" }], sent: wanted };
    },
    read: reading({
      channels: CHANNELS,
      refusedIn: (json) => refusal.safeParse(json).data?.error.name,
      messageIn: (json) => {
        const { type, code } = frame.safeParse(json).data ?? {};
        return { channel: type, symbol: code == null ? undefined : symbolOf(code), data: json };
      },
      hintsIn: (data) => [hintIn(data)],
      bookIn: (_, data, atMs) => bookIn(data, atMs, bookMs),
      tradesIn,
    }),
  };
}

/** An order is told of in all markets where none is named; of balances none may be. */
function fields(topics: readonly Topic[]): object[] {
  return Object.entries(CHANNELS).flatMap(([channel, type]) => {
    const asked = topics.filter((topic) => topic.channel === channel);
    if (asked.length === 0) return [];
    const codes = asked.flatMap(({ symbol }) => (symbol === null ? [] : [marketOf(symbol)]));
    return [codes.length === 0 ? { type } : { type, codes }];
  });
}

function bookIn(json: unknown, atMs: number, bookMs: (time: number) => number) {
  const { code: market, ...rest } = json as { readonly code?: unknown };
  const read = booksAnswer.element.safeParse({ ...rest, market });
  if (!read.success) return undefined;
  const { timestamp: time } = read.data;
  const timestamp = time == null ? time : bookMs(time);
  const book = bookOf({ ...read.data, timestamp }, BOOK_LEVELS, atMs);
  return { book: { ...book, seq: time ?? atMs }, toldMs: timestamp ?? undefined };
}

/** The time of the message beside it is another. */
function tradesIn(symbol: string, json: unknown): readonly PublicTrade[] | undefined {
  const timed = tradeTime.safeParse(json);
  const read = tradesAnswer.element.safeParse({
    ...(json as object),
    ...(timed.success && { timestamp: timed.data.trade_timestamp }),
  });
  return read.success ? [tradeOf(symbol, read.data)] : undefined;
}
