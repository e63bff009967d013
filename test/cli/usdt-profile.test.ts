/** A profile that counts in USDT, from its settings to its portfolio, on the exchange with BTC/USDT. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Ended, oneLine } from "../fixture/command.ts";
import { freshHome } from "../fixture/data-dir.ts";
import { cleanUp, run, startSandbox } from "../fixture/in-process.ts";

const home = freshHome();
const policy = (...lines: readonly string[]): void =>
  writeFileSync(join(home, "policy.toml"), ['mode = "bounded"', ...lines].join("\n"), { mode: 0o600 });
const LIMITS = ['max_order_usdt = "500.5"', 'max_day_usdt = "900"', 'approval_over_usdt = "500.5"'];

beforeAll(async () => {
  mkdirSync(home, { recursive: true });
  const settings = 'default_profile = "dollars"\n[profiles.dollars]\nenvironment = "sandbox"\nunit = "USDT"\n';
  writeFileSync(join(home, "config.toml"), settings, { mode: 0o600 });
  policy(...LIMITS);
  await startSandbox({ home }, ["--usdt", "--seed", "7"]);
});
afterAll(cleanUp);

const call = (tool: string, args: object = {}): Promise<Ended> =>
  run(["call", tool, JSON.stringify(args), "--json"], { home });
const said = async (tool: string, args?: object) => oneLine<Record<string, unknown>>(await call(tool, args));
const text = async (tool: string, args: object = {}) =>
  (await run(["call", tool, JSON.stringify(args)], { home })).stdout;
const buy = (volume: string, price = "90000") => ({
  ...{ symbol: "BTC/USDT", side: "buy", type: "limit", base_volume: volume, price },
});

describe("a profile in USDT", () => {
  it("has its sums in USDT, with decimals, in every result", async () => {
    expect(await said("get_balances")).toMatchObject({ unit: "USDT", value: "10000" });
    expect(await said("get_desk_status")).toMatchObject({ unit: "USDT", largest_buy: "500.5" });
    const status = await text("get_desk_status");
    expect(status).toContain('- order_size: 500.5 USDT an order (max_order_usdt = "500.5")');
    expect(status).toContain("- day_budget: 0 USDT of 900 USDT used, 900 USDT left");
    expect(status).not.toMatch(/₩|krw/i);
  });

  it("takes a coin alone for its market in USDT", async () => {
    expect(await said("get_ticker", { symbol: "btc" })).toMatchObject({ tickers: [{ symbol: "BTC/USDT" }] });
  });

  it("counts an order in cents, rounded up, and holds limits against their sums", async () => {
    // 90 000.01 × 0.005001 = 450.09005…
    const placed = await said("place_order", { ...buy("0.005001", "90000.01"), time_in_force: "GTC" });
    expect(placed).toMatchObject({ outcome: "accepted", unit: "USDT", order: { symbol: "BTC/USDT" } });
    const { limits } = await said("get_desk_status");
    expect(limits).toContainEqual(expect.objectContaining({ rule: "open_exposure", used: "450.1" }));
    const denied = await said("place_order", buy("0.005"));
    expect(denied).toMatchObject({
      outcome: "not_sent",
      error: {
        rule: "day_budget",
        figure: "900.1",
        limit: "900",
        message: expect.stringContaining("together more than max_day_usdt 900 USDT: make it at most 0.004998 BTC"),
      },
    });
    const log = await text("get_audit_log");
    expect(log).toContain("Sent to the exchange; it counts for 450.1 USDT in the limits");
    expect(await run(["audit", "verify"], { home })).toMatchObject({ code: 0 });
    expect(await said("cancel_all_orders", {})).toMatchObject({ outcome: "accepted" });
  });

  it("denies an order in a market quoted in another currency, and says how it counts", async () => {
    const order = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "100000000" };
    expect(await said("place_order", order)).toMatchObject({
      error: {
        rule: "market",
        figure: "KRW",
        limit: "USDT",
        message: expect.stringContaining("BTC/KRW is quoted in KRW and this profile counts in USDT"),
      },
    });
  });

  it("shows cost, value and profit of what it bought in USDT", async () => {
    const order = { symbol: "BTC/USDT", side: "buy", type: "market", quote_amount: "100.25" };
    expect(await said("place_order", order)).toMatchObject({ outcome: "accepted", state: "filled" });
    const { unit, assets, totals } = await said("get_portfolio");
    expect(unit).toBe("USDT");
    const [coin] = (assets as readonly Record<string, string>[]).filter(({ asset }) => asset === "BTC");
    expect(Number(coin?.["value"])).toBeGreaterThan(95);
    expect(Number(coin?.["value"])).toBeLessThan(101);
    expect(Number((totals as Record<string, string>)["cost"])).toBeGreaterThan(99);
    const shown = await text("get_portfolio");
    expect(shown).toMatch(/- BTC: .* BTC, available .*, average cost [\d,.]+ USDT with fees/);
    expect(shown.replace(/^- KRW: .*$/m, "")).not.toContain("₩");
  });

  it("has a cautious policy of its own where the file says nothing", async () => {
    policy();
    const status = await text("get_desk_status");
    expect(status).toContain('- order_size: 500 USDT an order (max_order_usdt = "500")');
    policy(...LIMITS);
  });

  it("refuses a figure in won, and names the setting that is meant", async () => {
    policy('max_order_krw = "1000000"');
    const denied = await said("place_order", buy("0.001"));
    policy(...LIMITS);
    expect(denied).toMatchObject({
      error: {
        code: "ELocal:Policy unreadable",
        message: expect.stringContaining(
          "line 2: max_order_krw is a sum in another unit: this profile counts in USDT, write max_order_usdt with a figure in USDT",
        ),
      },
    });
  });

  it.each(["12.345", "1e3", "-1", "12345678901234"])("refuses %s as a sum", async (figure) => {
    policy(`max_order_usdt = "${figure}"`);
    const denied = await said("place_order", buy("0.001"));
    policy(...LIMITS);
    expect(denied).toMatchObject({
      error: { message: expect.stringContaining("an amount of USDT in quotes, of at most 13 digits and 2 decimals") },
    });
  });
});

describe("a home whose profile counts in another unit than before", () => {
  it("sends nothing while orders of the last day were counted in the old one", async () => {
    const settings = 'default_profile = "won"\n[profiles.won]\nenvironment = "sandbox"\n';
    writeFileSync(join(home, "config.toml"), settings, { mode: 0o600 });
    policy();
    const order = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "100000000" };
    expect(await said("place_order", order)).toMatchObject({
      outcome: "not_sent",
      error: {
        figure: "USDT",
        limit: "KRW",
        message: expect.stringContaining("was counted in USDT and this profile counts in KRW"),
      },
    });
    expect(await text("get_desk_status")).toContain(
      '- day_budget: limit ₩5,000,000 (max_day_krw = "5000000"), what is used of it is not known',
    );
  });
});
