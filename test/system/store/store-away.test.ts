/**
 * The real program while its store on a server refuses, says nothing, or has no connection left: cancels and halts get to the exchange in time by every
 * way, orders do not leave, and what happened is in the store once it is back.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { eventually, oneLine, quartet } from "../../fixture/command.ts";
import { wideHome } from "../../fixture/home.ts";
import { addressIn } from "../../fixture/http-address.ts";
import { createPostgresDatabase, type PostgresDatabase } from "../../fixture/postgres.ts";
import { cleanUp, run, start, startSandbox } from "../../fixture/program.ts";
import { Browser } from "../../serve/console/console-server.ts";
import { type StoryClient, sdk } from "../../story/story-client.ts";
import { type CommitProxy, startCommitProxy } from "./commit-proxy.ts";

/**
 * Two seconds is what a person or a program may wait for on a machine that does nothing else; here others work beside it. What waits for
 * the store itself takes forty and more.
 */
const IN_TIME_MS = 6_000;
const LIMIT = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001" };

let database: PostgresDatabase;
let proxy: CommitProxy;
let place: { readonly home: string; readonly env: Readonly<Record<string, string>> };
let url: string;

beforeAll(async () => {
  database = await createPostgresDatabase();
}, 60_000);
afterAll(() => database.remove());
beforeEach(async () => {
  url = database.url(database.freshSchema());
  proxy = await startCommitProxy(new URL(url));
  // Each has an exchange of its own: a server that was halted goes on canceling what the account has there.
  const { base_url, api_key, api_secret } = (await startSandbox({})).line;
  const exchange = quartet(base_url, api_key, api_secret);
  place = { home: wideHome(), env: { ...exchange, HOGA_STORE_URL: proxy.through(url) } };
});
afterEach(async () => {
  await cleanUp();
  await proxy.close();
});

const TROUBLES = ["refused", "full", "silent"] as const;
const strike = async (trouble: (typeof TROUBLES)[number]): Promise<void> =>
  trouble === "silent" ? proxy.fallSilent() : proxy.turnAway(trouble);

async function inTime<T>(step: () => Promise<T>): Promise<T> {
  const at = performance.now();
  const done = await step();
  const tookMs = performance.now() - at;
  if (process.env["MEASURE"]) console.log(Math.round(tookMs));
  expect(tookMs).toBeLessThan(IN_TIME_MS);
  return done;
}

let price = 80_000_000;
/** @returns its id at the exchange */
async function rests(client: StoryClient): Promise<string> {
  price += 1_000;
  const { structured } = await client.call("place_order", { ...LIMIT, price: String(price) });
  expect(structured).toMatchObject({ outcome: "accepted" });
  return (structured["order"] as { readonly uuid: string }).uuid;
}
const canceled = { outcome: "accepted", state: "canceled" };
const unsent = { outcome: "not_sent", error: { code: "ELocal:Store unavailable" } };

/** Straight from the store: the events of an order, in their order. */
async function eventsOf(orderId: string): Promise<readonly unknown[]> {
  const schema = new URL(url).searchParams.get("schema");
  const rows = await database.query(`SELECT event FROM ${schema}.audit WHERE order_id = $1 ORDER BY seq`, [orderId]);
  return rows.map(({ event }) => event);
}
const brakes = () => database.query(`SELECT reason FROM ${new URL(url).searchParams.get("schema")}.brake`);

const cancel = (client: StoryClient, order_id: string) => client.call("cancel_order", { order_id, symbol: "BTC/KRW" });

describe.each(TROUBLES)("while the store is %s", (trouble) => {
  it("a server over stdio cancels and halts, sends no order, and writes it down once the store is back", async () => {
    const client = await sdk.overStdio(place);
    const [first, second] = [await rests(client), await rests(client)];
    await rests(client);
    await strike(trouble);
    const early = await inTime(() => client.call("cancel_order", { order_id: first, symbol: "BTC/KRW" }));
    expect(early.structured).toMatchObject(canceled);
    expect((await inTime(() => cancel(client, second))).structured).toMatchObject(canceled);
    // Whoever waits longer than a cancel waits once.
    await client.call("get_desk_status");
    const status = await inTime(() => client.call("get_desk_status"));
    expect(status.structured).toMatchObject({ can_trade: false, pin_set: null });
    const placed = await inTime(() => client.call("place_order", { ...LIMIT, price: "70000000" }));
    expect(placed.structured).toMatchObject(unsent);
    const { structured: halted } = await inTime(() => client.call("halt_trading", { reason: "enough" }));
    expect(halted).toMatchObject({ brake: "directory", canceled: 1, remaining: 0 });
    await proxy.recover();
    await eventually(async () => ((await brakes()).length > 0 ? true : undefined));
    for (const order of [first, second]) {
      await eventually(async () => (await eventsOf(order)).includes("cancel_ended_canceled") || undefined);
      await eventually(async () => (await eventsOf(order)).includes("cancel_requested") || undefined);
      const ofCancel = (await eventsOf(order)).filter((event) => String(event).startsWith("cancel_"));
      expect(ofCancel).toEqual(["cancel_requested", "cancel_ended_canceled"]);
    }
    await client.close();
  }, 90_000);

  it("a server over HTTP and its console do", async () => {
    const line = await start(
      ["start", "--json", "--show-token", "--port", "0", "--exchange-port", "0"],
      place,
    ).firstLine();
    const browser = await Browser.open((JSON.parse(line) as { readonly console_url: string }).console_url);
    const client = await sdk.overHttp(addressIn(line));
    const order = await rests(client);
    await rests(client);
    await strike(trouble);
    expect((await inTime(() => cancel(client, order))).structured).toMatchObject(canceled);
    const halted = await inTime(() => browser.post("halt", {}));
    expect(halted).toMatchObject({ status: 200, json: { brake: "directory", canceled: 1, remaining: 0 } });
    const again = await inTime(() => client.call("halt_trading", { reason: "enough" }));
    expect(again.structured).toMatchObject({ brake: "directory", remaining: 0 });
    await client.close();
  }, 90_000);

  it("commands do", async () => {
    const client = await sdk.overStdio(place);
    const orders = [await rests(client), await rests(client)];
    await rests(client);
    await client.close();
    const order = (id = "") => run(["call", "cancel_order", "--order-id", id, "--symbol", "BTC/KRW", "--json"], place);
    expect(oneLine(await order(orders[0]))).toMatchObject(canceled);
    await strike(trouble);
    expect(oneLine(await inTime(() => order(orders[1])))).toMatchObject(canceled);
    const halted = await inTime(() => run(["halt", "--json"], place));
    expect(halted.code).toBe(1);
    expect(oneLine(halted)).toMatchObject({ brake: "directory", canceled: 1, remaining: 0 });
  }, 90_000);
});
