/** A profile for real money at an exchange where nobody has tried hoga with a key. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { afterAll, describe, expect, it } from "vitest";
import { keepProbe } from "../../src/cli/probe/probe-file.ts";
import { homeOf } from "../../src/config/index.ts";
import { oneLine } from "../fixture/command.ts";
import { freshHome } from "../fixture/data-dir.ts";
import { cleanUp, run, startSandbox } from "../fixture/in-process.ts";
import { modernStdio } from "../fixture/stdio-transport.ts";
import { UpbitClient } from "../sandbox/families/upbit/upbit-client.ts";

afterAll(cleanUp);

const ORDER = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.0001", price: "100000000" };

/** A data directory with a profile that is called live, and the exchange behind it. */
async function liveProfile() {
  const { line } = await startSandbox({ home: freshHome() }, ["--as", "upbit", "--no-market-maker"]);
  const home = freshHome();
  mkdirSync(home, { recursive: true });
  const settings = (more = ""): void =>
    writeFileSync(
      join(home, "config.toml"),
      [
        'default_profile = "upbit"\n[profiles.upbit]\nenvironment = "live"\nexchange = "upbit"',
        `base_url = "${line.base_url}"\nkey = "${line.api_key}"\nsecret = "${line.api_secret}"\n${more}`,
      ].join("\n"),
      { mode: 0o600 },
    );
  settings();
  return { home, line, settings };
}

describe("a live profile at an unproven exchange", () => {
  it("says that nobody has tried it: in the status each time, beside the answer once a day", async () => {
    const { home, settings } = await liveProfile();
    settings("accept_unproven = true");
    const untried = "hoga was never tried with a real key of Upbit: what it does there is proved in tests alone.";
    const [first, second] = [await run(["orders"], { home }), await run(["orders"], { home })];
    expect([first, second].map(({ stderr }) => stderr.includes(untried))).toEqual([true, false]);
    const status = async () =>
      oneLine<{ warnings: readonly string[] }>(await run(["call", "get_desk_status", "{}", "--json"], { home }));
    expect((await status()).warnings).toContain(untried);
    const at = new Date().toISOString();
    keepProbe(homeOf({ HOGA_HOME: home }), {
      exchange: "upbit",
      environment: "live",
      practice: false,
      passed: true,
      at,
    });
    expect((await status()).warnings).not.toContain(untried);
  });

  it("reads, and places nothing until a person says in the profile that it may", async () => {
    const { home, line, settings } = await liveProfile();
    const call = async (tool: string, args: object) =>
      oneLine<Record<string, unknown>>(await run(["call", tool, JSON.stringify(args), "--json"], { home }));
    expect(await call("get_balances", {})).toMatchObject({ environment: "live", balances: expect.any(Array) });
    for (const tool of ["place_order", "preview_order"])
      expect(await call(tool, ORDER)).toMatchObject({
        error: { rule: "unproven", message: expect.stringContaining("never tried with a real key of Upbit") },
      });
    const there = new UpbitClient(line.base_url, { apiKey: line.api_key, apiSecret: line.api_secret });
    expect((await there.get("orders/open")).json).toEqual([]);
    settings("accept_unproven = true");
    expect(await call("preview_order", ORDER)).not.toHaveProperty("error.rule", "unproven");
  });

  it("is proven to a server that runs as soon as a probe has passed", async () => {
    const { home } = await liveProfile();
    const client = new Client({ name: "test", version: "1.0.0" });
    await client.connect(modernStdio({ home }));
    const preview = async () =>
      (await client.callTool({ name: "preview_order", arguments: ORDER })).structuredContent as object;
    expect(await preview()).toMatchObject({ error: { rule: "unproven" } });
    const at = new Date().toISOString();
    const probe = { exchange: "upbit", environment: "live", practice: false, passed: true, at };
    keepProbe(homeOf({ HOGA_HOME: home }), { ...probe, passed: false });
    expect(await preview()).toMatchObject({ error: { rule: "unproven" } });
    keepProbe(homeOf({ HOGA_HOME: home }), probe);
    expect(await preview()).not.toHaveProperty("error.rule", "unproven");
    await client.close();
  });
});
