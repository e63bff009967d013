import { renderAsync } from "@resvg/resvg-js";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createMcpServer } from "../../src/mcp/index.ts";
import { type BookPicture, drawBook } from "../../src/mcp/pictures/book-chart.ts";
import { wordsFor } from "../../src/words/index.ts";
import { type ExchangeFixture, startExchange } from "../fixture/exchange.ts";
import { connect, ERAS } from "./client.ts";

/** Prices a side, one further from the middle than the other. */
const levels = (count: number, step: number): [string, string][] =>
  Array.from({ length: count }, (_, row) => [`${95_000_000 + step * (row + 1)}`, `0.${row + 1}`]);

const bookOf = (buys: number, asks: number): BookPicture["book"] => ({
  symbol: "BTC/KRW",
  time: "2026-07-20T09:00:00.000Z",
  mid: buys * asks === 0 ? null : "95000000",
  spread: buys * asks === 0 ? null : "2000",
  tick: { buys: levels(buys, -1_000), asks: levels(asks, 1_000) },
});

const english = wordsFor();
const korean = wordsFor({ locale: "ko", timeZone: "Asia/Seoul" });

/** In which rows of pixels each colour is, as bars are drawn: seen through by a quarter. */
async function rowsOf(png: Buffer, colors: readonly string[]): Promise<readonly { first: number; count: number }[]> {
  const href = `data:image/png;base64,${png.toString("base64")}`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="900" height="500"><image width="900" height="500" href="${href}"/></svg>`;
  const { pixels } = await renderAsync(svg, { font: { loadSystemFonts: false } });
  const words = new Uint32Array(pixels.buffer, pixels.byteOffset, pixels.length / 4);
  return colors.map((color) => {
    const wanted = Buffer.from(`${color}ff`, "hex").readUInt32LE();
    const rows = new Set<number>();
    for (const [at, word] of words.entries()) if (word === wanted) rows.add(Math.floor(at / 900));
    return { first: Math.min(...rows), count: rows.size };
  });
}

/** On white. */
const faint = (color: string): string =>
  [0, 2, 4]
    .map((at) => Math.round(255 - 0.75 * (255 - Number.parseInt(color.slice(at, at + 2), 16))))
    .map((channel) => channel.toString(16).padStart(2, "0"))
    .join("");

const draw = (book: BookPicture["book"], words = english, environment: "sandbox" | "live" = "sandbox") =>
  drawBook({ book, environment, words });

describe("the picture of an order book", () => {
  it("has asks above bids, red and blue for who reads Korean, green and red for the rest", async () => {
    const [blue, red, green, pink] = ["1261c4", "d24f45", "16a37f", "e5484d"].map(faint) as [
      string,
      string,
      string,
      string,
    ];
    const seen = await rowsOf(draw(bookOf(9, 9)).png, [pink, green, blue, red]);
    const inKorean = await rowsOf(draw(bookOf(9, 9), korean).png, [blue, red, pink, green]);
    for (const [asks, bids, ...others] of [seen, inKorean]) {
      expect(asks?.count).toBeGreaterThan(100);
      expect(bids?.first).toBeGreaterThan(asks?.first ?? 0);
      expect(others.map(({ count }) => count)).toEqual([0, 0]);
    }
  });

  it.each([
    [0, 0],
    [0, 3],
    [1, 0],
    [500, 500],
  ])("can show %i bids and %i asks", async (buys, asks) => {
    const { png, labeled } = draw(bookOf(buys, asks));
    expect([png.readUInt32BE(16), png.readUInt32BE(20), labeled]).toEqual([900, 500, true]);
    expect(png.length).toBeLessThan(100_000);
  });

  it("shows which money is at stake, and is labeled in English where no font has Korean letters", async () => {
    const { png } = draw(bookOf(5, 5));
    expect(draw(bookOf(5, 5), english, "live").png.equals(png)).toBe(false);
    const bare = drawBook({ book: bookOf(5, 5), environment: "sandbox", words: korean }, false);
    expect(bare).toMatchObject({ labeled: false, isTranslated: true });
  });
});

describe("get_orderbook with a picture", () => {
  let exchange: ExchangeFixture;
  beforeAll(async () => {
    exchange = await startExchange({ marketMaker: true });
  });
  afterAll(() => exchange.close());

  it.each(ERAS)(
    "says for a %s client all that it says without, and adds an image where one is asked for",
    async (era) => {
      const client = await connect(era, createMcpServer({ desk: exchange.desk, version: "0.0.0" }));
      const blocksOf = async (args: object) => {
        const result: unknown = await client.raw.callTool({
          name: "get_orderbook",
          arguments: { symbol: "BTC/KRW", ...args },
        });
        return (result as { content: readonly { type: string; text?: string; mimeType?: string }[] }).content;
      };
      // The others trade meanwhile, and quote anew what was taken.
      const [, image] = await vi.waitFor(
        async () => {
          const blocks = await blocksOf({ chart: true });
          expect(blocks[0]?.text).toMatch(/BTC\/KRW: bid ₩.*\nBids \(5 of 15\): ₩/);
          return blocks;
        },
        { timeout: 10_000, interval: 250 },
      );
      expect(image).toMatchObject({ type: "image", mimeType: "image/png" });
      expect((await blocksOf({})).map(({ type }) => type)).toEqual(["text"]);
      await client.close();
    },
  );
});
