/** A profile for real money at an exchange where nobody has tried hoga with a key. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { oneLine } from "../fixture/command.ts";
import { freshHome } from "../fixture/data-dir.ts";
import { cleanUp, run, startSandbox } from "../fixture/in-process.ts";
import { UpbitClient } from "../sandbox/families/upbit/upbit-client.ts";

afterAll(cleanUp);

const ORDER = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.0001", price: "100000000" };

describe("a live profile at an unproven exchange", () => {
  it("reads, and places nothing until a person says in the profile that it may", async () => {
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
    const call = async (tool: string, args: object) =>
      oneLine<Record<string, unknown>>(await run(["call", tool, JSON.stringify(args), "--json"], { home }));
    settings();
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
});
