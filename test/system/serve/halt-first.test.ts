/**
 * A server with two tenants. Sixty of the heaviest calls of one, by a token that may only look, are under way when the other is halted: by MCP in
 * both eras, by the console's owner, at a terminal. The halt is answered before most of them, whatever the machine has to do beside;
 * how long it takes is measured by `npm run bench:halt`.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HEAVIEST, HttpCaller } from "../../../bench/halt-load.ts";
import { oneLine } from "../../fixture/command.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { cleanUp, run, start } from "../../fixture/program.ts";

const home = freshHome();
const AT_ONCE = 60;
const HALT = { name: "halt_trading", arguments: { reason: "test" } };
let reader: HttpCaller;
let brake: HttpCaller;

async function tokenOf(tenant: string, scopes: string): Promise<string> {
  expect(await run(["tenants", "create", tenant, "--profile", "paper"], { home })).toMatchObject({ code: 0 });
  const made = await run(["tokens", "create", tenant, "--tenant", tenant, "--scopes", scopes, "--json"], { home });
  return oneLine<{ token: string }>(made).token;
}

beforeAll(async () => {
  const [looks, halts] = [await tokenOf("alice", "market:read,account:read"), await tokenOf("bob", "all")];
  const server = start(["serve", "--http", "--json", "--port", "0"], { home });
  const { mcp_url } = JSON.parse(await server.firstLine()) as { readonly mcp_url: string };
  const { origin } = new URL(mcp_url);
  [reader, brake] = [new HttpCaller(origin, looks), new HttpCaller(origin, halts)];
  for (const caller of [reader, brake]) {
    await caller.begin();
    // Its tenant is opened by the first call.
    await expect.poll(async () => (await caller.call("2026-07-28", TICKER)).status).toBe(200);
  }
});
afterAll(async () => {
  await Promise.all([reader.close(), brake.close()]);
  await cleanUp();
});

const TICKER = { name: "get_ticker", arguments: { symbol: "BTC/KRW" } };

/** Statuses of the calls that had ended when the halt was answered, and of all in the end. */
async function underLoad(call: object, halt: () => Promise<unknown>) {
  const ended: number[] = [];
  const calls = Array.from({ length: AT_ONCE }, async () => {
    const { status } = await reader.call("2026-07-28", call);
    ended.push(status);
  });
  // They are on their way.
  await new Promise((resolve) => setTimeout(resolve, 30));
  await halt();
  const before = [...ended];
  await Promise.all(calls);
  return { before, all: ended };
}

const served = (statuses: readonly number[]): number => statuses.filter((status) => status === 200).length;

describe.each(["get_candles, picture", "get_candles", "get_recent_trades"])("under sixty of %s", (name) => {
  const call = HEAVIEST[name] ?? {};

  it.each(["2025-11-25", "2026-07-28"] as const)(
    "a halt of another tenant in %s is answered before most",
    async (era) => {
      const { before, all } = await underLoad(call, async () => {
        const { status, body } = await brake.call(era, HALT);
        expect(status).toBe(200);
        expect(body).toContain("HALTED");
      });
      // What is too much is refused, which costs next to nothing; of what is served most comes after the halt.
      expect(served(all)).toBeGreaterThan(0);
      expect(served(before)).toBeLessThanOrEqual(Math.max(8, served(all) / 2));
      expect(all.every((status) => status === 200 || status === 429)).toBe(true);
    },
  );
});

it("at most three pictures of a caller are drawn for sixty calls at once, and the rest is refused with a time", async () => {
  // Its credit is whole again.
  await expect.poll(async () => (await reader.call("2026-07-28", TICKER)).status).toBe(200);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const { all } = await underLoad(HEAVIEST["get_orderbook, picture"] ?? {}, async () => {
    expect((await run(["halt", "--tenant", "bob"], { home })).stdout).toContain("HALTED");
  });
  expect(served(all)).toBeGreaterThan(0);
  expect(all.filter((status) => status === 429).length).toBeGreaterThan(AT_ONCE / 2);
});
