import { renderAsync } from "@resvg/resvg-js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Candle, ok } from "../../src/contract/index.ts";
import type { Desk } from "../../src/desk/index.ts";
import { createMcpServer, Pictures } from "../../src/mcp/index.ts";
import { drawCandles } from "../../src/mcp/pictures/candle-chart.ts";
import { PictureThread } from "../../src/mcp/pictures/picture-thread.ts";
import { wordsFor } from "../../src/words/index.ts";
import { type ExchangeFixture, startExchange } from "../fixture/exchange.ts";
import { connect, ERAS, type TestClient } from "./client.ts";

const TYPICAL_BYTES_MAX = 60_000;
/** To read every font of a machine takes longer than a picture. */
const WITHOUT_FONTS = { font: { loadSystemFonts: false } };

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

const picture = { symbol: "BTC/KRW", interval: "1h", environment: "sandbox", words: wordsFor() } as const;
const korean = wordsFor({ locale: "ko", timeZone: "Asia/Seoul" });

/** How many pixels of a picture have each colour. */
async function pixelsOf(png: Buffer, colors: readonly string[]): Promise<readonly number[]> {
  const href = `data:image/png;base64,${png.toString("base64")}`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="900" height="500"><image width="900" height="500" href="${href}"/></svg>`;
  const { pixels } = await renderAsync(svg, WITHOUT_FONTS);
  const words = new Uint32Array(pixels.buffer, pixels.byteOffset, pixels.length / 4);
  return colors.map((color) => {
    const wanted = Buffer.from(`${color}ff`, "hex").readUInt32LE();
    return words.reduce((found, word) => (word === wanted ? found + 1 : found), 0);
  });
}

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
    const { png, labeled } = drawCandles({ ...picture, candles: wandering(50) });
    expect(sizeOf(png)).toEqual({ width: 900, height: 500 });
    expect(png.length).toBeLessThan(TYPICAL_BYTES_MAX);
    expect(labeled).toBe(true);
  });

  it.each([1, 500])("can show %i candles", async (count) => {
    const { png } = drawCandles({ ...picture, candles: wandering(count) });
    expect(sizeOf(png)).toEqual({ width: 900, height: 500 });
  });

  it("shows which money is at stake, and the interval", async () => {
    const candles = wandering(20);
    const { png } = drawCandles({ ...picture, candles });
    const same = drawCandles({ ...picture, candles });
    const live = drawCandles({ ...picture, candles, environment: "live" });
    const daily = drawCandles({ ...picture, candles, interval: "1d" });
    expect(same.png.equals(png)).toBe(true);
    expect([live.png.equals(png), daily.png.equals(png)]).toEqual([false, false]);
  });

  it("is red and blue for who reads Korean, and green and red for the rest", async () => {
    const candles = wandering(20);
    const colorsOf = (png: Buffer) => pixelsOf(png, ["d24f45", "1261c4", "16a37f", "e5484d"]);
    const english = await colorsOf(drawCandles({ ...picture, candles }).png);
    const inKorean = await colorsOf(drawCandles({ ...picture, candles, words: korean }).png);
    expect(english.map((count) => count > 500)).toEqual([false, false, true, true]);
    expect(inKorean.map((count) => count > 500)).toEqual([true, true, false, false]);
    // What rises is the same in both.
    expect(inKorean[0]).toBe(english[2]);
    const rising = candles.filter(({ open, close }) => Number(close) >= Number(open));
    const up = await colorsOf(drawCandles({ ...picture, candles: rising, words: korean }).png);
    expect(up.map((count) => count > 500)).toEqual([true, false, false, false]);
  });

  it("says so where no font has Korean letters, and is labeled in English then", async () => {
    const candles = wandering(20);
    const { isTranslated } = drawCandles({ ...picture, candles, words: korean }, false);
    expect(isTranslated).toBe(true);
    expect(drawCandles({ ...picture, candles }, false).isTranslated).toBe(false);
  });

  it("shows local times", async () => {
    const candles = wandering(20);
    const seoul = drawCandles({ ...picture, candles, words: wordsFor({ locale: "en", timeZone: "Asia/Seoul" }) });
    expect(seoul.png.equals(drawCandles({ ...picture, candles }).png)).toBe(false);
  });

  it("draws the candles without a font too, and says that text is missing", async () => {
    const { png, labeled } = drawCandles({ ...picture, candles: wandering(50) }, false);
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

  it("sends an image of the candles and one line of figures when asked, and no rows", async () => {
    const [text, image, ...more] = await blocksOf(client, { ...args, chart: true });
    const figures = /open ₩[\d,]+, high ₩[\d,]+, low ₩[\d,]+, last ₩[\d,]+, change [+-][\d.]+%\.$/m;
    expect(text?.text).toMatch(/BTC\/KRW, (the newest )?[1-9]\d* candles of 1m from 2\d{3}-/);
    expect(text?.text).toMatch(figures);
    expect(text?.text).not.toContain("\n- ");
    expect(image).toMatchObject({ type: "image", mimeType: "image/png" });
    expect(sizeOf(Buffer.from(image?.data ?? "", "base64"))).toEqual({ width: 900, height: 500 });
    expect(more).toEqual([]);
  });

  it("sums up the candles in the structured content, which has neither rows nor the image then", async () => {
    const { candles, summary } = (await client.call("get_candles", { ...args, limit: 20 })).structured as {
      candles: readonly Candle[];
      summary: object;
    };
    const highest = candles.map(({ high }) => Number(high)).reduce((a, b) => Math.max(a, b));
    expect(summary).toMatchObject({
      ...{ count: candles.length, from: candles[0]?.time, to: candles.at(-1)?.time, open: candles[0]?.open },
      ...{ last: candles.at(-1)?.close, high: String(highest) },
    });
    const { structured } = await client.call("get_candles", { ...args, chart: true });
    expect(Object.keys(structured).sort()).toEqual(["environment", "interval", "period", "summary", "symbol"]);
  });

  it.each([undefined, false])("sends text only for chart: %s", async (chart) => {
    const blocks = await blocksOf(client, { ...args, ...(chart === undefined ? {} : { chart }) });
    expect(blocks.map(({ type }) => type)).toEqual(["text"]);
  });
});

/** What is told of a market that has these candles and no others. */
async function askedOf(
  candles: readonly Candle[],
  args: object = { chart: true },
  pictures = new Pictures(),
): Promise<readonly Block[]> {
  const desk = {
    environment: "sandbox",
    market: async () => ok({ symbol: "BTC/KRW" }),
    candles: async (_: string, __: string, { fromMs = 0, toMs = Number.POSITIVE_INFINITY } = {}) =>
      ok(candles.filter(({ time }) => Date.parse(time) >= fromMs && Date.parse(time) <= toMs)),
  } as unknown as Desk;
  const client = await connect(ERAS[0], createMcpServer({ desk, pictures, version: "0.0.0" }));
  const blocks = await blocksOf(client, { symbol: "BTC/KRW", interval: "1h", ...args });
  await client.close();
  return blocks;
}

describe("the text of candles", () => {
  const told = async (args: object): Promise<string> => (await askedOf(wandering(10), args))[0]?.text ?? "";
  const BEGINS = "There are no more: its history begins at 2026-07-20 00:00:00 UTC.";

  it("sums them up, above the rows", async () => {
    const [head, first] = (await told({ limit: 3 })).split("\n");
    expect(head).toBe(
      "[sandbox] BTC/KRW, the newest 3 candles of 1h from 2026-07-20 07:00:00 UTC to 2026-07-20 09:00:00 UTC: open ₩95,330,000, high ₩95,380,000, low ₩95,250,000, last ₩95,300,000, change -0.03%.",
    );
    expect(first).toMatch(/^- 2026-07-20 07:00 open ₩95,330,000 /);
  });

  it("says where the history begins when it has fewer than asked for, and only then", async () => {
    expect(await told({})).toContain(BEGINS);
    expect(await told({ from: "2026-07-01" })).toContain(BEGINS);
    expect(await told({ chart: true })).toContain(BEGINS);
    expect(await told({ limit: 10 })).not.toContain("history begins");
    expect(await told({ from: "2026-07-20T05:00:00Z" })).not.toContain("history begins");
  });

  it("does not take an interval without a trade for the beginning", async () => {
    const gap = wandering(10).filter(
      ({ time }) => !time.startsWith("2026-07-20T05") && !time.startsWith("2026-07-20T06"),
    );
    const [block] = await askedOf(gap, { from: "2026-07-20T05:00:00Z" });
    expect(block?.text).toContain("3 candles");
    expect(block?.text).not.toContain("history begins");
  });
});

describe("a chart that cannot be drawn", () => {
  it("is no image when there are no candles", async () => {
    expect(await askedOf([])).toMatchObject([{ type: "text", text: expect.stringContaining("0 candles of 1h") }]);
  });

  it("leaves the candles as text where the drawing library does not load", async () => {
    const file = new URL('data:text/javascript,throw new Error("no addon for this platform")');
    const pictures = new Pictures(() => new PictureThread({ file }));
    const [text, ...more] = await askedOf(wandering(2), { chart: true }, pictures);
    expect(text?.text).toContain("- 2026-07-20 01:00 open");
    expect(text?.text).toContain("No image: this machine cannot load the drawing library.");
    expect(more).toEqual([]);
  });
});
