/** The tool over a real client, against a real exchange over either API. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { PortfolioAsset, PortfolioView } from "../../src/desk/index.ts";
import { createMcpServer } from "../../src/mcp/index.ts";
import { drawPortfolio } from "../../src/mcp/pictures/portfolio-chart.ts";
import { wordsFor } from "../../src/words/index.ts";
import { apply, coinsOf, endow, expectedAssets, trade, tradeAtRandom } from "../desk/portfolio/trading.ts";
import { ONE, openWorld, type World } from "../fixture/desk-over-sandbox.ts";
import { connect, ERAS, type TestClient } from "./client.ts";

describe.each(["open", "trading"] as const)("get_portfolio over the %s API", (api) => {
  let world: World;
  let client: TestClient;
  beforeEach(async () => {
    world = await openWorld({ totalMs: 20_000 });
    endow(world);
    const { desk } = await world.seat({ patient: true, api });
    client = await connect(ERAS[0], createMcpServer({ desk, version: "0.0.0" }));
    await client.listTools();
  });
  afterEach(async () => {
    await client.close();
    await world.close();
  });

  const look = async (args: object = {}) => {
    const { structured, text, isError } = await client.call("get_portfolio", args);
    return { view: structured as unknown as PortfolioView, structured, text, isError };
  };

  it("shows what an independent computation shows, by both methods", async () => {
    let state = 11;
    const next = () => {
      state = (state * 48_271) % 2_147_483_647;
      return state / 2_147_483_647;
    };
    tradeAtRandom(world, next, 1_200, Date.now());
    for (const method of ["average", "fifo"] as const) {
      const { view } = await look({ method });
      expect(coinsOf(view)).toEqual(expectedAssets(world, method));
      expect(view).toMatchObject({ method, environment: "sandbox", account: "paper", unit: "KRW" });
    }
  });

  it("says in its text all that the structured result has of each asset, and the totals", async () => {
    const { accountId } = world.sandbox;
    trade(world, { coin: "BTC", side: "buy", price: 100_000_000n * ONE, volume: ONE / 10n });
    trade(world, { coin: "BTC", side: "sell", price: 110_000_000n * ONE, volume: ONE / 20n });
    apply(world, { type: "deposit", accountId, asset: "ETH", amount: 2n * ONE });
    const { view, text } = await look({ period: "today" });
    const bare = text.replaceAll(",", "");
    const figures = (line: PortfolioAsset) => Object.values(line).filter((value) => value !== null && value !== "0");
    for (const line of view.assets) {
      if (line.asset === "KRW") continue;
      const shown = bare
        .split("\n")
        .filter((row) => row.startsWith(`- ${line.asset}:`))
        .join();
      for (const figure of figures(line)) expect(shown).toContain(String(figure).replace(/^-/, ""));
    }
    for (const total of Object.values(view.totals)) expect(bare).toContain(total.replace(/^-/, ""));
    expect(text).toContain("ETH has no price in KRW");
    expect(view.assets.find(({ asset }) => asset === "ETH")).toMatchObject({ uncosted_volume: "2", value: null });
  });

  it("draws equity and allocation, and lists the days", async () => {
    trade(world, { coin: "BTC", side: "buy", price: 100_000_000n * ONE, volume: ONE / 10n });
    const raw = (await client.raw.callTool({ name: "get_portfolio", arguments: { chart: true, period: "7d" } })) as {
      readonly content: readonly { readonly type: string; readonly data?: string; readonly text?: string }[];
    };
    const png = Buffer.from(raw.content.find(({ type }) => type === "image")?.data ?? "", "base64");
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([900, 500]);
    const today = new Date().toISOString().slice(0, 10);
    expect(raw.content[0]?.text).toMatch(new RegExp(`Equity at the end of each day of UTC: .*${today} ₩`));
  });

  it.each([
    [{ period: "7d", from: "2026-01-01" }, "send period, or from and to"],
    [{ from: "2126-01-01" }, "from is after to, or after now"],
    [{ period: "1w" }, "today"],
    [{ method: "lifo" }, "fifo"],
  ])("refuses %j and says what would do", async (args, words) => {
    const { text, isError } = await look(args);
    expect(isError).toBe(true);
    expect(text).toContain(words);
  });
});

describe("the picture of a portfolio", () => {
  const line = (asset: string, value: string | null): PortfolioAsset => {
    const none = { average_price: null, average_cost: null, unrealized: null, unrealized_pct: null };
    return {
      asset,
      volume: "1",
      available: "1",
      ...none,
      value,
      realized: "0",
      fees: "0",
      uncosted_volume: "1",
    };
  };
  const totals = { value: "1000", cost: "0", unrealized: "0", realized: "0", fees: "0" };
  const equityOf = (days: number) =>
    Array.from({ length: days }, (_, day) => ({
      date: `day ${day}`,
      value: String(1_000 + Math.round(50 * Math.sin(day / 20))),
    }));

  it.each([
    [0, 0],
    [1, 1],
    [30, 4],
    [500, 20],
  ])("can show %i days and %i assets", async (days, assets) => {
    const lines = Array.from({ length: assets }, (_, at) => line(`COIN${at}`, at === 1 ? null : String(at + 1)));
    const { png, labeled } = drawPortfolio({
      environment: "sandbox" as const,
      words: wordsFor(),
      portfolio: { assets: lines, totals, equity: equityOf(days), unit: "KRW" },
    });
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([900, 500]);
    expect(png.length).toBeLessThan(60_000);
    expect(labeled).toBe(true);
  });
});
