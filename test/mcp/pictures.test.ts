/** The line before the thread that draws: who waits, who is told to come again, and what is drawn once for many. */
import { describe, expect, it } from "vitest";
import { ok } from "../../src/contract/index.ts";
import type { Desk } from "../../src/desk/index.ts";
import { createMcpServer, Pictures } from "../../src/mcp/index.ts";
import type { PictureRequest } from "../../src/mcp/pictures/picture-request.ts";
import type { PicturePlace } from "../../src/mcp/pictures/pictures.ts";
import { connect, ERAS } from "./client.ts";

/** A painter whose pictures are finished by hand. */
class Slow {
  readonly begun: string[] = [];
  isClosed = false;
  #finish: (() => void) | undefined;
  #fail: ((why: Error) => void) | undefined;

  draw({ of }: PictureRequest) {
    this.begun.push("symbol" in of ? of.symbol : "");
    return new Promise<{ png: Buffer; labeled: boolean }>((resolve, reject) => {
      this.#finish = () => resolve({ png: Buffer.from(this.begun.at(-1) ?? ""), labeled: true });
      this.#fail = reject;
    });
  }

  close(): void {
    this.isClosed = true;
  }

  async finish(): Promise<void> {
    this.#finish?.();
    await settled();
  }

  async fail(): Promise<void> {
    this.#fail?.(new Error("broken"));
    await settled();
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const never = new AbortController().signal;

const picture = (symbol: string): PictureRequest => ({
  kind: "candles",
  reader: { locale: "en", timeZone: "UTC" },
  of: { symbol, interval: "1h", environment: "sandbox", candles: [] },
});

function lineOf(now: () => number = () => 0) {
  const painter = new Slow();
  const pictures = new Pictures(() => painter, now);
  const enter = (caller: string): PicturePlace => {
    const place = pictures.enter(caller);
    if ("retryAfterMs" in place) throw new Error("crowded");
    return place;
  };
  return { painter, pictures, enter };
}

describe("the line of pictures", () => {
  it("draws one at a time, and lets callers take turns", async () => {
    const { painter, enter } = lineOf();
    for (const [caller, symbol] of ["a1", "a2", "a3", "b1", "b2"].map((name) => [name.slice(0, 1), name] as const))
      void enter(caller).draw(picture(symbol), never);
    await settled();
    expect(painter.begun).toEqual(["a1"]);
    for (let n = 0; n < 5; n++) await painter.finish();
    expect(painter.begun).toEqual(["a1", "a2", "b1", "a3", "b2"]);
  });

  it("has three places for a caller, and says to the fourth when to come again, before anything is read for it", async () => {
    const { painter, pictures, enter } = lineOf();
    const places = [enter("a"), enter("a"), enter("a")];
    expect(pictures.enter("a")).toEqual({ retryAfterMs: expect.any(Number) });
    expect(pictures.enter("b")).toHaveProperty("draw");
    const [first] = places;
    const drawn = first?.draw(picture("x"), never);
    await settled();
    await painter.finish();
    await drawn;
    expect(pictures.enter("a")).toHaveProperty("retryAfterMs");
    first?.leave();
    first?.leave();
    expect(pictures.enter("a")).toHaveProperty("draw");
    expect(pictures.enter("a")).toHaveProperty("retryAfterMs");
  });

  it("keeps a picture for a second, and draws it once for all who want it meanwhile", async () => {
    let nowMs = 0;
    const { painter, enter } = lineOf(() => nowMs);
    const wanted = [enter("a").draw(picture("x"), never), enter("b").draw(picture("x"), never)];
    await settled();
    await painter.finish();
    nowMs = 999;
    wanted.push(enter("c").draw(picture("x"), never));
    expect((await Promise.all(wanted)).map(({ png }) => png.toString())).toEqual(["x", "x", "x"]);
    expect(painter.begun).toEqual(["x"]);
    nowMs = 1_000;
    void enter("d").draw(picture("x"), never);
    await settled();
    expect(painter.begun).toEqual(["x", "x"]);
  });

  it("does not keep one that failed, and goes on with the next", async () => {
    const { painter, enter } = lineOf();
    const failed = enter("a").draw(picture("x"), never);
    const next = enter("a").draw(picture("y"), never);
    await settled();
    await Promise.all([expect(failed).rejects.toThrow("broken"), painter.fail()]);
    await painter.finish();
    expect((await next).png.toString()).toBe("y");
    void enter("b").draw(picture("x"), never);
    await settled();
    expect(painter.begun).toEqual(["x", "y", "x"]);
  });

  it("draws nothing that nobody waits for, and what one of two still waits for", async () => {
    const { painter, enter } = lineOf();
    const [gone, stays] = [new AbortController(), new AbortController()];
    void enter("a").draw(picture("x"), never);
    await settled();
    const dropped = enter("a").draw(picture("y"), gone.signal);
    const kept = [enter("b").draw(picture("z"), gone.signal), enter("c").draw(picture("z"), stays.signal)];
    gone.abort();
    await Promise.all([expect(dropped).rejects.toThrow("nobody waits"), painter.finish()]);
    await painter.finish();
    await Promise.all(kept);
    expect(painter.begun).toEqual(["x", "z"]);
  });

  it("ends what waits when it is closed, and takes nothing more", async () => {
    const { painter, pictures, enter } = lineOf();
    void enter("a").draw(picture("x"), never);
    await settled();
    const waiting = enter("a").draw(picture("y"), never);
    pictures.close();
    await expect(waiting).rejects.toThrow("the server stops");
    await settled();
    expect(painter.isClosed).toBe(true);
    await expect(enter("b").draw(picture("z"), never)).rejects.toThrow("the server stops");
  });
});

it.each(ERAS)("a client of %s is told when to come again, and still gets the same without a picture", async (era) => {
  const painter = new Slow();
  const pictures = new Pictures(() => painter);
  const candle = { time: "2026-07-20T00:00:00.000Z", open: "10", high: "12", low: "9", close: "11", volume: "1" };
  const desk = {
    environment: "sandbox",
    market: async (symbol: string) => ok({ symbol }),
    candles: async () => ok([candle]),
  } as unknown as Desk;
  const client = await connect(era, createMcpServer({ desk, pictures, version: "0.0.0" }));
  const ask = (asset: string, chart = true) =>
    client.call("get_candles", { symbol: `${asset}/KRW`, interval: "1h", chart });
  const waiting = ["BTC", "ETH", "XRP"].map((asset) => ask(asset));
  await expect.poll(() => painter.begun).toEqual(["BTC/KRW"]);
  const { isError, text, structured } = await ask("SOL");
  expect(isError).toBe(true);
  expect(structured).toMatchObject({
    error: { code: "ELocal:Busy", retryable: true, retry_after_ms: expect.any(Number) },
  });
  expect(text).toMatch(/Wait \d+ ms/);
  expect((await ask("SOL", false)).isError).toBe(false);
  pictures.close();
  await painter.finish();
  for (const { isError: hasFailed } of await Promise.all(waiting)) expect(hasFailed).toBe(false);
  await client.close();
});
