import { describe, expect, it } from "vitest";
import type { Played, Shape } from "./scripted-market.ts";
import { play, START, SYMBOL } from "./scripted-market.ts";

const watch = (script: Shape["script"], more: Partial<Shape> = {}): Promise<Played> =>
  play({ title: "", script, ...more }, "down");
const since = (samples: Played["samples"]) => samples.map(({ atMs }) => atMs - START);
const stateAt = (played: Played, atMs: number) => played.states.findLast((state) => state.atMs <= atMs)?.market;

describe("a watched market", () => {
  it("has a sample at every change, and at least two a second while nothing changes", async () => {
    const { samples } = await watch(
      [
        [1_000, "bid 103"],
        [1_200, "stall"],
        [5_000, "resume"],
      ],
      { untilMs: 6_000 },
    );
    const times = since(samples);
    expect(times).toContain(1_000);
    const apart = times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0));
    expect(Math.max(...apart)).toBeLessThanOrEqual(500);
    expect(samples.slice(1).every(({ follows }) => follows)).toBe(true);
  });

  it("is as others make it: without own orders in the book, and without own trades", async () => {
    const { samples } = await watch(
      [
        [1_000, "own-quote 99"],
        [1_500, "own-print 103"],
        [2_000, "bid 97"],
      ],
      { untilMs: 3_000 },
    );
    const last = samples.at(-1);
    expect([last?.bid, last?.ask, last?.print?.price].map(String)).toEqual(["97", "105", "104"]);
    expect(last?.print?.atMs).toBe(START);
  });

  it("is asked for every two seconds where there is no stream, and what was before the change does not count", async () => {
    const { samples } = await watch([[1_000, "drop"]], { untilMs: 9_500 });
    const asked = samples.slice(samples.findLastIndex(({ follows }) => !follows));
    expect(since(asked).map((ms) => Math.round(ms / 1_000))).toEqual([1, 3, 5, 7, 9]);
  });

  it("is judged when a price has stood for two seconds, as the exchange is asked to speak then, and not when it happens to", async () => {
    const script: Shape["script"] = [
      [1_000, "bid 98; ask 99; print 98.5"],
      [1_000, "quiet"],
    ];
    const { triggered } = await watch(script, { untilMs: 4_500 });
    const tookMs = (triggered.get("ours") ?? Number.NaN) - 1_000;
    expect(tookMs).toBeGreaterThanOrEqual(2_000);
    expect(tookMs).toBeLessThanOrEqual(2_200);
  });

  it("is judged by no answer that was asked for before the two seconds were over, however late it comes", async () => {
    const { triggered } = await watch(
      [
        [1_000, "bid 98; ask 99; print 98.5"],
        [2_500, "stall"],
        [4_000, "bid 104; ask 105; print 104.5"],
      ],
      { untilMs: 8_500 },
    );
    expect([...triggered.keys()]).not.toContain("ours");
  });

  it("is asked for where the stream is silent for longer than its heartbeats are apart", async () => {
    const { samples } = await watch(
      [
        [1_000, "stall"],
        [2_000, "bid 90; ask 91; print 90.5"],
      ],
      { untilMs: 8_500 },
    );
    const seen = samples.find(({ bid }) => bid?.toString() === "90");
    expect((seen?.atMs ?? 0) - START).toBeGreaterThan(6_900);
    expect(seen?.follows).toBe(false);
  });

  it("is not watched after fifteen seconds without a good sample, which is told with what its price was meanwhile", async () => {
    const played = await watch(
      [
        [1_000, "drop; exchange-down"],
        [40_000, "exchange-up; back"],
      ],
      { untilMs: 42_000 },
    );
    expect(stateAt(played, 900)?.sinceMs).toBe(START);
    expect(stateAt(played, 15_800)?.gap).toBeUndefined();
    expect(stateAt(played, 16_800)).toMatchObject({ sample: undefined, sinceMs: undefined, gap: { why: "no stream" } });
    expect(stateAt(played, 41_000)?.gap).toBeUndefined();
    expect(stateAt(played, 41_000)?.sinceMs).toBeGreaterThanOrEqual(START + 40_000);
    const fromMs = expect.toSatisfy((ms: number) => ms >= START + 900 && ms <= START + 1_000);
    const toMs = expect.toSatisfy((ms: number) => ms >= START + 40_000 && ms <= START + 40_600);
    expect(played.gaps).toEqual([
      { symbol: SYMBOL, why: "no stream", fromMs },
      { symbol: SYMBOL, why: "no stream", fromMs, toMs, low: "99", high: "106" },
    ]);
  });

  it("is not watched while it is not known which orders are the account's own", async () => {
    const { samples, gaps } = await watch([[1_000, "own-orders 1000"]], { untilMs: 20_000 });
    expect(Math.max(...since(samples))).toBeLessThanOrEqual(2_500);
    expect(gaps).toMatchObject([{ why: "no stream" }]);
  });

  it("is not watched by own orders that are older than a second, where the store does not answer", async () => {
    const { samples, gaps } = await watch([[1_000, "store-hangs"]], { untilMs: 20_000 });
    expect(Math.max(...since(samples))).toBeGreaterThanOrEqual(1_000);
    expect(Math.max(...since(samples))).toBeLessThanOrEqual(2_000);
    expect(gaps).toMatchObject([{ why: "no stream" }]);
  });

  it("is told to have a side that nobody else is on, since when", async () => {
    const played = await watch(
      [
        [1_000, "ask none"],
        [20_000, "ask 105"],
      ],
      { untilMs: 21_000 },
    );
    expect(stateAt(played, 900)?.oneSidedSinceMs).toBeUndefined();
    expect(stateAt(played, 19_000)?.oneSidedSinceMs).toBe(START + 1_000);
    expect(stateAt(played, 20_900)?.oneSidedSinceMs).toBeUndefined();
  });
});

describe("an exchange's clock that is more than a minute from ours", () => {
  const script: Shape["script"] = [
    [1_000, "clock 61000"],
    [1_000, "bid 97; ask 99; print 98"],
    [5_000, "clock -61000"],
    [5_000, "print 98"],
  ];

  it("lets nothing be due for real money, which is told as a gap", async () => {
    const played = await watch(script, { forRealMoney: true, untilMs: 9_000 });
    expect(played.samples.filter(({ atMs }) => atMs - START > 60_000)).toEqual([]);
    expect(played.states.find(({ atMs }) => atMs === 3_000)).toMatchObject({
      exchangeNowMs: undefined,
      market: { sample: undefined, gap: { why: "clock" } },
    });
    expect(played.gaps.map(({ why, toMs }) => [why, toMs !== undefined])).toEqual([
      ["clock", false],
      ["clock", true],
    ]);
    expect(played.triggered.get("ours")).toBeGreaterThanOrEqual(7_000);
  });

  it("is followed where no real money is traded", async () => {
    const played = await watch(script, { untilMs: 5_000 });
    expect(played.gaps).toEqual([]);
    expect(played.states.find(({ atMs }) => atMs === 3_000)?.exchangeNowMs).toBe(START + 64_000);
    expect(played.triggered.get("ours")).toBeLessThanOrEqual(3_500);
  });

  it("is nothing to the samples where it is ours that was set", async () => {
    const { samples } = await watch(
      [
        [1_000, "our-clock 3600000"],
        [3_000, "our-clock -7200000"],
      ],
      { untilMs: 5_000 },
    );
    expect(samples.slice(1).every(({ follows }) => follows)).toBe(true);
    expect(Math.max(...since(samples))).toBeLessThanOrEqual(5_000);
  });
});
