/**
 * What the stream of every exchange does that is not the specified one, over real sockets: with messages as the exchange's documents show them, or as they
 * were recorded. Entry point: `testStream`.
 */
import { afterEach, describe, expect, it } from "vitest";
import type { StreamNotice } from "../../src/transport/index.ts";
import { VenueStream } from "../../src/venues/index.ts";
import type { StreamSource } from "../../src/venues/stream-protocol.ts";
import { eventually, StandingClock, settle } from "./hoga/stream/scripted-venue.ts";
import { type Line, type StreamExchange, streamExchange } from "./stream-exchange.ts";

export interface StreamCase {
  readonly title: string;
  /** Opened with `key-1` and a secret that has `canary` in it. */
  readonly open: (baseUrl: string) => { readonly streaming: StreamSource; close(): Promise<void> };
  /** The path of each of the two connections. */
  readonly paths: { readonly public: string; readonly private: string };
  /** Frames come binary. */
  readonly isBinary: boolean;
  /** Of BTC/KRW: best buy and ask of it, and the message with them. `newer` stands in its last digits where it has a time or a number. */
  readonly book: (newer: number) => object;
  readonly best: { readonly buy: readonly [string, string]; readonly ask: readonly [string, string] };
  /** Whether a book is taken as it is, or asked for. */
  readonly books: "levels" | "change";
  /** A public trade of BTC/KRW by its id. */
  readonly trade: (id: string) => object;
  /** An id, and what a call answers with for the last trades, newest first. */
  readonly tradeId: (n: number) => string;
  readonly tradesPath: string;
  readonly tradesAnswer: (ids: readonly string[]) => unknown;
  /** Of an own order. */
  readonly order: object;
  readonly hint: { readonly orderId: string; readonly userref: string | null };
  readonly balances: object;
  /** What may be missing of each message, by the path of the field. */
  readonly optional: Readonly<Record<"book" | "trade" | "order" | "balances", readonly string[]>>;
  /** Other calls that are made before a connection of the account is opened. */
  readonly answers?: Readonly<Record<string, unknown>>;
  /** What the exchange says first, and of a subscription. */
  readonly greets?: readonly object[];
  readonly refusal: { readonly message: object; readonly code: string };
  readonly pings: (line: Line) => number;
}

const SYMBOL = "BTC/KRW";

interface World {
  readonly exchange: StreamExchange;
  readonly stream: VenueStream;
  readonly clock: StandingClock;
  readonly notices: StreamNotice[];
  /** The n-th connection, once it has been asked for something. */
  readonly line: (n: number) => Promise<Line>;
  readonly say: (line: Line, message: unknown) => Promise<void>;
}

export function testStream(given: StreamCase): void {
  const closers: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });

  async function world(): Promise<World> {
    const exchange = await streamExchange();
    Object.defineProperties(exchange.answers, Object.getOwnPropertyDescriptors(given.answers ?? {}));
    Object.assign(exchange.answers, { [given.tradesPath]: given.tradesAnswer([]) });
    const venue = given.open(exchange.url);
    const clock = new StandingClock();
    const notices: StreamNotice[] = [];
    const stream = new VenueStream({
      source: async () => venue.streaming,
      ...{ hasKey: true, clock, random: () => 0, onNotice: (notice) => notices.push(notice) },
    });
    closers.push(
      () => exchange.close(),
      () => venue.close(),
      () => stream.close(),
    );
    return {
      ...{ exchange, stream, clock, notices },
      line: async (n) => {
        const line = await eventually(() => exchange.lines[n], `connection ${n}`);
        for (const greeting of given.greets ?? []) line.say(greeting);
        await eventually(() => line.said.length > 0, "a subscription");
        return line;
      },
      say: async (line, message) => {
        line.say(message, given.isBinary);
        await settle();
      },
    };
  }

  testMarket(given, world);
  testAccount(given, world);
  testConnection(given, world);
}

type Opened = () => Promise<World>;

function testMarket(given: StreamCase, world: Opened): void {
  const { title, book, best, books, trade, tradeId, tradesPath, tradesAnswer, optional } = given;
  describe(`market data on ${title}'s stream`, () => {
    it("has a book as of when it came, and never an older one after a newer", async () => {
      const { stream, clock, line, say } = await world();
      let told = 0;
      const followed = stream.orderbook(SYMBOL, () => {
        told += 1;
      });
      const only = await line(0);
      expect(only.path).toBe(given.paths.public);
      expect(followed.live).toBe(false);
      await say(only, book(5));
      expect(followed).toMatchObject({ live: true, asOfMs: clock.now() });
      expect(told).toBe(1);
      if (books === "levels") {
        expect(followed.value?.tick.buys[0]).toEqual(best.buy);
        expect(followed.value?.tick.asks[0]).toEqual(best.ask);
      } else expect(followed.value).toBeUndefined();
      const cameAtMs = clock.now();
      await clock.advance(1_500);
      expect(followed.asOfMs).toBe(cameAtMs);
      await say(only, book(4));
      expect(told).toBe(1);
      expect(followed.asOfMs).toBe(cameAtMs);
      await clock.advance(1_500);
      await say(only, book(6));
      expect(followed.asOfMs).toBe(clock.now());
      expect(told).toBe(2);
    });

    it("tells when it last came and the exchange's time of it, and another run after a lost connection", async () => {
      const { stream, clock, line, say } = await world();
      const followed = stream.orderbook(SYMBOL, () => {});
      const first = await line(0);
      expect(followed.pulse).toBeUndefined();
      await say(first, book(5));
      const before = followed.pulse;
      const timeMs = before?.exchange?.timeMs ?? 0;
      expect(before).toMatchObject({ heardMs: clock.rising(), exchange: { cameMs: clock.rising(), isSent: false } });
      expect(new Date(timeMs).getUTCFullYear()).toBe(2026);
      await clock.advance(1_500);
      await say(first, book(4));
      expect(followed.pulse).toEqual(before);
      first.end();
      await eventually(() => !followed.live, "its end");
      expect(followed.pulse).toBeUndefined();
      await clock.advance(1_000);
      await say(await line(1), book(6));
      expect(followed.pulse?.run).not.toBe(before?.run);
    });

    it("has trades once those before them were asked for, each once", async () => {
      const { exchange, stream, line, say } = await world();
      exchange.answers[tradesPath] = tradesAnswer([tradeId(2), tradeId(1)]);
      const followed = stream.trades(SYMBOL, () => {});
      const only = await line(0);
      expect(followed.live).toBe(false);
      await say(only, trade(tradeId(2)));
      await eventually(() => followed.live, "a closed gap");
      await say(only, trade(tradeId(3)));
      await say(only, trade(tradeId(3)));
      expect(followed.value?.map(({ trade_id: id }) => id)).toEqual([tradeId(3), tradeId(2), tradeId(1)]);
    });

    it("closes the gap of a lost connection by a query, and is live only then", async () => {
      const { exchange, stream, clock, line, say } = await world();
      exchange.answers[tradesPath] = tradesAnswer([tradeId(1)]);
      const trades = stream.trades(SYMBOL, () => {});
      const followed = stream.orderbook(SYMBOL, () => {});
      const first = await line(0);
      await say(first, trade(tradeId(1)));
      await say(first, book(1));
      await eventually(() => trades.live && followed.live, "both");
      exchange.answers[tradesPath] = tradesAnswer([tradeId(2), tradeId(1)]);
      first.end();
      await eventually(() => !trades.live && !followed.live, "the end of both");
      expect(followed.value).toBeUndefined();
      await clock.advance(1_000);
      const second = await line(1);
      expect(trades.live).toBe(false);
      await say(second, trade(tradeId(3)));
      await eventually(() => trades.live, "a closed gap");
      expect(trades.value?.map(({ trade_id: id }) => id)).toEqual([tradeId(3), tradeId(2), tradeId(1)]);
    });

    it.each(optional.book)("has a book also without %s", async (field) => {
      const { stream, line, say } = await world();
      const followed = stream.orderbook(SYMBOL, () => {});
      await say(await line(0), without(book(1), field));
      expect(followed.live).toBe(true);
    });

    it.each(optional.trade)("has a trade also without %s", async (field) => {
      const { stream, line, say } = await world();
      const followed = stream.trades(SYMBOL, () => {});
      await say(await line(0), without(trade(tradeId(1)), field));
      await eventually(() => followed.live, "a closed gap");
      expect(followed.value).toMatchObject([{ trade_id: tradeId(1), symbol: SYMBOL }]);
    });

    it("takes nothing from what cannot be read, and goes on", async () => {
      const { stream, line, say } = await world();
      const followed = stream.orderbook(SYMBOL, () => {});
      const only = await line(0);
      for (const nonsense of ["<html>", "7", "null", "[]", "{}", '{"type":"orderbook"}', '{"channel":"ORDERBOOK"}'])
        await say(only, nonsense);
      expect(followed.live).toBe(false);
      await say(only, book(1));
      expect(followed.live).toBe(true);
      expect(only.isOpen).toBe(true);
    });
  });
}

function testAccount(given: StreamCase, world: Opened): void {
  const { title, order, hint, balances, optional } = given;
  describe(`the account on ${title}'s stream`, () => {
    it("is a hint: which order has changed and not how, never live, and any may have whenever it is asked for anew", async () => {
      const { stream, clock, line, say } = await world();
      const told: unknown[] = [];
      const followed = stream.orders((which) => told.push(which));
      const first = await line(0);
      expect(first.path.split("?")[0]).toBe(given.paths.private);
      await eventually(() => told.length === 1, "a first hint");
      await say(first, order);
      expect(told).toEqual([undefined, hint]);
      expect(followed).toMatchObject({ live: false, value: undefined });
      first.end();
      await eventually(() => stream.state === "connecting", "the end of the first");
      await clock.advance(1_000);
      await line(1);
      await eventually(() => told.length === 3, "a hint after the gap");
      expect(told[2]).toBeUndefined();
    });

    it("tells that balances have changed", async () => {
      const { stream, line, say } = await world();
      let told = 0;
      const followed = stream.balances(() => {
        told += 1;
      });
      const only = await line(0);
      await eventually(() => told === 1, "a first hint");
      for (const field of ["none", ...optional.balances]) await say(only, without(balances, field));
      expect(told).toBe(2 + optional.balances.length);
      expect(followed).toMatchObject({ live: false, value: undefined });
    });

    it.each(optional.order)("names an order also without %s", async (field) => {
      const { stream, line, say } = await world();
      const told: unknown[] = [];
      stream.orders((which) => told.push(which));
      await say(await line(0), without(order, field));
      expect(told.at(-1)).toMatchObject({ orderId: hint.orderId });
    });

    it("signs each connection anew, with the secret in no address, no message and no notice", async () => {
      const { exchange, stream, clock, line, say, notices } = await world();
      stream.orders(() => {});
      const first = await line(0);
      await say(first, given.refusal.message);
      first.end();
      await eventually(() => stream.state === "connecting", "the end of the first");
      await clock.advance(1_000);
      const second = await line(1);
      const signed = ({ path, headers }: Line) =>
        JSON.stringify([path, headers["authorization"], headers["x-coinone-payload"]]);
      expect(signed(first)).not.toBe(signed(second));
      for (const one of exchange.lines) {
        expect(one.headers["origin"]).toBeUndefined();
        expect(one.headers["user-agent"]).toMatch(/^hoga\//);
        expect(JSON.stringify([one.path, one.headers, one.said])).not.toContain("canary");
        expect(one.path).not.toContain("key-1");
      }
      expect(notices).toContainEqual({ type: "refused", channel: "stream", symbol: null, code: given.refusal.code });
      expect(notices.filter(({ type }) => type === "state")).toEqual(
        ["live", "connecting", "live"].map((state) => ({ type: "state", state })),
      );
      expect(JSON.stringify(notices)).not.toMatch(/canary|key-1|127\.0\.0\.1|signature/);
    });

    it("is not to be had without a key, and market data is", async () => {
      const { exchange } = await world();
      const open = new VenueStream({
        source: async () => given.open(exchange.url).streaming,
        ...{ hasKey: false, clock: new StandingClock() },
      });
      expect(() => open.orders(() => {})).toThrow(TypeError);
      expect(() => open.balances(() => {})).toThrow(TypeError);
      open.orderbook(SYMBOL, () => {});
      await eventually(() => exchange.lines.length === 1, "a connection");
      await open.close();
    });
  });
}

function testConnection(given: StreamCase, world: Opened): void {
  const { title, book } = given;
  describe(`the connection to ${title}'s stream`, () => {
    it("is kept up by pings while nothing is told, and given up when they are not answered", async () => {
      const { exchange, stream, clock, line, say } = await world();
      stream.orderbook(SYMBOL, () => {});
      const first = await line(0);
      await say(first, book(1));
      await clock.advance(21_000);
      await eventually(() => given.pings(first) === 1, "a ping");
      first.pong();
      await settle();
      await clock.advance(40_000);
      expect(first.isOpen).toBe(true);
      await eventually(() => given.pings(first) === 3, "more pings");
      await clock.advance(20_000);
      await eventually(() => !first.isOpen, "the end of a dead connection");
      await clock.advance(1_000);
      await eventually(() => exchange.lines.length === 2, "another connection");
    });

    it("is not tried again for ten minutes where it was refused", async () => {
      const { exchange, stream, clock, notices } = await world();
      exchange.refusal = 401;
      stream.orders(() => {});
      await eventually(() => notices.length > 0, "a refusal");
      const why = "refused with status 401";
      expect(notices).toEqual([{ type: "dropped", why, reconnectInMs: 600_000 }]);
      exchange.refusal = undefined;
      await clock.advance(590_000);
      expect(exchange.lines).toHaveLength(0);
      await clock.advance(11_000);
      await eventually(() => exchange.lines.length === 1, "a connection");
    });

    it("ends when nothing is wanted of it, and begins again when something is", async () => {
      const { exchange, stream, clock, line } = await world();
      const followed = stream.orderbook(SYMBOL, () => {});
      const first = await line(0);
      followed.close();
      await eventually(() => !first.isOpen, "its end");
      await clock.advance(60_000);
      expect(exchange.lines).toHaveLength(1);
      stream.orderbook(SYMBOL, () => {});
      await line(1);
    });
  });
}

/** A copy without a field, by its path. */
function without(message: object, path: string): object {
  const copy = structuredClone(message) as Record<string, unknown>;
  const names = path.split(".");
  const last = names.pop() ?? "";
  let at = copy;
  for (const name of names) at = at[name] as Record<string, unknown>;
  if (at !== undefined) delete at[last];
  return copy;
}
