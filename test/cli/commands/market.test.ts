import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Ended, eventually, oneLine, quartet } from "../../fixture/command.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { openWorld, type World } from "../../fixture/desk-over-sandbox.ts";
import { cleanUp, openTerminal, run, start } from "../../fixture/in-process.ts";

let world: World;
const home = freshHome();
/** Past the proxy, which carries no stream. */
const direct = () => quartet(world.sandbox.baseUrl, world.sandbox.apiKey, world.sandbox.apiSecret);
const polled = () => quartet(world.proxy.url, world.sandbox.apiKey, world.sandbox.apiSecret);
const hoga = (...args: readonly string[]): Promise<Ended> => run(args, { home, env: direct() });

beforeAll(async () => {
  world = await openWorld({ totalMs: 20_000 });
  world.trade("99000000", "0.01");
  world.rest("sell", "101000000", "0.5");
  world.rest("sell", "102000000", "0.25");
  world.rest("buy", "99000000", "0.1");
});
afterAll(async () => {
  await cleanUp();
  await world.close();
});

describe("hoga book", () => {
  it("shows asks above bids, the best in the middle, each with the volume down to it", async () => {
    const { code, stdout, stderr } = await hoga("book", "btckrw");
    expect([code, stderr]).toEqual([0, ""]);
    const [head, columns, ...levels] = stdout.trimEnd().split("\n");
    expect(head).toMatch(/^\[sandbox\] BTC\/KRW {2}\d{4}-\d\d-\d\d /);
    expect(columns?.trim().split(/ {2,}/)).toEqual(["price", "volume", "sum"]);
    expect(levels.map((line) => line.trim().split(/ {2,}/))).toEqual([
      ["₩102,000,000", "0.25 BTC", "0.75 BTC"],
      ["₩101,000,000", "0.5 BTC", "0.5 BTC"],
      ["mid ₩100,000,000, spread ₩2,000,000"],
      ["₩99,000,000", "0.1 BTC", "0.1 BTC"],
    ]);
    expect(oneLine(await hoga("book", "BTC/KRW", "--depth", "1", "--json"))).toMatchObject({
      environment: "sandbox",
      symbol: "BTC/KRW",
      tick: { asks: [["101000000", "0.5"]] },
    });
  });

  it("says what there is none of, and refuses a market that there is not", async () => {
    expect((await hoga("book", "ETH/KRW")).stdout).toContain("mid none, spread none");
    expect(await hoga("book", "BTX/KRW")).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("Did you mean"),
    });
    expect(oneLine(await hoga("book", "BTX/KRW", "--json"))).toMatchObject({
      error: { code: "ELocal:Unknown market" },
    });
  });
});

describe("hoga ticker", () => {
  it("lists one, several or all markets", async () => {
    const one = await hoga("ticker", "비트코인");
    expect(one).toMatchObject({ code: 0, stderr: "" });
    const [, columns, row] = one.stdout.split("\n");
    expect(columns?.split(/ {2,}/)).toEqual(["market", "last", "24 h", "bid", "ask", "high", "low", "turnover"]);
    expect(row).toMatch(/^BTC\/KRW +₩99,000,000 /);
    const several = oneLine<{ tickers: { symbol: string }[] }>(await hoga("ticker", "ETH/KRW", "BTC/KRW", "--json"));
    expect(several.tickers.map(({ symbol }) => symbol).sort()).toEqual(["BTC/KRW", "ETH/KRW"]);
    expect((await hoga("ticker")).stdout.split("\n").length).toBeGreaterThan(4);
    expect(await hoga("ticker", "BTX/KRW")).toMatchObject({ code: 2 });
  });

  it("has Korean heads above their columns, which take two cells a letter", async () => {
    const { stdout } = await run(["ticker", "BTC/KRW"], { home, env: { ...direct(), HOGA_LOCALE: "ko" } });
    const [, columns = "", row = ""] = stdout.split("\n");
    expect(columns).toMatch(/^마켓 +현재가 /);
    // 마켓 and 현재가 take ten cells, and are five letters.
    expect(columns.indexOf("현재가") + 3 + 5).toBe(row.indexOf("₩99,000,000") + "₩99,000,000".length);
  });
});

describe("colours", () => {
  const colored = (env: Readonly<Record<string, string>>) =>
    run(["ticker", "BTC/KRW"], { home, env: { ...direct(), ...env } });

  it("are for terminals, NO_COLOR and FORCE_COLOR apart", async () => {
    expect((await colored({})).stdout).not.toContain("\u001b[");
    expect((await colored({ FORCE_COLOR: "1" })).stdout).toContain("\u001b[1mBTC/KRW");
    const terminal = (env = {}) => openTerminal(["ticker", "BTC/KRW"], { home, env: { ...direct(), ...env } }).ended;
    expect((await terminal()).screen).toContain("\u001b[1mBTC/KRW");
    for (const env of [{ NO_COLOR: "1" }, { FORCE_COLOR: "0" }, { TERM: "dumb" }])
      expect((await terminal(env)).screen).not.toContain("\u001b[");
  });
});

const ENTER = "\u001b[?1049h\u001b[?25l\u001b[?7l";
const LEAVE = "\u001b[?7h\u001b[?25h\u001b[?1049l";

describe("hoga watch", () => {
  it("draws each change that the stream tells, and leaves the terminal as it was on Ctrl-C", async () => {
    const terminal = openTerminal(["watch", "BTC/KRW"], { home, env: { ...direct(), NO_COLOR: "1" } });
    await terminal.see(ENTER);
    await terminal.see("spread ₩2,000,000");
    const order = world.rest("sell", "100500000", "0.2");
    await terminal.see("spread ₩1,500,000");
    world.withdraw(order);
    await terminal.see("spread ₩2,000,000");
    terminal.type("\u0003");
    const { code, screen } = await terminal.ended;
    expect(code).toBe(0);
    const [, left = ""] = screen.split(LEAVE);
    expect(left).toContain("spread ₩2,000,000");
    expect(left).not.toContain("\u001b");
  });

  it("prints a line of JSON for each change, and none where nothing changed, until it is stopped", async () => {
    const command = start(["watch", "BTC/KRW", "--json"], { home, env: direct() });
    await command.firstLine();
    const order = world.rest("sell", "100400000", "0.3");
    const asks = () =>
      command
        .stdout()
        .trimEnd()
        .split("\n")
        .map((line) => (JSON.parse(line) as Line).orderbook.tick.asks[0]?.[0]);
    await eventually(() => asks().includes("100400000") || undefined);
    world.withdraw(order);
    await eventually(() => asks().at(-1) === "101000000" || undefined);
    expect(await command.stop("SIGTERM")).toMatchObject({ code: 0, stderr: "" });
    expect(asks()).toEqual(["101000000", "100400000", "101000000"]);
  });

  it("asks again and again where no stream comes through, and says what fails without ending", async () => {
    const quiet = start(["watch", "ETH/KRW", "--json"], { home, env: polled() });
    const terminal = openTerminal(["watch"], { home, env: { ...polled(), NO_COLOR: "1" } });
    await terminal.see("₩99,000,000");
    world.proxy.plan(/^GET \/v1\/tickers$/, "deny", 1);
    await terminal.see("permission");
    world.trade("99500000", "0.01");
    await terminal.see("₩99,500,000");
    terminal.type("\u0003");
    expect(await terminal.ended).toMatchObject({ code: 0 });
    // Asked as often, of a market in which nothing happens: one line.
    await eventually(
      () => world.proxy.log.filter(({ path }) => /orderbook.*ETH|ETH.*orderbook/.test(path)).length > 2 || undefined,
    );
    oneLine(await quiet.stop());
  });

  it("prints what is there and ends where there is no terminal", async () => {
    const { code, stdout, stderr } = await hoga("watch", "BTC/KRW");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("spread ₩");
    expect(stdout).not.toContain("\u001b");
    expect(await hoga("watch", "BTX/KRW")).toMatchObject({ code: 2 });
  });
});

interface Line {
  readonly orderbook: { readonly tick: { readonly asks: readonly (readonly [string, string])[] } };
}

describe("hoga call --chart", () => {
  it("writes the picture of a tool that draws one, to a new file", async () => {
    const file = join(home, "candles.png");
    const call = ["call", "get_candles", "--symbol", "BTC/KRW", "--interval", "1m", "--chart", file] as const;
    expect(await hoga(...call)).toMatchObject({ code: 0, stderr: `hoga: The picture is in ${file}.\n` });
    expect(readFileSync(file).subarray(1, 4).toString("latin1")).toBe("PNG");
    writeFileSync(file, "mine");
    expect(await hoga(...call)).toMatchObject({ code: 2, stdout: "" });
    expect(readFileSync(file, "utf8")).toBe("mine");
  });

  it("is still the field where no file is named, and refused where nothing is drawn", async () => {
    expect(
      await hoga("call", "get_candles", "--symbol", "BTC/KRW", "--interval", "1m", "--chart", "--json"),
    ).toMatchObject({ code: 0 });
    const none = join(home, "none.png");
    expect(await hoga("call", "get_balances", "--chart", none)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("draws no picture"),
    });
    expect(await hoga("call", "get_candles", "--symbol", "BTX/KRW", "--chart", none)).toMatchObject({ code: 2 });
    expect(existsSync(none)).toBe(false);
  });
});
