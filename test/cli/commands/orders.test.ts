import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { oneLine } from "../../fixture/command.ts";
import { wideHome } from "../../fixture/home.ts";
import { cleanUp, run, startSandbox } from "../../fixture/in-process.ts";

const home = wideHome();
beforeAll(async () => {
  await startSandbox({ home });
});
afterAll(cleanUp);

const LIMIT = ["place_order", "--side", "buy", "--type", "limit"] as const;

describe("hoga orders", () => {
  it("says when there are none", async () => {
    expect(await run(["orders"], { home })).toMatchObject({
      code: 0,
      stderr: "",
      stdout: '[sandbox] account "paper": no open orders\n',
    });
    expect(oneLine(await run(["orders", "--json"], { home }))).toEqual({
      environment: "sandbox",
      account: "paper",
      unit: "KRW",
      orders: [],
      next_cursor: null,
      waiting: [],
      unresolved: [],
    });
  });

  it("lists them as a table and as one JSON line", async () => {
    await run(["call", ...LIMIT, "--symbol", "BTC/KRW", "--base-volume", "0.001", "--price", "90000000"], { home });
    await run(["call", ...LIMIT, "--symbol", "ETH/KRW", "--base-volume", "0.1", "--price", "3000000"], { home });
    await run(["call", "cancel_all_orders", "--symbol", "ETH/KRW"], { home });
    const table = await run(["orders", "--state", "all"], { home });
    expect(table).toMatchObject({ code: 0, stderr: "" });
    const [head, columns, newest, oldest, ...rest] = table.stdout.trimEnd().split("\n");
    expect(head).toBe('[sandbox] account "paper"');
    expect(columns?.split(/ {2,}/)).toEqual([
      "created",
      "market",
      "side",
      "type",
      "price",
      "volume",
      "executed",
      "state",
      "order id",
    ]);
    expect(newest?.split(/ {2,}/).slice(1, -1)).toEqual(["ETH/KRW", "buy", "limit", "3000000", "0.1", "0", "canceled"]);
    expect(oldest?.split(/ {2,}/).slice(1, -1)).toEqual(["BTC/KRW", "buy", "limit", "90000000", "0.001", "0", "open"]);
    expect(rest).toEqual([]);
    // Columns begin below their heads.
    expect(newest?.indexOf("ETH/KRW")).toBe(columns?.indexOf("market"));
    expect(newest?.indexOf("canceled")).toBe(columns?.indexOf("state"));

    const json = await run(["orders", "--state", "canceled", "--symbol", "ethkrw", "--json"], { home });
    expect(json).toMatchObject({ code: 0, stderr: "" });
    expect(oneLine(json)).toMatchObject({
      environment: "sandbox",
      account: "paper",
      orders: [{ symbol: "ETH/KRW", state: "canceled" }],
    });
    const limited = oneLine<{ orders: object[] }>(
      await run(["orders", "--state", "all", "--limit", "1", "--json"], { home }),
    );
    expect(limited.orders).toHaveLength(1);
    const cut = await run(["orders", "--state", "all", "--limit", "1"], { home });
    expect(cut).toMatchObject({ code: 0, stderr: expect.stringContaining("There are more than these 1") });
  });

  it("refuses an unknown market with the nearest ones", async () => {
    const plain = await run(["orders", "--symbol", "BTX/KRW"], { home });
    expect(plain).toMatchObject({ code: 2, stdout: "" });
    expect(plain.stderr).toContain("Did you mean BTC/KRW");
    const json = await run(["orders", "--symbol", "BTX/KRW", "--json"], { home });
    expect(json.code).toBe(2);
    expect(oneLine(json)).toMatchObject({
      environment: "sandbox",
      error: { code: "ELocal:Unknown market", field: "symbol" },
    });
  });
});
