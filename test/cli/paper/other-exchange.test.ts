/** The paper profile on the API of another exchange: the sandbox that hoga carries starts by itself, and there is no key to give. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { afterAll, describe, expect, it } from "vitest";
import { CARDS } from "../../../src/venues/index.ts";
import { oneLine } from "../../fixture/command.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { cleanUp, run } from "../../fixture/in-process.ts";
import { modernStdio } from "../../fixture/stdio-transport.ts";

afterAll(cleanUp);

const OTHERS = CARDS.map(({ name }) => name).filter((name) => name !== "hoga");

function settings(home: string, exchange: string): void {
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, "config.toml"), `[profiles.paper]\nexchange = "${exchange}"\n`, { mode: 0o600 });
}

async function served(home: string) {
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(modernStdio({ home }));
  // The client then checks every result against its schema.
  await client.listTools();
  const call = async (name: string, args: object = {}) =>
    (await client.callTool({ name, arguments: { ...args } })).structuredContent as Record<string, unknown>;
  return { call, close: () => client.close() };
}

const RESTING = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "100000000" };

describe("a paper profile that names another exchange", () => {
  it.each(OTHERS)("places, cancels, buys and counts what it holds there, without a key: %s", async (exchange) => {
    const home = freshHome();
    settings(home, exchange);
    const { call, close } = await served(home);
    expect(await call("get_desk_status")).toMatchObject({
      environment: "sandbox",
      venue: "up",
      can_trade: true,
      profile: "paper",
    });
    const card = CARDS.find(({ name }) => name === exchange);
    const refused = await call("preview_order", {
      symbol: "BTC/KRW",
      side: "buy",
      type: "market",
      base_volume: "0.001",
    });
    expect(JSON.stringify(refused)).toContain(`${card?.title.en} takes a market buy as an amount of KRW`);
    const checked = await call("preview_order", RESTING);
    const own = `${card?.title.en} does not check orders in advance: this preview is hoga's own.`;
    expect(checked).toMatchObject({ valid: true, warnings: expect.arrayContaining([own]) });
    const placed = await call("place_order", { ...RESTING, userref: "rests" });
    expect(placed).toMatchObject({ outcome: "accepted" });
    expect(await call("cancel_order", { userref: "rests" })).toMatchObject({ outcome: "accepted" });
    expect(await call("await_order", { userref: "rests" })).toMatchObject({ state: "canceled" });
    const bought = { symbol: "BTC/KRW", side: "buy", type: "market", quote_amount: "50000", userref: "buys" };
    expect(await call("place_order", bought)).toMatchObject({ outcome: "accepted" });
    expect(await call("await_order", { userref: "buys" })).toMatchObject({ state: "filled" });
    await expect
      .poll(() => call("get_trade_history"), { timeout: 15_000, interval: 500 })
      .toMatchObject({ trades: [{ side: "buy", symbol: "BTC/KRW" }] });
    const portfolio = await call("get_portfolio");
    expect(portfolio).toMatchObject({ assets: expect.arrayContaining([expect.objectContaining({ asset: "BTC" })]) });
    await close();
  });

  it("is found by a command beside the server, and after it by the next one, with its orders", async () => {
    const home = freshHome();
    settings(home, "coinone");
    const { call, close } = await served(home);
    expect(await call("place_order", { ...RESTING, userref: "stays" })).toMatchObject({ outcome: "accepted" });
    const open = async () =>
      oneLine<{ orders: readonly { userref: string }[] }>(
        await run(["call", "get_open_orders", "{}", "--json"], { home }),
      ).orders;
    expect(await open()).toMatchObject([{ userref: "stays" }]);
    expect((await run(["doctor"], { home })).stdout).toMatch(/Coinone at the exchange that hoga carries/);
    await close();
    expect(await open()).toMatchObject([{ userref: "stays" }]);
  });

  it("is refused by name where the directory has the paper exchange of another, and goes on where that is named or moved away", async () => {
    const home = freshHome();
    const look = () => run(["call", "get_balances", "{}", "--json"], { home });
    expect((await look()).code).toBe(0);
    settings(home, "korbit");
    const refused = await look();
    expect(refused.code).not.toBe(0);
    expect(`${refused.stdout}${refused.stderr}`).toMatch(
      /is hoga, with its accounts and orders, and korbit is asked for/,
    );
    expect(`${refused.stdout}${refused.stderr}`).toMatch(
      /exchange = \\?"hoga\\?" in \[profiles\.paper\].*move .*sandbox away/,
    );
    settings(home, "hoga");
    expect((await look()).code).toBe(0);
    // As a version before this one has left it.
    rmSync(join(home, "sandbox/speaks.json"));
    settings(home, "korbit");
    expect((await look()).code).not.toBe(0);
    rmSync(join(home, "sandbox"), { recursive: true });
    expect((await look()).code).toBe(0);
    settings(home, "upbit");
    expect(`${(await look()).stderr}${(await look()).stdout}`).toMatch(
      /is korbit, with its accounts and orders, and upbit is asked for/,
    );
    expect(existsSync(join(home, "sandbox-upbit"))).toBe(false);
  });

  it("has no key, as the exchange that hoga carries hands out its own", async () => {
    const home = freshHome();
    settings(home, 'upbit"\nkey = "k"\nsecret = "s');
    const refused = await run(["call", "get_balances", "{}", "--json"], { home });
    expect(`${refused.stdout}${refused.stderr}`).toContain("the embedded exchange hands out its own key");
  });
});
