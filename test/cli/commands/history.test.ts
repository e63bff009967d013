/** The history of an account with more than a thousand trades on two local days, as people take it home. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { endow, trade } from "../../desk/portfolio/trading.ts";
import { type Ended, eventually, oneLine, quartet } from "../../fixture/command.ts";
import { readCsv } from "../../fixture/csv-reader.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { ONE, openWorld, units, type World } from "../../fixture/desk-over-sandbox.ts";
import { cleanUp, openTerminal, run, start } from "../../fixture/in-process.ts";

const SEOUL_MS = 9 * 3_600_000;
const DAY_MS = 86_400_000;
/** When yesterday began in Seoul. */
const midnightMs = Math.floor((Date.now() - DAY_MS + SEOUL_MS) / DAY_MS) * DAY_MS - SEOUL_MS;
const dayOf = (ms: number): string => new Date(ms + SEOUL_MS).toISOString().slice(0, 10);
const [dayOne, dayTwo] = [dayOf(midnightMs - 1), dayOf(midnightMs)];
const ON_DAY_ONE = 505;
const ON_DAY_TWO = 45;

let world: World;
const files = freshHome();
const env = (more: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> => ({
  ...quartet(world.proxy.url, world.sandbox.apiKey, world.sandbox.apiSecret),
  HOGA_TIMEZONE: "Asia/Seoul",
  ...more,
});
/** Each with a data directory of its own, as the rate limit is shared by all that have one. */
const hoga = (...args: readonly string[]): Promise<Ended> => run(args, { env: env() });

beforeAll(async () => {
  // The exchange's time does not go back: it begins before the first trade.
  vi.useFakeTimers({ toFake: ["Date"], now: midnightMs - DAY_MS });
  world = await openWorld({ totalMs: 20_000 });
  endow(world);
  const deal = (n: number, atMs: number): void => {
    const coin = n % 3 === 0 ? "ETH" : "BTC";
    const bought = coin === "ETH" ? 4_000_000n + BigInt(n % 7) * 1_000n : 100_000_000n + BigInt(n % 11) * 1_000n;
    // Less than was bought before is sold, for more.
    const isBuy = n % 4 < 2;
    const price = (isBuy ? bought : bought + 100_000n) * ONE;
    const volume = (ONE / 100n + BigInt(n % 13) * 10_000n) / (isBuy ? 1n : 4n);
    trade(world, { coin, side: isBuy ? "buy" : "sell", price, volume }, atMs);
  };
  for (let n = 0; n < ON_DAY_ONE; n++) deal(n, midnightMs - ON_DAY_ONE + n);
  for (let n = 0; n < ON_DAY_TWO; n++) deal(n, midnightMs + n);
  vi.useRealTimers();
}, 60_000);
afterEach(() => world.proxy.heal());
afterAll(async () => {
  await cleanUp();
  await world.close();
});

type Totals = Readonly<Record<"symbol" | "buy_volume" | "buy_value" | "sell_volume" | "sell_value", string>> & {
  readonly fees: readonly { readonly currency: string; readonly amount: string }[];
};
interface Trades {
  readonly period: { readonly from: string; readonly to: string; readonly timezone: string };
  readonly trades: readonly Readonly<Record<string, string>>[];
  readonly totals: readonly Totals[];
}
interface Portfolio {
  readonly assets: readonly Readonly<Record<"asset" | "realized" | "fees" | "average_cost" | "volume", string>>[];
  readonly totals: Readonly<Record<"realized" | "fees" | "cost", string>>;
}
const sum = (texts: readonly string[]): bigint => texts.reduce((all, text) => all + units(text), 0n);

describe("hoga trades", () => {
  it("follows the pages of a local day to its end, as JSON and as CSV of the same", async () => {
    const found = oneLine<Trades>(await hoga("trades", "--from", dayOne, "--to", dayOne, "--json"));
    expect(found.trades).toHaveLength(ON_DAY_ONE);
    expect(found.period).toEqual({
      from: new Date(midnightMs - DAY_MS).toISOString(),
      to: new Date(midnightMs - 1).toISOString(),
      timezone: "Asia/Seoul",
    });
    const { code, stdout, stderr } = await hoga("trades", "--from", dayOne, "--to", dayOne, "--csv");
    expect([code, stderr]).toEqual([0, ""]);
    const [heads = [], ...rows] = readCsv(stdout);
    expect(heads.slice(0, 6)).toEqual(["time", "trade_id", "order_id", "userref", "symbol", "side"]);
    expect(rows.map((row) => row[heads.indexOf("trade_id")])).toEqual(found.trades.map((each) => each["trade_id"]));
    expect(rows.map((row) => row[heads.indexOf("volume")])).toEqual(found.trades.map((each) => each["volume"]));
    expect(rows[0]?.[0]).toBe(`${dayOne}T23:59:59.999+09:00`);
  });

  it("totals what the portfolio counts in the same period: fees, and with what is still held also profit", async () => {
    const whole = ["--from", dayOne, "--to", dayTwo] as const;
    for (const period of [["--from", dayOne, "--to", dayOne], ["--from", dayTwo, "--to", dayTwo], whole]) {
      const { totals } = oneLine<Trades>(await hoga("trades", ...period, "--json"));
      const { assets } = oneLine<Portfolio>(await hoga("portfolio", ...period, "--json"));
      expect(totals.map(({ symbol }) => symbol)).toEqual(["BTC/KRW", "ETH/KRW"]);
      for (const { symbol, fees } of totals) {
        expect(fees).toEqual([
          { currency: "KRW", amount: assets.find(({ asset }) => `${asset}/KRW` === symbol)?.fees },
        ]);
      }
    }
    const { totals } = oneLine<Trades>(await hoga("trades", ...whole, "--json"));
    const portfolio = oneLine<Portfolio>(await hoga("portfolio", ...whole, "--method", "fifo", "--json"));
    const [bought, sold] = [sum(totals.map((each) => each.buy_value)), sum(totals.map((each) => each.sell_value))];
    const fees = sum(totals.flatMap((each) => each.fees.map(({ amount }) => amount)));
    expect(units(portfolio.totals.fees)).toBe(fees);
    // Nothing was held when the period began: what was taken in and not earned is in what is held.
    const earned = sold - bought - fees + units(portfolio.totals.cost);
    expect(units(portfolio.totals.realized)).toBe(earned);
  });

  it("shows people a table in their time, and what each market was bought and sold for", async () => {
    const { code, stdout, stderr } = await hoga("trades", "--from", dayTwo, "--symbol", "ethkrw");
    expect([code, stderr]).toEqual([0, ""]);
    const lines = stdout.trimEnd().split("\n");
    const ofEth = Math.ceil(ON_DAY_TWO / 3);
    expect(lines[0]).toMatch(
      new RegExp(`^\\[sandbox\\] account "paper", ${dayTwo} 00:00:00 UTC\\+9 to now, trades: ${ofEth}$`),
    );
    expect(lines).toHaveLength(2 + ofEth + 3);
    expect(lines[1]?.split(/ {2,}/)).toEqual(["time", "market", "side", "price", "volume", "value", "fee", "order id"]);
    expect(lines[2]).toMatch(
      new RegExp(`^${dayTwo} 00:00:00 UTC\\+9 +ETH/KRW +(buy|sell) +₩4,[01]0\\d,000 +0\\.00\\d+ ETH `),
    );
    // Figures end below each other.
    expect(lines[2]?.indexOf(" ETH ")).toBe(lines[3]?.indexOf(" ETH "));
    expect(lines.at(-1)).toMatch(/^ETH\/KRW +\S+ ETH +₩\S+ +\S+ ETH +₩\S+ +₩\S+$/);
  });

  it("writes a whole file with --out, which others cannot read, and never over one that is there", async () => {
    const file = join(files, "trades.csv");
    const written = await hoga("trades", "--from", dayOne, "--out", file, "--bom");
    expect(written).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`${ON_DAY_ONE + ON_DAY_TWO} rows are in ${file}`),
    });
    expect(written.stdout).toContain("BTC/KRW");
    const text = readFileSync(file, "utf8");
    expect(text.startsWith("\uFEFFtime,")).toBe(true);
    expect(readCsv(text.slice(1))).toHaveLength(ON_DAY_ONE + ON_DAY_TWO + 1);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    writeFileSync(file, "mine");
    expect(await hoga("trades", "--from", dayOne, "--out", file)).toMatchObject({ code: 2 });
    expect(readFileSync(file, "utf8")).toBe("mine");
    expect(readdirSync(files).filter((name) => name.endsWith(".part"))).toEqual([]);
  });

  it("ends with 1 where a page fails midway, and hands out no part", async () => {
    const file = join(files, "part.csv");
    for (const form of [["--csv"], ["--out", file], ["--json"], []]) {
      world.proxy.plan(/^GET \/v1\/trades\/history\?.*cursor/, "deny", 99);
      const { code, stdout, stderr } = await hoga("trades", "--from", dayOne, ...form);
      world.proxy.heal();
      expect(code).toBe(1);
      if (form[0] === "--json")
        expect(JSON.parse(stdout)).toMatchObject({ error: { code: "EGeneral:Permission denied" } });
      else expect([stdout, stderr]).toEqual(["", expect.stringMatching(/^hoga: .+\n {2}→ .+\n$/)]);
    }
    expect(existsSync(file)).toBe(false);
  });

  it("says how far it is on a terminal alone, and ends on Ctrl-C with nothing written", async () => {
    const file = join(files, "never.csv");
    const done = await openTerminal(["trades", "--from", dayOne, "--csv"], { env: env() }).ended;
    expect(done.code).toBe(0);
    const [before = ""] = done.screen.split("time,trade_id");
    expect(before).toContain("\r\u001b[K500 read, back to ");
    expect(before.endsWith("\r\u001b[K")).toBe(true);

    world.proxy.plan(/^GET \/v1\/trades\/history\?.*cursor/, "swallow", 99);
    const asked = world.proxy.log.length;
    const command = start(["trades", "--from", dayOne, "--out", file], { env: env() });
    await eventually(() => world.proxy.log.slice(asked).some(({ path }) => path.includes("cursor")) || undefined);
    const stopped = command.stop("SIGINT");
    // What is on its way is waited for: here until its connection goes.
    world.proxy.down(true);
    const ended = await stopped;
    world.proxy.down(false);
    expect(ended).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("Interrupted"),
    });
    expect(existsSync(file)).toBe(false);
  });

  it("is of the last 30 days without a period, and refuses what does not go together", async () => {
    const { period } = oneLine<Trades>(await hoga("trades", "--json"));
    expect(Date.now() - Date.parse(period.from)).toBeLessThan(30 * DAY_MS + 60_000);
    expect(await hoga("trades", "--csv", "--json")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--csv"),
    });
    expect(await hoga("trades", "--bom")).toMatchObject({ code: 2, stderr: expect.stringContaining("--csv") });
    expect(await hoga("trades", "--from", "2026-13")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("2026-03-31"),
    });
    expect(await hoga("trades", "--symbol", "BTX/KRW")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Did you mean"),
    });
  });

  it("speaks Korean to whoever reads Korean, heads of the CSV included", async () => {
    const korean = { env: env({ HOGA_LOCALE: "ko" }) };
    const shown = await run(["trades", "--from", dayTwo, "--symbol", "ETH/KRW"], korean);
    expect(shown.stdout).toMatch(/^\[sandbox · 모의\] 계좌 "paper", .+ ~ 지금, 체결 \d+건\n시각 +마켓 +구분/);
    const [heads] = readCsv((await run(["trades", "--from", dayTwo, "--csv"], korean)).stdout);
    expect(heads).toContain("체결 번호");
  });
});

describe("hoga orders of a period", () => {
  it("lists every order of it, with the sums of what they executed", async () => {
    type Orders = Omit<Trades, "trades"> & { readonly orders: readonly object[] };
    const period = ["--from", dayOne, "--to", dayOne] as const;
    const found = oneLine<Orders>(await hoga("orders", ...period, "--json"));
    expect(found.orders).toHaveLength(ON_DAY_ONE);
    const ofTrades = oneLine<Trades>(await hoga("trades", ...period, "--json"));
    expect(found.totals).toEqual(ofTrades.totals);
    const [heads = [], ...rows] = readCsv((await hoga("orders", ...period, "--csv")).stdout);
    expect([heads[2], rows.length, new Set(rows.map((row) => row[heads.indexOf("state")]))]).toEqual([
      "order_id",
      ON_DAY_ONE,
      new Set(["filled"]),
    ]);
    expect(oneLine<Orders>(await hoga("orders", ...period, "--limit", "3", "--json")).orders).toHaveLength(3);
    expect(readCsv((await hoga("orders", "--csv")).stdout)).toHaveLength(1);
  });
});
