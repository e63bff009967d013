import { afterAll, expect, it } from "vitest";
import { quartet } from "../fixture/command.ts";
import { cleanUp, startSandbox } from "../fixture/command-line.ts";
import { freshHome } from "../fixture/data-dir.ts";
import { sum, units } from "./figures.ts";
import { checkAccount, tradesOf } from "./ledger.ts";
import { sdk } from "./story-client.ts";
import { type BookSeen, type PlacedSeen, Teller } from "./teller.ts";

afterAll(cleanUp);

const VOLUME = "0.001";
const TRIES = 8;

/** The market may walk away from a price for long, so after a while the order is canceled and the new best bid taken. */
async function buyAtTheBestBid(teller: Teller) {
  for (let tries = 0; tries < TRIES; tries++) {
    const { content: book } = await teller.tell<BookSeen>("get_orderbook", { symbol: "BTC/KRW", depth: 1 });
    const price = book.best_bid;
    const order = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: VOLUME, price };
    const placed = await teller.tell<PlacedSeen>("place_order", order);
    const { orderId } = placed.content.order;
    const end = await teller.tell<PlacedSeen>("await_order", { order_id: orderId, until: "filled", timeout_s: 3 });
    expect(end.content).toMatchObject({ reached: end.content.state === "filled" });
    if (end.content.state === "filled") return { orderId, price, rested: placed.content.state === "open" };
    const canceled = await teller.ask<PlacedSeen>("cancel_order", { order_id: orderId });
    expect(["canceled", "filled"]).toContain(canceled.content.state);
  }
  throw new Error(`no order at the best bid was filled in ${TRIES} tries`);
}

it("fills an order that rests at the best price, on an exchange of its own", async () => {
  const sandbox = await startSandbox({}, ["--speed", "20"]);
  const { base_url, api_key, api_secret } = sandbox.line;
  const client = await sdk.overStdio({ home: freshHome(), env: quartet(base_url, api_key, api_secret) });
  const teller = new Teller(client);
  await teller.tools();
  const { orderId, price, rested } = await buyAtTheBestBid(teller);
  const trades = (await tradesOf(teller, 100)).filter((trade) => trade.orderId === orderId);
  expect(sum(trades.map(({ volume }) => volume))).toBe(units(VOLUME));
  for (const trade of trades) expect(units(trade.price) <= units(price)).toBe(true);
  const liquidity = new Set(trades.map((trade) => trade.liquidity));
  expect(liquidity).toEqual(rested ? new Set(["maker"]) : liquidity);
  await checkAccount(teller);
  await client.close();
  await sandbox.stop();
}, 60_000);
