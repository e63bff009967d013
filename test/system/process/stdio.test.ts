import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import Database from "libsql";
import { afterAll, describe, expect, it } from "vitest";
import { SCHEMA_VERSION } from "../../../src/store/schema/migrations.ts";
import { eventually } from "../../fixture/command.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { wideHome } from "../../fixture/home.ts";
import { cleanUp, type RunningProgram, start } from "../../fixture/program.ts";
import { hostOf, venueOrders } from "../../fixture/witness.ts";
import { type Assistant, connect, endAssistants } from "./assistant.ts";
import { chance, seeded } from "./chance.ts";

afterAll(async () => {
  endAssistants();
  await cleanUp();
});

interface Message {
  readonly jsonrpc: string;
  readonly id?: number;
  readonly result?: { readonly isError?: boolean; readonly structuredContent?: Record<string, unknown> };
}

const HELLO = [
  {
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
  },
  { method: "notifications/initialized" },
];

function say(running: RunningProgram, ...messages: readonly object[]): void {
  for (const message of messages) running.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

const tool = (id: number, name: string, args: object = {}): object => ({
  id,
  method: "tools/call",
  params: { name, arguments: args },
});

/** Every line must be a JSON-RPC message. */
function messages(stdout: string): readonly Message[] {
  expect(stdout === "" || stdout.endsWith("\n")).toBe(true);
  return stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => {
      const message = JSON.parse(line) as Message;
      expect(message.jsonrpc).toBe("2.0");
      return message;
    });
}

function answer(running: RunningProgram, id: number): Promise<Message> {
  const whole = (): string => running.stdout().slice(0, running.stdout().lastIndexOf("\n") + 1);
  return eventually(() => messages(whole()).find((message) => message.id === id));
}

const LIMIT = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.0001", price: "90000000" };

const isHost = (assistant: Assistant): boolean => assistant.stderr().includes("This process hosts the paper exchange");

describe("hoga serve over stdio", () => {
  it("writes nothing but JSON-RPC lines to stdout, and ends with its input", async () => {
    const home = wideHome();
    const running = start(["serve"], { home, env: { HOGA_LOG_LEVEL: "debug" } });
    say(running, ...HELLO, { id: 2, method: "tools/list" });
    expect((await answer(running, 2)).result).toBeDefined();
    running.child.stdin.write("this is no JSON\n");
    say(running, tool(3, "get_balances"), tool(4, "place_order", { ...LIMIT, userref: "raw" }), {
      id: 5,
      method: "nonsense",
    });
    say(
      running,
      tool(6, "place_order", { ...LIMIT, prise: "1" }),
      tool(7, "no_such_tool"),
      tool(8, "get_orderbook", { symbol: "BTC/KRW" }),
    );
    for (const id of [3, 4, 5, 6, 7, 8]) await answer(running, id);
    expect((await answer(running, 4)).result?.structuredContent).toMatchObject({ outcome: "accepted" });
    expect((await answer(running, 6)).result).toMatchObject({ isError: true });
    running.child.stdin.end();
    const { code, signal, stdout, stderr } = await running.ended;
    expect({ code, signal }).toEqual({ code: 0, signal: null });
    expect(messages(stdout).length).toBeGreaterThanOrEqual(8);
    expect(stderr).not.toMatch(/\n +at /);
    const key = JSON.parse(readFileSync(join(home, "sandbox", "key.json"), "utf8")) as { api_secret: string };
    expect(stdout + stderr).not.toContain(key.api_secret);
  });

  it.concurrent.each(["SIGTERM", "SIGINT"] as const)("ends in order on %s", async (signal) => {
    const running = start(["serve"]);
    say(running, ...HELLO, tool(2, "get_balances"));
    await answer(running, 2);
    const ended = await running.stop(signal);
    expect({ code: ended.code, signal: ended.signal }).toEqual({ code: 0, signal: null });
    expect(messages(ended.stdout)).toHaveLength(2);
  });

  it("follows an order to its outcome when its client leaves in the middle", async () => {
    const home = wideHome();
    const running = start(["serve"], { home });
    say(running, ...HELLO, tool(2, "get_balances"));
    await answer(running, 2);
    say(running, ...["a", "b", "c"].map((userref, at) => tool(3 + at, "place_order", { ...LIMIT, userref })));
    running.child.stdin.end();
    expect(await running.ended).toMatchObject({ code: 0, signal: null });
    const db = new Database(join(home, "hoga.db"));
    const states = db.prepare("SELECT userref, state FROM intents ORDER BY userref").all([]) as readonly object[];
    db.close();
    expect(states.map((row) => ({ ...row }))).toEqual(["a", "b", "c"].map((userref) => ({ userref, state: "open" })));
    const assistant = await connect({ home });
    await assistant.call("get_balances");
    expect(new Set((await venueOrders(home)).map(({ userref }) => userref))).toEqual(new Set(["a", "b", "c"]));
    await assistant.close();
  });

  it("says on stderr, and not on stdout, why it cannot start", async () => {
    const home = freshHome();
    writeFileSync(join(home, "hoga.db"), "no database at all, and rather short");
    const running = start(["serve", "--json"], { home });
    say(running, ...HELLO);
    const { code, stdout, stderr } = await running.ended;
    expect(code).toBe(1);
    expect(messages(stdout).length).toBeLessThanOrEqual(1);
    expect(stderr).toMatch(/hoga\.db is damaged.*\n {2}→ /);
    const missing = start(["serve", "--json", "--profile", "nobody"], { home });
    expect(await missing.ended).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining('"nobody"') });
  });

  it("ends at once when nothing was called, and leaves no damage when it is killed right after its start", async () => {
    const home = wideHome();
    const probe = start(["serve"], { home });
    say(probe, ...HELLO, { id: 2, method: "tools/list" });
    await answer(probe, 2);
    probe.child.stdin.end();
    const { code, stderr } = await probe.ended;
    expect({ code, stderr: stderr.replace(/^hoga: This process hosts .*\n/, "") }).toEqual({ code: 0, stderr: "" });
    const random = chance(seeded("probe").seed);
    const probes = Array.from({ length: 6 }, async () => {
      const sibling = start(["serve"], { home });
      say(sibling, ...HELLO, tool(2, "get_balances"));
      await pause(200 + random() * 900);
      await sibling.stop("SIGKILL");
      messages(sibling.stdout().slice(0, sibling.stdout().lastIndexOf("\n") + 1));
    });
    const assistant = await connect({ home });
    await Promise.all(probes);
    expect(await assistant.call("place_order", { ...LIMIT, userref: "x" })).toMatchObject({ outcome: "accepted" });
    expect(await venueOrders(home)).toMatchObject([{ userref: "x", state: "open" }]);
    await assistant.close();
  });

  it("starts six at once in a fresh home: one migration, one host, one account, and one next host", async () => {
    const home = freshHome();
    const assistants = await Promise.all(Array.from({ length: 6 }, () => connect({ home })));
    const replies = await Promise.all(assistants.map((assistant) => assistant.call("get_balances")));
    for (const { isError, balances } of replies)
      expect({ isError, balances }).toMatchObject({ isError: false, balances: [{ asset: "KRW", total: "10000000" }] });
    const hosts = assistants.filter(isHost);
    expect(hosts.map(({ pid }) => pid)).toEqual([hostOf(home)?.pid]);
    expect(assistants.map((assistant) => assistant.stderr()).join("")).not.toMatch(/broke|damaged|locked/);
    const db = new Database(join(home, "hoga.db"));
    const versions = db.prepare("SELECT version FROM schema_version ORDER BY version").all([]) as { version: number }[];
    db.close();
    // Each step of the schema was taken once.
    expect(new Set(versions.map(({ version }) => version)).size).toBe(versions.length);
    expect(versions.at(-1)).toEqual({ version: SCHEMA_VERSION });

    // Five want to be the next host; one is.
    const [killed] = hosts;
    await killed?.kill();
    const rest = assistants.filter((assistant) => assistant !== killed);
    await eventually(() => rest.find(({ pid }) => pid === hostOf(home)?.pid));
    for (const reply of await Promise.all(rest.map((assistant) => assistant.call("get_balances"))))
      expect(reply).toMatchObject({ isError: false, balances: [{ asset: "KRW", total: "10000000" }] });
    expect(rest.filter(isHost)).toHaveLength(1);
    await Promise.all(rest.map((assistant) => assistant.close()));
    expect(existsSync(join(home, "sandbox", "host.json"))).toBe(false);
    for (const assistant of assistants) expect(assistant.stderr()).not.toMatch(/\n +at |inside hoga/);
  });
});
