/**
 * What a desk makes of an exchange's stream: in the test's own process, at the exchange's API over real HTTP and its stream over a real socket, with a
 * clock by which no pause of a wait ends that is longer than a moment. So whatever is looked for after that, the stream has called for.
 */
import { randomBytes } from "node:crypto";
import { createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { SharedMarketStream } from "../../../src/cli/composition/market-stream.ts";
import {
  type Clock,
  createDesk,
  createIds,
  type Desk,
  type IntentBody,
  type IntentState,
} from "../../../src/desk/index.ts";
import { type Sandbox, startSandbox } from "../../../src/sandbox/index.ts";
import { openStore } from "../../../src/store/index.ts";
import { systemClock } from "../../../src/transport/index.ts";
import { OPENINGS, type OpenedVenue, VenueStream } from "../../../src/venues/index.ts";
import type { StreamSource } from "../../../src/venues/stream-protocol.ts";
import { eventually } from "../../fixture/command.ts";
import { safetyParts } from "../../fixture/policy.ts";
import { AdminClient } from "../../sandbox/admin/admin-client.ts";
import { openAccount, sell } from "./exchange-desk.ts";
import { BITHUMB, COINONE, type Exchange, KORBIT, UPBIT } from "./exchanges.ts";

const ONE = 100_000_000n;
const ORDER = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "90000000" } as const;
/** Pauses that a desk makes between two steps; those of a wait get longer. */
const MOMENT_MS = 250;

/** Says of an order, in the exchange's words, that it has ended: as filled, or as canceled. */
type Lie = (orderId: string, as: "filled" | "canceled") => object;
const LIES: readonly (readonly [Exchange, Lie])[] = [
  [UPBIT, (uuid, as) => ({ type: "myOrder", code: "KRW-BTC", uuid, state: as === "filled" ? "done" : "cancel" })],
  [
    BITHUMB,
    (order_id, as) => ({ type: "myOrder", code: "KRW-BTC", order_id, state: as === "filled" ? "done" : "cancel" }),
  ],
  [
    KORBIT,
    (orderId, status) => ({
      ...{ channelType: "myOrder", symbol: "btc_krw", timestamp: 1 },
      order: { orders: [{ orderId, status, side: "buy", filledQty: "0.001", filledAmt: "90000" }] },
    }),
  ],
  [
    COINONE,
    (order_id, as) => ({
      ...{ response_type: "DATA", channel: "MYORDER" },
      data: { order_id, status: as === "filled" ? "trade_done" : "cancel", quote_currency: "KRW" },
    }),
  ],
];

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

interface World {
  readonly desk: Desk;
  readonly venue: Pick<OpenedVenue, "orderbook" | "trades">;
  readonly source: () => Promise<StreamSource>;
  readonly sandbox: Sandbox;
  /** How often the exchange was called. */
  readonly calls: () => number;
  /** Fills the order. */
  readonly fill: () => void;
}

async function opened({ name }: Exchange, through: (baseUrl: string) => Promise<string>): Promise<World> {
  const sandbox = await startSandbox({ as: name, marketMaker: false, admin: {}, limits: { venueRateFactor: 1_000 } });
  closers.push(() => sandbox.close());
  openAccount(sandbox, "maker");
  const credentials = openAccount(sandbox, "own");
  let calls = 0;
  const open = await OPENINGS[name]?.();
  if (open === undefined) throw new Error(`no code for ${name}`);
  const venue = open({
    ...{ environment: "sandbox", baseUrl: await through(sandbox.baseUrl), credentials, account: "own" },
    ...{ clock: systemClock, redact: (value) => value, timeouts: { totalMs: 1_000 } },
    onEvent: ({ type }) => {
      if (type === "request_ended") calls += 1;
    },
  });
  closers.push(() => venue.close());
  if (!("streaming" in venue)) throw new Error(`${name} has no stream`);
  const source = async () => venue.streaming;
  const stream = new SharedMarketStream(() => new VenueStream({ source, hasKey: true }), systemClock);
  closers.push(() => stream.close());
  const clock: Clock = {
    now: () => Date.now(),
    rising: () => performance.now(),
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted === true) return resolve();
        if (ms <= MOMENT_MS) setTimeout(resolve, ms);
        signal?.addEventListener("abort", () => resolve(), { once: true });
        return undefined;
      }),
  };
  const parts = { clock: systemClock, random: Math.random };
  const store = await openStore<IntentState, IntentBody>({ memory: true }, parts);
  closers.push(() => store.close());
  const desk = createDesk({
    ...{ venue, journal: store.journal, audit: store.audit, ...safetyParts(store), clock, stream },
    ...{ ids: createIds(clock, randomBytes), profile: name, timeZone: "UTC" },
  });
  return {
    ...{ desk, venue, source, sandbox, calls: () => calls },
    fill: () => sell(sandbox, { orderId: "maker-2", price: 90_000_000n * ONE, volume: ONE / 1_000n }),
  };
}

async function placed({ desk }: World): Promise<{ readonly orderId: string }> {
  const said = await desk.place({ ...ORDER, userref: "mine" });
  expect(said).toMatchObject({ outcome: "accepted" });
  const found = await desk.order({ userref: "mine" });
  if (!found.ok || found.value.order === undefined) throw new Error("the order is not found");
  return found.value.order;
}

/** Until nothing is asked any more: the wait has come to a pause that does not end. */
async function quiet({ calls }: World): Promise<number> {
  return eventually(async () => {
    const before = calls();
    await pause(1_500);
    return calls() === before ? before : undefined;
  }, 30_000);
}

describe.each(LIES.map(([exchange, lie]) => [exchange.title, exchange, lie] as const))(
  "the stream of %s",
  (_, exchange, lie) => {
    it("hastens the look: a wait ends by it, and by what the exchange then answers", async () => {
      const world = await opened(exchange, async (baseUrl) => baseUrl);
      await placed(world);
      const waiting = world.desk.awaitOrder({ userref: "mine", until: "filled", timeoutMs: 100_000 });
      const before = await quiet(world);
      world.fill();
      expect(await waiting).toMatchObject({ ok: true, value: { reached: true, state: "filled" } });
      expect(world.calls()).toBeGreaterThan(before);
    });

    it("proves nothing where it lies: an order is what the exchange answers", async () => {
      const lying = await liar();
      const world = await opened(exchange, (baseUrl) => lying.before(baseUrl));
      const { orderId } = await placed(world);
      let ended = false;
      const waiting = world.desk.awaitOrder({ userref: "mine", until: "closed", timeoutMs: 100_000 }).finally(() => {
        ended = true;
      });
      const line = await eventually(async () => lying.lines[0]);
      for (const as of ["filled", "canceled"] as const) {
        const before = await quiet(world);
        line.send(JSON.stringify(lie(orderId, as)));
        await eventually(async () => (world.calls() > before ? true : undefined));
        await quiet(world);
        expect(ended).toBe(false);
        expect(await world.desk.order({ userref: "mine" })).toMatchObject({ value: { state: "open" } });
      }
      world.fill();
      line.send(JSON.stringify(lie(orderId, "canceled")));
      expect(await waiting).toMatchObject({ ok: true, value: { reached: true, state: "filled" } });
    });
  },
);

/** Shorter than Korbit's window: what comes to it later has run out there, and no order comes of it. */
const ON_ITS_WAY_MS = 2_500;

describe.each(LIES.map(([exchange]) => [exchange.title, exchange] as const))(
  "a hint from %s of an order on its way",
  (_, exchange) => {
    it("finds an order whose answer was lost, once it is there: a wait for it ends", async () => {
      const world = await opened(exchange, async (baseUrl) => baseUrl);
      const admin = new AdminClient(world.sandbox.admin ?? { url: "", token: "" });
      await admin.must("POST", "/faults", { ...exchange.place, kind: "late_delivery", after_ms: ON_ITS_WAY_MS });
      expect(await world.desk.place({ ...ORDER, userref: "mine" })).toMatchObject({ outcome: "unknown" });
      expect(await world.desk.awaitOrder({ userref: "mine", until: "placed", timeoutMs: 100_000 })).toMatchObject({
        value: { reached: true, state: "open" },
      });
    });
  },
);

describe.each(LIES.map(([exchange]) => [exchange.title, exchange] as const))(
  "market data on the stream of %s",
  (_, exchange) => {
    it("is the book and the trades that a query has, also after a change", async () => {
      const { sandbox, source, venue, desk, fill } = await opened(exchange, async (baseUrl) => baseUrl);
      const stream = new VenueStream({ source, hasKey: false });
      closers.push(() => stream.close());
      let told = 0;
      const book = stream.orderbook("BTC/KRW", () => {
        told += 1;
      });
      const trades = stream.trades("BTC/KRW", () => {});
      const { protocol } = await source();
      sell(sandbox, { orderId: "maker-1", price: 100_000_000n * ONE, volume: ONE });
      await eventually(async () => (book.live && told > 0 ? true : undefined));
      expect(await desk.place({ ...ORDER, userref: "mine" })).toMatchObject({ outcome: "accepted" });
      fill();
      const asked = await eventually(async () => {
        const [now, printed] = await Promise.all([venue.orderbook("BTC/KRW", 200), venue.trades("BTC/KRW", 100)]);
        if (!now.ok || !printed.ok || printed.value.length === 0) return undefined;
        const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
        if (protocol.books === "levels" && !isSame(book.value?.tick, now.value.tick)) return undefined;
        return trades.live && isSame(trades.value, printed.value) ? printed.value : undefined;
      }, 15_000);
      expect(asked).toMatchObject([{ symbol: "BTC/KRW", price: "90000000", volume: "0.001" }]);
      expect(book.value === undefined).toBe(protocol.books === "change");
    });
  },
);

interface Liar {
  /** Connections of the stream, on which the test says what it likes. */
  readonly lines: readonly WebSocket[];
  /** @returns its address, behind which calls reach the exchange */
  before(baseUrl: string): Promise<string>;
}

async function liar(): Promise<Liar> {
  const lines: WebSocket[] = [];
  let target = "";
  const server = createServer((request, response) => {
    const { method, headers, url = "/" } = request;
    const onward = send(new URL(url, target), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  const sockets = new WebSocketServer({ server });
  sockets.on("connection", (line) => lines.push(line));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(async () => {
    for (const line of lines) line.terminate();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    lines,
    before: async (baseUrl) => {
      target = baseUrl;
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
  };
}
