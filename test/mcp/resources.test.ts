import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createMcpServer } from "../../src/mcp/index.ts";
import { type ExchangeFixture, startExchange } from "../fixture/exchange.ts";
import { connect, ERAS, type TestClient } from "./client.ts";

const FIXED = ["hoga://markets", "hoga://orders/open", "hoga://balances", "hoga://policy", "hoga://audit/recent"];
const TEMPLATES = ["hoga://orderbook/{symbol}", "hoga://ticker/{symbol}"];

let exchange: ExchangeFixture;
beforeAll(async () => {
  exchange = await startExchange({ marketMaker: true });
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
    const { resources } = await client.raw.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(FIXED);
    const { resourceTemplates } = await client.raw.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(TEMPLATES);
  });

  it("show what the tools show, with environment and account", async () => {
    await client.call("place_order", {
      symbol: "BTC/KRW",
      side: "buy",
      type: "limit",
      base_volume: "0.001",
      price: "90000000",
    });
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
    const { resources } = await limited.raw.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(FIXED.slice(0, 3));
    await expect(limited.raw.readResource({ uri: "hoga://policy" })).rejects.toThrow(/not found/i);
    await expect(limited.raw.readResource({ uri: "hoga://orderbook/BTC-KRW" })).rejects.toThrow(/not found/i);
    await limited.close();
  });
});
