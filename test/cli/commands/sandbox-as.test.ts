import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { freshHome } from "../../fixture/data-dir.ts";
import { cleanUp, run, startSandbox } from "../../fixture/in-process.ts";
import { KorbitClient } from "../../sandbox/families/korbit/korbit-client.ts";
import { UpbitClient } from "../../sandbox/families/upbit/upbit-client.ts";

afterAll(cleanUp);

describe("hoga sandbox --as", () => {
  it("prints where another exchange's API is, and takes a call signed with its key", async () => {
    const home = freshHome();
    const sandbox = await startSandbox({ home }, ["--as", "upbit", "--no-market-maker"]);
    const { base_url, stream_url, api_key, api_secret } = sandbox.line;
    expect(Object.entries(sandbox.line)[0]).toEqual(["as", "upbit"]);
    expect(stream_url).toBe(`${base_url.replace("http", "ws")}/websocket/v1`);
    const client = new UpbitClient(base_url, { apiKey: api_key, apiSecret: api_secret });
    expect((await client.order({ identifier: "by-hand" })).status).toBe(201);
    expect((await client.open("markets")).status).toBe(404);
    expect(await sandbox.stop()).toMatchObject({ code: 0, stderr: "" });
    expect([existsSync(join(home, "sandbox-upbit")), existsSync(join(home, "sandbox"))]).toEqual([true, false]);
    const again = await startSandbox({ home }, ["--as", "upbit", "--no-market-maker"]);
    expect(again.line.api_key).toBe(api_key);
    const later = new UpbitClient(again.line.base_url, client.credentials);
    expect((await later.get("order", { identifier: "by-hand" })).json).toMatchObject({ state: "wait" });
    await again.stop();
  });

  it("prints the private key of an exchange whose keys have one", async () => {
    const sandbox = await startSandbox({ home: freshHome() }, ["--as", "korbit", "--no-market-maker"]);
    const { base_url, stream_url, api_key, api_secret, private_key: privateKey = "" } = sandbox.line;
    expect(stream_url).toBe(`${base_url.replace("http", "ws")}/v2/public`);
    const client = new KorbitClient(base_url, { apiKey: api_key, apiSecret: api_secret });
    expect((await client.order({}, { privateKey })).status).toBe(200);
    await sandbox.stop();
  });

  it.each([
    [["--as", "nasdaq"], "does not speak the API of nasdaq"],
    [["--as", "upbit", "--variant", "none"], "has no variant none"],
    [["--as", "bithumb", "--variant", "none"], "has no variant none"],
    [["--as", "coinone", "--variant", "none"], "has no variant none"],
    [["--variant", "other"], "Name it with --as"],
  ])("refuses %j", async (words, why) => {
    expect(await run(["sandbox", ...words], { home: freshHome() })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(why),
    });
  });
});
