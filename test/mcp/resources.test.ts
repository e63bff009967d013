import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failed, localFault, type Market, ok } from "../../src/contract/index.ts";
import type { Desk, PlanDesk } from "../../src/desk/index.ts";
import { createMcpServer } from "../../src/mcp/index.ts";
import type { Sandbox } from "../../src/sandbox/index.ts";
import { ONE } from "../../src/sandbox/model/index.ts";
import { type ExchangeFixture, startExchange } from "../fixture/exchange.ts";
import { SKILL_NAMES } from "../skills/taught-calls.ts";
import { connect, ERAS, resourcePages, type TestClient } from "./client.ts";

const FIXED = [
  "hoga://markets",
  "hoga://orders/open",
  "hoga://balances",
  "hoga://plans",
  "hoga://policy",
  "hoga://venue",
  "hoga://audit/recent",
];
const SKILLS = SKILL_NAMES.map((name) => `skill://hoga/${name}/SKILL.md`);
const TEMPLATES = [
  ...["hoga://orderbook/{symbol}", "hoga://ticker/{symbol}", "hoga://orders/{userref}"],
  "skill://hoga/{name}/SKILL.md",
];
const ORDER = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "90000000" };

const ofMarket = (symbol: string) =>
  ["orderbook", "ticker"].map((name) => `hoga://${name}/${encodeURIComponent(symbol)}`);

/** Somebody rests on both sides, far from the market, as some of the market maker's levels may just have been bought or sold. */
function restFarAway({ exchange }: Sandbox): void {
  const accountId = "far away";
  const done = (command: Parameters<Sandbox["exchange"]["apply"]>[0]): void => {
    expect(exchange.apply(command, Date.now()).ok).toBe(true);
  };
  done({ type: "createAccount", accountId, krwAccountLinked: true });
  for (const asset of ["KRW", "BTC"]) done({ type: "deposit", accountId, asset, amount: 100_000_000n * ONE });
  const order = { type: "place", accountId, keyId: null, symbol: "BTC/KRW", orderType: "limit", amount: null } as const;
  const kept = { timeInForce: "GTC", postOnly: false, userref: null, settlementMode: "INSTANT_KRW" } as const;
  for (const [side, price] of [["buy", 100_000_000n] as const, ["sell", 200_000_000n] as const])
    for (let level = 0n; level < 15n; level++)
      done({
        ...{ ...order, ...kept, side, orderId: `${side}-${level}` },
        ...{ price: (price + level * 1_000n) * ONE, volume: ONE / 1_000n },
      });
}

let exchange: ExchangeFixture;
beforeAll(async () => {
  exchange = await startExchange({ marketMaker: true });
  restFarAway(exchange.sandbox);
});
afterAll(() => exchange.close());

describe.each(ERAS)("the resources, to a client of %s", (era) => {
  let client: TestClient;
  beforeAll(async () => {
    client = await connect(era, createMcpServer({ desk: exchange.desk, version: "0.0.0" }));
  });
  afterAll(() => client.close());

  const read = (uri: string) => client.read(uri);

  it("are the documented ones", async () => {
    const markets = await exchange.desk.markets();
    if (!markets.ok) throw new Error(markets.fault.message);
    const symbols = markets.value.map(({ symbol }) => symbol).sort();
    expect(symbols).toContain("BTC/KRW");
    expect((await resourcePages(client)).flat()).toEqual([...FIXED, ...SKILLS, ...symbols.flatMap(ofMarket)]);
    const { resourceTemplates } = await client.raw.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(TEMPLATES);
  });

  it("show what the tools show, with environment and account", async () => {
    await client.call("place_order", ORDER);
    expect(await read("hoga://orders/open")).toEqual((await client.call("get_open_orders")).structured);
    expect(await read("hoga://balances")).toEqual((await client.call("get_balances")).structured);
    expect(await read("hoga://audit/recent")).toEqual((await client.call("get_audit_log")).structured);
    expect(await read("hoga://policy")).toMatchObject({
      environment: "sandbox",
      mode: "bounded",
      price_collar_pct: "off",
      approval_drift_pct: "0.5",
      approval_ttl_s: 300,
      book_max_age_ms: 600_000,
      max_day_loss_krw: "off",
      day_loss_action: "reduce_only",
    });
    await client.call("cancel_all_orders");
    expect(await read("hoga://orders/open")).toMatchObject({ orders: [] });
  });

  it("show the card of the exchange in use", async () => {
    const { card } = exchange.desk;
    expect(card).toMatchObject({ name: "hoga", absence: { by: "nonce" }, proof: { L4: null, L5: null } });
    expect(await read("hoga://venue")).toMatchObject({ environment: "sandbox", card });
  });

  it.each(["BTC/KRW", "BTC%2FKRW", "BTC-KRW", "btckrw"])("name a market as %s", async (name) => {
    expect(await read(`hoga://ticker/${name}`)).toMatchObject({ environment: "sandbox", symbol: "BTC/KRW" });
    const book = await read(`hoga://orderbook/${name}`);
    expect(book).toMatchObject({ environment: "sandbox", symbol: "BTC/KRW", mid: expect.any(String) });
    expect(book["tick"]).toMatchObject({ buys: { length: 15 }, asks: { length: 15 } });
  });

  it("name the market that does not exist, and the address", async () => {
    for (const uri of ["hoga://ticker/BTT-KRW", "hoga://orderbook/BTT%2FKRW"])
      await expect(read(uri)).rejects.toMatchObject({
        code: -32602,
        data: { uri },
        message: expect.stringContaining("BTC/KRW"),
      });
    await expect(client.raw.readResource({ uri: "hoga://nothing" })).rejects.toThrow(/not found|nothing/i);
    await expect(client.raw.readResource({ uri: "hoga://orderbook/%ZZ" })).rejects.toThrow(/not found|%ZZ/i);
  });

  it("are read as they are listed", async () => {
    const uris = (await resourcePages(client)).flat();
    for (const uri of ["hoga://orderbook/BTC%2FKRW", "hoga://ticker/BTC%2FKRW"]) {
      expect(uris).toContain(uri);
      expect(await read(uri)).toMatchObject({ symbol: "BTC/KRW" });
    }
  });

  it("show one order by its userref, as get_order does", async () => {
    const userref = `mine-${era}`;
    const uri = `hoga://orders/${userref}`;
    await client.call("place_order", { ...ORDER, userref });
    expect(await read(uri)).toEqual((await client.call("get_order", { userref })).structured);
    expect(await read(uri)).toMatchObject({ state: "open", userref, order: { price: "90000000" } });
    await client.call("cancel_order", { userref });
    expect(await read(uri)).toMatchObject({ state: "canceled" });
  });

  it("name the order that does not exist, and keep the list of open ones apart", async () => {
    const uri = "hoga://orders/nobody";
    const missing = { code: -32602, data: { uri }, message: expect.stringContaining("nobody") };
    await expect(read(uri)).rejects.toMatchObject(missing);
    exchange.relay.seen.length = 0;
    for (const odd of ["no%20order", "a/b", "x".repeat(65), ""])
      await expect(read(`hoga://orders/${odd}`)).rejects.toThrow(/not found|no such/i);
    expect(exchange.relay.seen).toEqual([]);
    await client.call("place_order", { ...ORDER, userref: "open" });
    expect(await read("hoga://orders/open")).toHaveProperty("orders");
    await client.call("cancel_all_orders");
  });

  it("complete a symbol", async () => {
    const { completion } = await client.raw.complete({
      ref: { type: "ref/resource", uri: "hoga://orderbook/{symbol}" },
      argument: { name: "symbol", value: "do" },
    });
    expect(completion.values).toEqual(expect.arrayContaining(["DOGE/KRW", "DOT/KRW"]));
  });

  it("are those of the modules that are on", async () => {
    const limited = await connect(
      era,
      createMcpServer({ desk: exchange.desk, modules: ["account"], version: "0.0.0" }),
    );
    expect((await resourcePages(limited)).flat()).toEqual([...FIXED.slice(0, 3), "hoga://venue", ...SKILLS]);
    await expect(limited.raw.readResource({ uri: "hoga://policy" })).rejects.toThrow(/not found/i);
    await expect(limited.raw.readResource({ uri: "hoga://orderbook/BTC-KRW" })).rejects.toThrow(/not found/i);
    await limited.close();
  });
});

describe("the list of resources", () => {
  const symbols = Array.from({ length: 120 }, (_, at) => `C${at}/KRW`).sort();
  const listing = (markets: Desk["markets"]) =>
    connect(
      "2025-11-25",
      createMcpServer({
        desk: { environment: "sandbox", unit: "KRW", markets, plans: {} as PlanDesk } as Desk,
        version: "0.0.0",
      }),
    );

  it("has bounded pages in a stable order, whatever order the exchange has", async () => {
    const client = await listing(async () => ok([...symbols].reverse().map((symbol) => ({ symbol }) as Market)));
    const pages = await resourcePages(client);
    expect(pages.map(({ length }) => length)).toEqual([FIXED.length, SKILLS.length, 100, 100, 40]);
    expect(pages.flat()).toEqual([...FIXED, ...SKILLS, ...symbols.flatMap(ofMarket)]);
    expect(await resourcePages(client)).toEqual(pages);
    await client.close();
  });

  it("ends before the markets where they cannot be had, and refuses a page that it has not named", async () => {
    const client = await listing(async () => failed(localFault("ELocal:Venue unreachable")));
    expect(await resourcePages(client)).toEqual([FIXED, SKILLS, []]);
    await expect(client.raw.listResources({ cursor: "2" })).rejects.toMatchObject({ code: -32602 });
    await client.close();
  });
});
