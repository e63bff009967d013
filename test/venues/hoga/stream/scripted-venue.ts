/**
 * A scripted service of the stream: a real loopback socket on which the test sends every message, and the reads of an account from
 * memory. Time stands until the test advances it.
 */
import { setImmediate as turn } from "node:timers/promises";
import { type WebSocket, WebSocketServer } from "ws";
import { type Fault, type Fill, failed, localFault, type Order, ok } from "../../../../src/contract/index.ts";
import type { StreamNotice } from "../../../../src/transport/index.ts";
import { bookChecksum } from "../../../../src/venues/hoga/stream/book-checksum.ts";
import { Stream, type StreamOptions, type StreamReader } from "../../../../src/venues/index.ts";

export const START = Date.UTC(2026, 6, 20, 9);
const WAIT_MAX_MS = 10_000;

/** Waits for something on a socket, which follows no injected clock. */
export async function eventually<T>(look: () => T | undefined | false, what = "it"): Promise<T> {
  const until = Date.now() + WAIT_MAX_MS;
  for (;;) {
    const found = look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > until) throw new Error(`${what} did not come about`);
    await turn();
  }
}

/** Lets messages in flight arrive. */
export async function settle(): Promise<void> {
  for (let turns = 0; turns < 30; turns++) await new Promise((resolve) => setTimeout(resolve, 1));
}

export class StandingClock {
  #nowMs = START;
  readonly #alarms = new Set<{ readonly atMs: number; ring(): void }>();

  now(): number {
    return this.#nowMs;
  }

  rising(): number {
    return this.#nowMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted === true) return resolve();
      const alarm = {
        atMs: this.#nowMs + ms,
        ring: () => {
          this.#alarms.delete(alarm);
          signal?.removeEventListener("abort", alarm.ring);
          resolve();
        },
      };
      this.#alarms.add(alarm);
      signal?.addEventListener("abort", alarm.ring, { once: true });
      return undefined;
    });
  }

  /** Fires the alarms that are due, in order. */
  async advance(ms: number): Promise<void> {
    const until = this.#nowMs + ms;
    for (;;) {
      await turn();
      const [next] = [...this.#alarms].filter(({ atMs }) => atMs <= until).sort((a, b) => a.atMs - b.atMs);
      if (next === undefined) break;
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.ring();
    }
    this.#nowMs = until;
    await settle();
  }
}

export interface Said {
  readonly op: string;
  readonly id: string;
  readonly channel: string;
  readonly symbol?: string;
  readonly token?: string;
  readonly depth?: number;
}

/** One connection as the service sees it. */
export class Call {
  readonly said: Said[] = [];
  readonly web: WebSocket;
  isOpen = true;

  constructor(web: WebSocket) {
    this.web = web;
    web.on("message", (data) => this.said.push(JSON.parse((data as Buffer).toString("utf8"))));
    web.on("close", () => {
      this.isOpen = false;
    });
  }

  send(message: object | string): void {
    this.web.send(typeof message === "string" ? message : JSON.stringify(message));
  }

  /** The first subscription to a channel that was not answered yet. */
  async asked(channel: string, symbol?: string): Promise<Said> {
    const said = await eventually(
      () => this.said.find((each) => each.op === "subscribe" && each.channel === channel && each.symbol === symbol),
      `a subscription to ${channel}`,
    );
    this.said.splice(this.said.indexOf(said), 1);
    return said;
  }

  /** Answers the next subscription to a channel with an ack and this snapshot. */
  async grant(channel: string, snapshot: object, symbol?: string): Promise<void> {
    const { id } = await this.asked(channel, symbol);
    this.send({ op: "ack", id, ok: true });
    this.send({ channel, symbol: symbol ?? null, type: "snapshot", time: timeAt(0), ...snapshot });
  }

  update(channel: string, content: object, symbol?: string): void {
    this.send({ channel, symbol: symbol ?? null, type: "update", time: timeAt(0), ...content });
  }
}

export function timeAt(ms: number): string {
  return new Date(START + ms).toISOString();
}

export interface Account {
  orders: Order[];
  /** Orders that can be read, and are in no list. */
  unlisted: Order[];
  fills: Fill[];
  balances: { asset: string; total: string; available: string; locked: string }[];
  /** Every read, in order, with its request. */
  readonly reads: string[];
  /** Reads fail with it. */
  fault: Fault | undefined;
  /** Reads wait for it. */
  held: Promise<void>;
}

function readerOf(account: Account): StreamReader {
  let tokens = 0;
  const read = async <T>(name: string, value: () => T) => {
    account.reads.push(name);
    await account.held;
    return account.fault === undefined ? ok(value()) : failed(account.fault);
  };
  return {
    streamToken: () => read("token", () => ({ token: `t${++tokens}` })),
    accounts: () => read("accounts", () => ({ account_id: "a", balances: account.balances })),
    orders: ({ fromMs }) =>
      read("orders", () => newest(account.orders, (each) => each.created_at, fromMs)).then((page) =>
        page.ok ? ok({ orders: page.value, next_cursor: null }) : page,
      ),
    order: async (_, orderId) => {
      account.reads.push(`order ${orderId}`);
      const found = [...account.orders, ...account.unlisted].find((order) => order.orderId === orderId);
      return found === undefined ? failed(localFault("ELocal:Unknown order")) : ok(found);
    },
    fills: ({ fromMs, cursor }) =>
      read(`fills from ${fromMs === undefined ? "the first" : fromMs - START}`, () =>
        newest(account.fills, (each) => each.time, fromMs),
      ).then((all) => {
        if (!all.ok) return all;
        // Pages of two, so that there are several.
        const at = cursor === undefined ? 0 : Number(cursor);
        const next = at + 2 < all.value.length ? String(at + 2) : null;
        return ok({ trades: all.value.slice(at, at + 2), next_cursor: next });
      }),
  };
}

function newest<T>(list: readonly T[], time: (each: T) => string, fromMs = 0): T[] {
  return list.filter((each) => Date.parse(time(each)) >= fromMs).reverse();
}

export class ScriptedVenue {
  readonly calls: Call[] = [];
  readonly clock = new StandingClock();
  readonly notices: StreamNotice[] = [];
  readonly account: Account = {
    orders: [],
    unlisted: [],
    fills: [],
    balances: [],
    reads: [],
    fault: undefined,
    held: Promise.resolve(),
  };
  readonly reader: StreamReader = readerOf(this.account);
  readonly #server: WebSocketServer;
  readonly #streams: Stream[] = [];

  private constructor(server: WebSocketServer) {
    this.#server = server;
    server.on("connection", (web) => this.calls.push(new Call(web)));
  }

  static async open(): Promise<ScriptedVenue> {
    const server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false });
    await new Promise((resolve) => server.once("listening", resolve));
    return new ScriptedVenue(server);
  }

  get url(): string {
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? `ws://127.0.0.1:${address.port}/v1/stream` : "";
  }

  stream(options: Partial<StreamOptions> = {}): Stream {
    const { url, clock, reader, notices } = this;
    const stream = new Stream({
      url,
      clock,
      reader,
      random: () => 0.5,
      onNotice: (notice) => notices.push(notice),
      ...options,
    });
    this.#streams.push(stream);
    return stream;
  }

  /** The connection with that number, from 0. */
  call(number = 0): Promise<Call> {
    return eventually(() => this.calls[number], `connection ${number}`);
  }

  /** Why channels were subscribed to again. */
  get resubscribed(): string[] {
    return this.notices.flatMap((each) => (each.type === "resubscribed" ? [`${each.channel}: ${each.why}`] : []));
  }

  async close(): Promise<void> {
    await Promise.all(this.#streams.map((stream) => stream.close()));
    for (const client of this.#server.clients) client.terminate();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

type Side = readonly (readonly [string, string])[];

/** A book event with the checksum of the resulting book. */
export function bookContent(
  seq: number,
  tick: { buys?: Side; asks?: Side },
  then: { buys?: Side; asks?: Side } = tick,
) {
  const sides = { buys: tick.buys ?? [], asks: tick.asks ?? [] };
  const checksum = bookChecksum((then.buys ?? []) as never, (then.asks ?? []) as never);
  return { seq, tick: sides, checksum };
}

export function fillOf(number: number, atMs = number): Fill {
  return {
    trade_id: String(number),
    orderId: "01999f3e-7a10-7c31-9a52-0c6d5b1f2a77",
    userref: null,
    symbol: "BTC/KRW",
    side: "buy",
    price: "90000000",
    volume: "0.001",
    value: "90000",
    liquidity: "taker",
    fee: "45",
    fee_currency: "KRW",
    time: timeAt(atMs),
  };
}
