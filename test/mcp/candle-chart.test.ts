import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { type Candle, ok } from "../../src/contract/index.ts";
import type { Desk } from "../../src/desk/index.ts";
import { drawCandles } from "../../src/mcp/candle-chart.ts";
import { createMcpServer } from "../../src/mcp/index.ts";
import { type ExchangeFixture, startExchange } from "../fixture/exchange.ts";
import { connect, ERAS, type TestClient } from "./client.ts";

const TYPICAL_BYTES_MAX = 60_000;

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly data?: string;
  readonly mimeType?: string;
}

/** Prices that wander up and down, `count` hours long. */
function wandering(count: number): Candle[] {
  return Array.from({ length: count }, (_, hour) => {
    const open = 95_000_000 + ((hour * 7_919) % 40) * 10_000;
    const close = 95_000_000 + (((hour + 1) * 7_919) % 40) * 10_000;
    return {
      time: new Date(Date.UTC(2026, 6, 20, hour)).toISOString(),
      open: `${open}`,
      high: `${Math.max(open, close) + 50_000}`,
      low: `${Math.min(open, close) - 50_000}`,
      close: `${close}`,
      volume: `${(hour % 7) + 1}.5`,
      quote_volume: "0",
    };
  });
}

const picture = { symbol: "BTC/KRW", interval: "1h", badge: "[sandbox]" };

function sizeOf(png: Buffer): { width: number; height: number } {
  expect(png.subarray(0, 8).toString("latin1")).toBe("\x89PNG\r\n\x1a\n");
  expect(png.subarray(12, 16).toString("latin1")).toBe("IHDR");
  return { width: png.readUInt32BE(16), height: png.readUInt32BE(20) };
}

async function blocksOf(client: TestClient, args: Record<string, unknown>): Promise<readonly Block[]> {
  const result: unknown = await client.raw.callTool({ name: "get_candles", arguments: args });
  return (result as { content: readonly Block[] }).content;
}

describe("the picture of candles", () => {
  it("is a small PNG of 900 by 500 pixels", async () => {
    const { png, labeled } = await drawCandles({ ...picture, candles: wandering(50) });
    expect(sizeOf(png)).toEqual({ width: 900, height: 500 });
    expect(png.length).toBeLessThan(TYPICAL_BYTES_MAX);
    expect(labeled).toBe(true);
  });

  it.each([1, 500])("can show %i candles", async (count) => {
    const { png } = await drawCandles({ ...picture, candles: wandering(count) });
    expect(sizeOf(png)).toEqual({ width: 900, height: 500 });
  });

  it("shows which money is at stake, and the interval", async () => {
    const candles = wandering(20);
    const { png } = await drawCandles({ ...picture, candles });
    const same = await drawCandles({ ...picture, candles });
    const live = await drawCandles({ ...picture, candles, badge: "[LIVE]" });
    const daily = await drawCandles({ ...picture, candles, interval: "1d" });
    expect(same.png.equals(png)).toBe(true);
    expect([live.png.equals(png), daily.png.equals(png)]).toEqual([false, false]);
  });

  it("draws the candles without a font too, and says that text is missing", async () => {
    const { png, labeled } = await drawCandles({ ...picture, candles: wandering(50) }, false);
    expect(sizeOf(png)).toEqual({ width: 900, height: 500 });
    expect(labeled).toBe(false);
  });
});

describe.each(ERAS)("get_candles for a %s client", (era) => {
  let exchange: ExchangeFixture;
  let client: TestClient;

  beforeAll(async () => {
    exchange = await startExchange({ marketMaker: true });
    client = await connect(era, createMcpServer({ desk: exchange.desk, version: "0.0.0" }));
    const order = { symbol: "BTC/KRW", side: "buy", type: "market", quote_amount: "100000", userref: "first-trade" };
    expect((await client.call("place_order", order)).structured).toMatchObject({ state: "filled" });
  });

  afterAll(async () => {
    await client.close();
    await exchange.close();
  });

  const args = { symbol: "BTC/KRW", interval: "1m" };

  it("adds an image of the candles after the text when asked", async () => {
    const [text, image, ...more] = await blocksOf(client, { ...args, chart: true });
    expect(text?.text).toMatch(/BTC\/KRW, [1-9]\d* candles of 1m:\n- /);
    expect(image).toMatchObject({ type: "image", mimeType: "image/png" });
    expect(sizeOf(Buffer.from(image?.data ?? "", "base64"))).toEqual({ width: 900, height: 500 });
    expect(more).toEqual([]);
  });

  it("keeps the structured content free of the image", async () => {
    const { structured } = await client.call("get_candles", { ...args, chart: true });
    expect(Object.keys(structured).sort()).toEqual(["candles", "environment", "interval", "symbol"]);
  });

  it.each([undefined, false])("sends text only for chart: %s", async (chart) => {
    const blocks = await blocksOf(client, { ...args, ...(chart === undefined ? {} : { chart }) });
    expect(blocks.map(({ type }) => type)).toEqual(["text"]);
  });
});

describe("a chart that cannot be drawn", () => {
  afterEach(() => {
    vi.doUnmock("../../src/mcp/candle-chart.ts");
    vi.resetModules();
  });

  async function askedOf(candles: readonly Candle[]): Promise<readonly Block[]> {
    const desk = {
      environment: "sandbox",
      market: async () => ok({ symbol: "BTC/KRW" }),
      candles: async () => ok(candles),
    } as unknown as Desk;
    const client = await connect(ERAS[0], createMcpServer({ desk, version: "0.0.0" }));
    const blocks = await blocksOf(client, { symbol: "BTC/KRW", interval: "1h", chart: true });
    await client.close();
    return blocks;
  }

  it("is no image when there are no candles", async () => {
    expect(await askedOf([])).toMatchObject([{ type: "text", text: expect.stringContaining("0 candles of 1h") }]);
  });

  it("leaves the candles as text where the drawing library does not load", async () => {
    vi.doMock("../../src/mcp/candle-chart.ts", () => {
      throw new Error("no addon for this platform");
    });
    const [text, ...more] = await askedOf(wandering(2));
    expect(text?.text).toContain("- 2026-07-20T01:00Z open");
    expect(text?.text).toContain("No image: this machine cannot load the drawing library.");
    expect(more).toEqual([]);
  });
});
