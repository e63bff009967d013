import { afterAll, describe, expect, it } from "vitest";
import { eventually, freePort } from "../../fixture/command.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { cleanUp, run, start } from "../../fixture/in-process.ts";

afterAll(cleanUp);

describe("hoga start", () => {
  it("prints addresses and a configuration to paste for people", async () => {
    const home = freshHome();
    const running = start(["start", "--port", String(await freePort()), "--exchange-port", "0"], { home });
    const text = await eventually(() => (running.stdout().includes("Ctrl-C") ? running.stdout() : undefined));
    expect(text).toMatch(/sandbox: paper money/);
    for (const name of ["exchange", "MCP", "console"])
      expect(text).toMatch(new RegExp(`^ +${name} +http://127.0.0.1:`, "m"));
    expect(text).toContain(home);
    const pasted = JSON.parse(text.slice(text.indexOf("\n{\n"), text.lastIndexOf("}") + 1)) as object;
    expect(pasted).toMatchObject({ mcpServers: { hoga: { args: [expect.any(String), "serve"] } } });
    expect(await running.stop("SIGINT")).toMatchObject({ code: 0, signal: null });
  });
});

describe("hoga serve --http", () => {
  it("refuses an address that other machines could reach", async () => {
    const ended = await run(["serve", "--http", "--host", "0.0.0.0", "--port", "0"]);
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toMatch(/0\.0\.0\.0 can be reached from other machines.*\n {2}→ Use 127\.0\.0\.1/);
  });
});
