import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { oneLine } from "../../fixture/command.ts";
import { wideHome } from "../../fixture/home.ts";
import { cleanUp, run, startSandbox } from "../../fixture/in-process.ts";

const home = wideHome();
beforeAll(async () => {
  // With its market makers, so that there is somebody to buy from.
  await startSandbox({ home }, []);
  const order = ["--symbol", "BTC/KRW", "--side", "buy", "--type", "market", "--quote-amount", "500000"];
  expect(await run(["call", "place_order", ...order], { home })).toMatchObject({ code: 0 });
});
afterAll(cleanUp);

describe("hoga portfolio", () => {
  it("says what is held, what it cost and is worth", async () => {
    const { code, stdout, stderr } = await run(["portfolio"], { home });
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^\[sandbox\] Account "paper" now, at .*: worth ₩/);
    expect(stdout).toMatch(
      /\n- BTC: 0\.\d+ BTC, .* average cost ₩[\d,.]+ with fees, [\s\S]*\nIn the period from the first fill .*\n- BTC: realized ₩0, fees ₩/,
    );
  });

  it("prints one JSON line of the period, by the method asked for", async () => {
    const shown = oneLine(await run(["portfolio", "--period", "30d", "--method", "fifo", "--json"], { home }));
    expect(shown).toMatchObject({
      environment: "sandbox",
      account: "paper",
      unit: "KRW",
      method: "fifo",
      period: { name: "30d" },
    });
    const past = ["--from", "2020-01-01", "--to", "2020-12-31"];
    const none = oneLine(await run(["portfolio", ...past, "--json"], { home }));
    expect(none).toMatchObject({ period: { name: null }, totals: { fees: "0", realized: "0" } });
  });

  it("writes a picture to a new file, and to none that is there", async () => {
    const file = join(home, "portfolio.png");
    const drawn = await run(["portfolio", "--chart", file], { home });
    expect(drawn).toMatchObject({ code: 0, stderr: `hoga: The picture is in ${file}.\n` });
    expect(readFileSync(file).subarray(1, 4).toString("latin1")).toBe("PNG");
    writeFileSync(file, "mine");
    expect(await run(["portfolio", "--chart", file], { home })).toMatchObject({ code: 2 });
    expect(readFileSync(file, "utf8")).toBe("mine");
  });

  it("leaves no file where there is nothing to draw", async () => {
    const file = join(home, "none.png");
    expect(await run(["portfolio", "--from", "2126-01-01", "--chart", file], { home })).toMatchObject({ code: 2 });
    expect(existsSync(file)).toBe(false);
  });

  it("refuses a period or a method that there is not", async () => {
    expect(await run(["portfolio", "--period", "1w"], { home })).toMatchObject({ code: 2 });
    expect(await run(["portfolio", "--method", "lifo"], { home })).toMatchObject({ code: 2 });
    expect(await run(["portfolio", "--period", "7d", "--from", "2020-01-01"], { home })).toMatchObject({ code: 2 });
  });
});
