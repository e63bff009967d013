/** What an assistant sees of the paper exchange's past. Source: decision 0077. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freshHome } from "../../fixture/data-dir.ts";
import { cleanUp } from "../../fixture/program.ts";
import { type Assistant, connect, endAssistants, type Reply } from "./assistant.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const INTERVALS = { "1m": MINUTE, "5m": 5 * MINUTE, "15m": 15 * MINUTE, "1h": HOUR, "4h": 4 * HOUR, "1d": DAY };

type Candles = NonNullable<Reply["candles"]>;
interface Opened {
  readonly home: string;
  readonly assistant: Assistant;
}

/** When live trading began in an exchange that opened now. */
const begun = (): number => Math.floor((Date.now() - HOUR / 2) / HOUR) * HOUR;

async function open(home = freshHome()): Promise<Opened> {
  const assistant = await connect({ home });
  await candles(assistant, { interval: "1d" });
  return { home, assistant };
}

async function candles(assistant: Assistant, args: object): Promise<Candles> {
  return (await assistant.call("get_candles", { symbol: "BTC/KRW", ...args })).candles ?? [];
}

/** What came before live trading, in each interval; ends where a candle of a day does. */
async function past(assistant: Assistant, end: number): Promise<readonly Candles[]> {
  const to = new Date(end - (end % DAY) - 1).toISOString();
  const asked = Object.keys(INTERVALS).map((interval) => candles(assistant, { interval, to, limit: 200 }));
  return Promise.all(asked);
}

describe("a fresh paper exchange", () => {
  let one: Opened;
  let other: Opened;
  let end: number;
  beforeAll(async () => {
    // Both of one hour, as the past ends where live trading begins.
    do {
      end = begun();
      [one, other] = [await open(), await open()];
    } while (begun() !== end);
  });
  afterAll(async () => {
    endAssistants();
    await cleanUp();
  });

  it.each(Object.entries(INTERVALS))("shows a full chart of %s", async (interval, lengthMs) => {
    const found = await candles(one.assistant, { interval, limit: 200 });
    expect(found).toHaveLength(200);
    const times = found.map(({ time }) => Date.parse(time)).filter((time) => time < end);
    expect(times).toEqual(times.map((_, index) => (times[0] ?? 0) + index * lengthMs));
    expect(new Set(found.map(({ close }) => close)).size).toBeGreaterThan(50);
    for (const [index, { open }] of found.entries())
      expect(Math.abs(Number(open) / Number(found[index - 1]?.close ?? open) - 1)).toBeLessThan(0.01);
  });

  it("has the days of more than a year", async () => {
    const found: string[] = [];
    // One answer does not hold them all.
    for (let to: string | undefined; ; ) {
      const page = await candles(one.assistant, { interval: "1d", limit: 200, ...(to !== undefined && { to }) });
      found.unshift(...page.map(({ time }) => time));
      if (page.length === 0) break;
      to = new Date(Date.parse(page[0]?.time ?? "") - 1).toISOString();
    }
    expect(found.length).toBeGreaterThanOrEqual(401);
    expect(found.map((time) => Date.parse(time))).toEqual(
      found.map((_, index) => Date.parse(found[0] ?? "") + index * DAY),
    );
  });

  it("has the same past in another process, and after a restart", async () => {
    const before = await past(one.assistant, end);
    expect(before.map(({ length }) => length)).toEqual(Object.keys(INTERVALS).map(() => 200));
    expect(await past(other.assistant, end)).toEqual(before);
    await one.assistant.close();
    const again = await open(one.home);
    expect(await past(again.assistant, end)).toEqual(before);
  });
});
