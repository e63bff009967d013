/** A market with little in it, which an assistant's own orders and trades could bend. Real clients over Streamable HTTP, the default policy of the paper exchange. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { inUnit } from "../../src/decimal/index.ts";
import { type Desk, defaultPolicy } from "../../src/desk/index.ts";
import { createMcpServer } from "../../src/mcp/index.ts";
import { type HttpServing, serveOverHttp } from "../../src/serve/index.ts";
import { openWorld, type World } from "../fixture/desk-over-sandbox.ts";
import { addressOf, TOKEN } from "../fixture/http-address.ts";
import { approveShown } from "../fixture/person.ts";
import { changeablePolicy } from "../fixture/policy.ts";
import { connectHttp, ERAS, type TestClient } from "./client.ts";

const MUCH = inUnit("1000000000");
/** The default but for sizes, which are not the subject. */
const POLICY = defaultPolicy("sandbox", {
  maxOrder: MUCH,
  maxDay: MUCH,
  maxOpen: MUCH,
  approvalOver: MUCH,
});

let world: World;
let http: HttpServing;
let client: TestClient;
let desk: Desk;

beforeEach(async () => {
  world = await openWorld();
  ({ desk } = await world.seat({ policy: changeablePolicy(POLICY), patient: true }));
  http = await serveOverHttp({ factory: createMcpServer({ desk, version: "0.0.0" }), token: TOKEN, port: 0 });
  client = await connectHttp(ERAS[0], addressOf(http));
});
afterEach(async () => {
  await client.close();
  await http.close();
  await world.close();
});

const place = async (side: "buy" | "sell", price: string, base_volume = "0.0001") => {
  const order = { symbol: "BTC/KRW", side, type: "limit", price, base_volume };
  return (await client.call("place_order", order)).structured;
};
const COLLAR = { state: "denied", error: { rule: "price_collar" } };
const APART =
  "the best prices of others, ₩100,000,000 and ₩110,000,000, are 9.5239 % apart, further than price_collar_pct 5";
const TRADES = /^GET \/v1\/trades\//;
const BOOK = /^GET \/v1\/orderbook\//;
const ASKED = { outcome: "not_sent", state: "awaiting_approval" };

describe("a book that the assistant's own orders are in", () => {
  it("is not bent by them: two small bids do not make twice the price near", async () => {
    world.rest("buy", "100000000", "0.1");
    world.rest("sell", "200000000", "0.1");
    expect(await place("buy", "200000000", "0.01")).toMatchObject(COLLAR);
    const ratchet = [await place("buy", "157000000"), await place("buy", "187000000")];
    expect(await place("buy", "200000000", "0.01")).toMatchObject(COLLAR);
    expect(ratchet).toMatchObject([ASKED, COLLAR]);
    expect(world.orders()).toEqual([]);
  });

  it("is not bent by them where a person has let them in, and they are all that stands near", async () => {
    world.rest("buy", "100000000", "0.1");
    const near = world.rest("sell", "101000000", "0.1");
    expect(await place("buy", "100900000")).toMatchObject({ outcome: "accepted" });
    world.withdraw(near);
    world.rest("sell", "110000000", "0.1");
    // 4.3 % from the middle that the own bid makes, and 4.8 % from that of the others, who are 9.5 % apart.
    const asked = await place("buy", "110000000");
    expect(asked).toMatchObject({ ...ASKED, approval: { price_seen: "105000000" } });
    expect(asked["approval"]).toHaveProperty("why", APART);
    expect(await place("buy", "110251000")).toMatchObject(COLLAR);
    const { intent_id } = asked as { readonly intent_id: string };
    expect(await approveShown(desk, intent_id)).toMatchObject({ outcome: "accepted", state: "filled" });
  });

  it("asks a person when it has one side alone", async () => {
    world.rest("sell", "200000000", "0.1");
    const asked = await place("buy", "200000000");
    expect(asked).toMatchObject(ASKED);
    expect(asked["approval"]).toHaveProperty(
      "why",
      "nobody else buys in the book, so that the price of the market is not known",
    );
  });
});

describe("what was lately traded", () => {
  it("bounds an order beside the book: one that is near a book that has moved away is too far", async () => {
    world.trade("100000000", "1");
    world.rest("buy", "106000000", "0.1");
    world.rest("sell", "107000000", "0.1");
    expect(await place("buy", "107000000")).toMatchObject({
      ...COLLAR,
      error: {
        figure: "7",
        limit: "5",
        message: expect.stringContaining("7 % above the middle of the last trades ₩100,000,000"),
      },
    });
    const market = { symbol: "BTC/KRW", side: "buy", type: "market", base_volume: "0.001" };
    expect((await client.call("place_order", market)).structured).toMatchObject(COLLAR);
    expect(await place("buy", "105000000")).toMatchObject({ outcome: "accepted" });
  });

  it("is nothing where nobody has traded: the book alone then says what is near", async () => {
    world.rest("buy", "100000000", "0.1");
    world.rest("sell", "101000000", "0.1");
    expect(await place("buy", "101000000")).toMatchObject({ outcome: "accepted", state: "filled" });
  });

  it("does not count the account's own trades, though they were the last", async () => {
    world.trade("100000000", "0.0001");
    world.rest("buy", "101000000", "0.1");
    for (const price of ["102000000", "104000000"]) {
      world.rest("sell", price, "0.01");
      expect(await place("buy", price, "0.01")).toMatchObject({ state: "filled" });
    }
    world.rest("buy", "103000000", "0.1");
    world.rest("sell", "106000000", "0.1");
    expect(await place("buy", "106000000")).toMatchObject(COLLAR);
  });

  it("is asked for with the book, and where it cannot be had nothing is sent", async () => {
    world.rest("buy", "100000000", "0.1");
    world.rest("sell", "101000000", "0.1");
    world.proxy.plan(TRADES, "deny", 99);
    expect(await place("buy", "100500000")).toMatchObject({ outcome: "not_sent", state: "denied" });
    expect(world.orders()).toEqual([]);
    world.proxy.heal();
    const before = [world.proxy.deliveries(TRADES), world.proxy.deliveries(BOOK)] as const;
    expect(await place("buy", "100500000")).toMatchObject({ outcome: "accepted" });
    expect([world.proxy.deliveries(TRADES), world.proxy.deliveries(BOOK)]).toEqual([before[0] + 1, before[1] + 1]);
  });
});
