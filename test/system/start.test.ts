/** What is loaded until the list of tools is answered: on any machine the same, unlike the time that it takes. */
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import { eventually } from "../fixture/command.ts";
import { freshHome } from "../fixture/data-dir.ts";
import { CLI, cleanUp, start } from "../fixture/program.ts";

afterAll(cleanUp);

const clientInfo = { name: "test", version: "1" };
const MESSAGES = [
  { id: 0, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo } },
  { method: "notifications/initialized" },
  { id: 1, method: "tools/list" },
].map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

/** The program's own code that was loaded, in bytes. */
async function loadedBytes(env: Readonly<Record<string, string>>): Promise<number> {
  const home = freshHome();
  const coverage = join(home, "coverage");
  const serving = start(["serve"], { home, env: { ...env, NODE_V8_COVERAGE: coverage } });
  serving.child.stdin.write(MESSAGES.join(""));
  await eventually(() => serving.stdout().includes('"id":1}\n') || undefined);
  serving.child.stdin.end();
  expect((await serving.ended).code).toBe(0);
  expect(serving.stdout()).toContain("place_order");
  const urls = readdirSync(coverage).flatMap((file) => {
    const { result } = JSON.parse(readFileSync(join(coverage, file), "utf8")) as { result: { url: string }[] };
    return result.map(({ url }) => url);
  });
  const own = urls.filter((url) => url.startsWith("file:")).map((url) => fileURLToPath(url));
  const sizes = own.filter((path) => path.startsWith(dirname(CLI))).map((path) => statSync(path).size);
  expect(sizes.length).toBeGreaterThan(1);
  return sizes.reduce((sum, size) => sum + size, 0);
}

it("every list is answered before the server is loaded as the server answers it afterwards", async () => {
  const home = freshHome();
  const profile =
    '[profiles.paper]\nenvironment = "sandbox"\nmodules = ["market", "account", "safety", "remittance"]\n';
  writeFileSync(join(home, "config.toml"), profile, { mode: 0o600 });
  const serving = start(["serve"], { home });
  let id = 1;
  const ask = (method: string, params: object = {}) => {
    id++;
    serving.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return eventually(() => {
      const answers = serving
        .stdout()
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line));
      return answers.find((answer) => answer.id === id)?.result as object | undefined;
    });
  };
  const lists = async () => [
    await ask("tools/list"),
    await ask("resources/list"),
    await ask("resources/templates/list"),
    await ask("prompts/list"),
  ];
  serving.child.stdin.write(MESSAGES.slice(0, 2).join(""));
  const early = await lists();
  expect(JSON.stringify(early)).toContain("send_remittance");
  // Only the server can answer this.
  expect(await ask("prompts/get", { name: "daily_review", arguments: { day: "2026-07-20" } })).toHaveProperty(
    "messages",
  );
  expect(await lists()).toEqual(early);
  serving.child.stdin.end();
  expect((await serving.ended).code).toBe(0);
});

/** The record of the handshake, two fifths of it, and what people read, of plans too, in both languages. */
it("the list of tools is answered without the SDK, the schemas and the exchange", async () => {
  expect(await loadedBytes({})).toBeLessThan(285_000);
});

it("only the schemas of the settings are loaded besides when something is configured", async () => {
  const configured = {
    HOGA_API_KEY: "key",
    HOGA_API_SECRET: "c2VjcmV0",
    HOGA_BASE_URL: "http://127.0.0.1:9",
    HOGA_ENVIRONMENT: "sandbox",
  };
  expect(await loadedBytes(configured)).toBeLessThan(655_000);
});
