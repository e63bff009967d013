import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { eventually, freePort } from "../../fixture/command.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { cleanUp, run, start } from "../../fixture/in-process.ts";

afterAll(cleanUp);

describe("hoga start", () => {
  it("prints addresses and a configuration to paste for people", async () => {
    const home = freshHome();
    const ports = ["--port", String(await freePort()), "--exchange-port", "0"];
    const running = start(["start", "--show-token", ...ports], { home });
    const text = await eventually(() => (running.stdout().includes("Ctrl-C") ? running.stdout() : undefined));
    expect(text).toMatch(/sandbox: paper money/);
    for (const name of ["exchange", "MCP"]) expect(text).toMatch(new RegExp(`^ +${name} +http://127.0.0.1:`, "m"));
    // A passkey belongs to a name, and an address is none.
    expect(text).toMatch(/^ +console +http:\/\/localhost:/m);
    expect(text).toContain(home);
    const [overStdio, overHttp] = [...text.matchAll(/^\{$.*?^\}$/gms)].map(([pasted]) => JSON.parse(pasted) as object);
    expect(overStdio).toMatchObject({ mcpServers: { hoga: { args: [expect.any(String), "serve"] } } });
    const token = readFileSync(join(home, "http-token"), "utf8").trim();
    expect(overHttp).toMatchObject({ mcpServers: { hoga: { headers: { Authorization: `Bearer ${token}` } } } });
    expect(text.split(token)).toHaveLength(2);
    expect(await running.stop("SIGINT")).toMatchObject({ code: 0, signal: null });
  });
});

describe("hoga start and hoga serve --http, printing to what keeps it", () => {
  it.each([
    [["start", "--port", "0", "--exchange-port", "0"], "http-token"],
    [["start", "--port", "0", "--exchange-port", "0", "--json"], "token_file"],
    [["serve", "--http", "--port", "0"], "http-token"],
    [["serve", "--http", "--port", "0", "--json"], "token_file"],
  ])("%j says where the token is, and neither token nor link", async (args, where) => {
    const home = freshHome();
    const running = start(args, { home });
    const said = await eventually(() => (running.stdout().includes(where) ? running.stdout() : undefined));
    const token = readFileSync(join(home, "http-token"), "utf8").trim();
    expect(said).toContain(join(home, "http-token"));
    expect(said).toMatch(/http:\/\/127\.0\.0\.1:\d+\/mcp/);
    await running.stop("SIGINT");
    const everything = `${running.stdout()}${running.stderr()}`;
    expect(everything).not.toContain(token);
    expect(everything).not.toContain("?code=");
  });
});

describe("hoga serve --http", () => {
  it("refuses an address that other machines could reach", async () => {
    const ended = await run(["serve", "--http", "--host", "0.0.0.0", "--port", "0"]);
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toMatch(/0\.0\.0\.0 can be reached from other machines.*\n {2}→ Use 127\.0\.0\.1/);
  });
});
