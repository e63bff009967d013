/** `hoga connect` by hand, line by line: what no client of an SDK sends, what a server answers that is none, and how it ends. */
import { once } from "node:events";
import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { LIMIT, setPolicy, waitingIn } from "../approval/home.ts";
import { type Ended, eventually, oneLine, type Running } from "../fixture/command.ts";
import { cleanUp, run, start } from "../fixture/command-line.ts";
import { freshHome } from "../fixture/data-dir.ts";
import { venueOrders } from "../fixture/witness.ts";
import { SELF_SIGNED } from "../transport/self-signed.ts";
import { Elsewhere } from "./connected.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let there: Elsewhere;
beforeAll(async () => {
  there = await Elsewhere.open();
});
afterEach(() => there.rest());
afterAll(async () => {
  await cleanUp();
  await there.close();
});

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: object };
}

const INITIALIZE = {
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: { elicitation: {} },
    clientInfo: { name: "by hand", version: "1" },
  },
};
const INITIALIZED = { method: "notifications/initialized" };
/** Large enough for a person to be asked. */
const ASKED = { ...LIMIT, base_volume: "0.0051" };
const call = (id: number, name: string, args: object = {}) => ({
  id,
  method: "tools/call",
  params: { name, arguments: args },
});

/** A connection whose lines are written and read here. */
class Line {
  readonly own = freshHome();
  readonly running: Running;

  constructor(url = there.relay.url, env: Readonly<Record<string, string>> = {}) {
    this.running = start(["connect", url], { home: this.own, env: { HOGA_TOKEN: there.token, ...env } });
  }

  say(...messages: readonly object[]): void {
    for (const message of messages) this.running.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  /** Every whole line has to be a message. */
  get heard(): readonly Message[] {
    const lines = this.running.stdout().split("\n").slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Message);
  }

  answer(id: number): Promise<Message> {
    return eventually(() => this.heard.find((message) => message.id === id && message.method === undefined));
  }

  asked(nth: number): Promise<Message> {
    return eventually(() => this.heard.filter(({ method }) => method === "elicitation/create")[nth]);
  }

  async begin(): Promise<this> {
    this.say(INITIALIZE);
    await this.answer(1);
    this.say(INITIALIZED);
    return this;
  }

  end(): Promise<Ended> {
    this.running.stdin.end();
    return this.running.ended;
  }
}

describe("a connection", () => {
  it("answers everything that was read before the end of input, and leaves nothing behind", async () => {
    const line = new Line();
    line.say(INITIALIZE, INITIALIZED, call(2, "get_balances"), { id: 3, method: "tools/list" });
    const ended = await line.end();
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(line.heard.filter(({ result }) => result !== undefined)).toHaveLength(3);
    expect(new Set(line.heard.map(({ id }) => id))).toEqual(new Set([1, 2, 3]));
    expect(readdirSync(line.own)).toEqual([]);
  });

  it("follows an order to its answer when it is asked to end", async () => {
    const line = await new Line().begin();
    there.relay.decide(({ method }) => (method === "POST" ? "slow" : "forward"));
    const before = there.relay.arrivals.length;
    line.say(call(2, "place_order", { ...ASKED, userref: "at-the-end" }));
    await eventually(() => there.relay.arrivals.length > before || undefined);
    const [ended, { result }] = await Promise.all([line.running.stop(), line.answer(2)]);
    expect(result).toMatchObject({ structuredContent: { state: "awaiting_approval" } });
    expect(ended.code).toBe(0);
  });

  it("tells who still waits at its end that no answer comes", async () => {
    const line = await new Line().begin();
    there.relay.decide(({ method }) => (method === "POST" ? "silence" : "forward"));
    line.say(call(2, "get_balances"));
    await pause(100);
    const ended = await line.end();
    expect(ended.code).toBe(0);
    expect((await line.answer(2)).error?.message).toContain("This connection ends");
  });

  it("survives lines that are no messages, and lets no hidden argument through", async () => {
    const line = await new Line(there.url).begin();
    line.running.stdin.write("this is not JSON\n\n{}\n[]\n");
    const hidden = '{"name":"get_markets","arguments":{"__proto__":{"search":"x"}}}';
    line.running.stdin.write(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":${hidden}}\n`);
    expect((await line.answer(2)).result).toMatchObject({ isError: true });
    const deep = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;
    line.running.stdin.write(
      `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"get_markets","arguments":${deep}}}\n`,
    );
    await line.answer(3);
    line.say({
      id: 4,
      method: "tools/call",
      params: { name: "get_markets", arguments: { search: "x".repeat(400_000) } },
    });
    expect((await line.answer(4)).error?.message).toContain("bytes");
    line.say({ id: 5, method: "nonsense" }, call(6, "get_balances"));
    expect((await line.answer(5)).error).toMatchObject({ code: -32601 });
    expect((await line.answer(6)).result).toBeDefined();
    await line.end();
  });

  it("refuses a second request under the id of one that runs, and both have one answer", async () => {
    const line = await new Line().begin();
    there.relay.decide(({ method }) => (method === "POST" ? "slow" : "forward"));
    line.say(call(2, "get_balances"), call(2, "get_balances"));
    await eventually(() => line.heard.filter(({ id }) => id === 2).length === 2 || undefined);
    await line.end();
    const answers = line.heard.filter(({ id }) => id === 2).map(({ error }) => error?.code);
    expect(answers).toEqual([-32600, undefined]);
  });
});

describe("a person's answer", () => {
  it("when it is to a question of a server that is gone, is taken for no other, and the question is withdrawn", async () => {
    const line = await new Line(there.url).begin();
    const order = (userref: string) => ({ ...LIMIT, base_volume: userref === "old" ? "0.0052" : "0.0053", userref });
    line.say(call(2, "place_order", order("old")));
    const old = await line.asked(0);
    await there.server?.stop();
    await there.serve();
    line.say(call(3, "place_order", order("new")));
    const fresh = await line.asked(1);
    expect(line.heard.find(({ id, method }) => id === 2 && method === undefined)).toBeDefined();
    expect(line.heard.find(({ method }) => method === "notifications/cancelled")?.params).toMatchObject({
      requestId: old.id,
    });
    expect(fresh.id).not.toBe(old.id);
    const yes = { action: "accept", content: { approve: true } };
    line.say({ id: old.id, result: yes });
    await pause(300);
    expect(await venueOrders(there.home)).toEqual([]);
    line.say({ id: fresh.id, result: yes });
    expect((await line.answer(3)).result).toMatchObject({ structuredContent: { outcome: "accepted" } });
    expect((await venueOrders(there.home)).map(({ userref }) => userref)).toEqual(["new"]);
    expect((await waitingIn(there.home)).map(({ userref }) => userref)).toContain("old");
    await line.end();
  });

  it("is not waited for when the client goes while the form is open", async () => {
    const line = await new Line().begin();
    line.say(call(2, "place_order", { ...LIMIT, base_volume: "0.0054", userref: "left" }));
    await line.asked(0);
    const begun = performance.now();
    expect((await line.end()).code).toBe(0);
    expect(performance.now() - begun).toBeLessThan(8_000);
    expect((await line.answer(2)).result).toMatchObject({ structuredContent: { outcome: "not_sent" } });
  });
});

describe("a server", () => {
  it("when it does not know the token, is named with what to do, and the token is told to nobody", async () => {
    const wrong = "a-token-that-nobody-knows-at-all-0123456789";
    const line = new Line(there.relay.url, { HOGA_TOKEN: wrong });
    line.say(INITIALIZE);
    const { error } = await line.answer(1);
    expect(error?.message).toMatch(/does not accept the token \(401\).*HOGA_TOKEN.*--token-file/);
    const { stdout, stderr } = await line.end();
    expect(stdout + stderr).not.toContain(wrong);
  });

  it("says so when the token may not ask for this, with what the token lacks", async () => {
    const { token } = oneLine(await run(["tokens", "create", "looker", "--json"], { home: there.home }));
    const line = await new Line(there.url, { HOGA_TOKEN: String(token) }).begin();
    line.say(call(2, "place_order", LIMIT), call(3, "get_ticker", { symbols: ["BTC/KRW"] }));
    expect((await line.answer(2)).error).toMatchObject({
      message: expect.stringMatching(/\(403\)\. Nothing was done\..*trade:write/),
      data: { outcome: "not_sent" },
    });
    expect((await line.answer(3)).result).toBeDefined();
    await line.end();
  });

  it("when it is none, is said to be none, and an order to it to be unknown", async () => {
    const line = new Line(`${there.relay.url}/elsewhere`);
    line.say(INITIALIZE);
    expect((await line.answer(1)).error?.message).toMatch(/HTTP 404 and does not speak MCP.*ends in \/mcp/);
    await line.end();
    const other = await new Line().begin();
    there.relay.decide(() => "html");
    other.say(call(2, "place_order", LIMIT), call(3, "get_balances"));
    expect((await other.answer(2)).error).toMatchObject({ data: { outcome: "unknown" } });
    expect((await other.answer(3)).error?.message).toContain("Ask again.");
    await other.end();
  });

  it("gets nothing when nobody vouches for it, whatever the environment says of certificates", async () => {
    const blind = { NODE_TLS_REJECT_UNAUTHORIZED: "0" };
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    // Node warns of it once.
    vi.spyOn(process, "emitWarning").mockReturnValue(undefined);
    let arrived = 0;
    const https = createServer(SELF_SIGNED, (_, response) => {
      arrived += 1;
      response.end("{}");
    });
    await once(https.listen(0, "127.0.0.1"), "listening");
    const line = new Line(`https://127.0.0.1:${(https.address() as AddressInfo).port}`, blind);
    line.say(INITIALIZE);
    const { error } = await line.answer(1);
    expect(error?.message).toMatch(/certificate of 127\.0\.0\.1:\d+ is not accepted \(DEPTH_ZERO_SELF_SIGNED_CERT\)/);
    expect(arrived).toBe(0);
    await line.end();
    https.close();
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });
});

describe("another server in the place of the first", () => {
  it("is not taken for it: nothing is sent, and the client is told to begin anew", async () => {
    const line = await new Line(there.url).begin();
    await there.server?.stop();
    setPolicy(there.home, { mode: '"read-only"' });
    await there.serve();
    line.say(call(2, "get_balances"));
    expect((await line.answer(2)).error).toMatchObject({
      message: expect.stringMatching(/is another one since.*Start this connection again/),
      data: { outcome: "not_sent" },
    });
    await line.end();
    const fresh = await new Line(there.url).begin();
    fresh.say(call(2, "get_balances"));
    expect((await fresh.answer(2)).result).toBeDefined();
    await fresh.end();
  });
});

describe("what is given at the start", () => {
  const own = freshHome();
  const file = (name: string, mode: number, text: string): string => {
    const path = join(own, name);
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  };

  it("may be a file with the token, closed to others", async () => {
    const path = file("good", 0o600, `${there.token}\n`);
    const running = start(["connect", there.relay.url, "--token-file", path], {
      env: { HOGA_TOKEN: "not-this-one-0123456789" },
    });
    running.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...INITIALIZE })}\n`);
    running.stdin.end();
    expect(JSON.parse((await running.ended).stdout)).toMatchObject({ id: 1, result: {} });
  });

  it.each<[string, readonly string[], RegExp, number]>([
    ["no token", ["http://127.0.0.1:1"], /no token.*\n.*HOGA_TOKEN.*--token-file/, 1],
    ["a file that is open", ["http://127.0.0.1:1", "--token-file", "open"], /is open to other users.*mode 644/, 1],
    ["a file that is missing", ["http://127.0.0.1:1", "--token-file", "none"], /does not exist/, 1],
    ["a link", ["http://127.0.0.1:1", "--token-file", "link"], /is a link, and what it leads to is not used/, 1],
    ["a directory", ["http://127.0.0.1:1", "--token-file", "dir"], /is not a file/, 1],
    ["a file with more than a token", ["http://127.0.0.1:1", "--token-file", "words"], /is no token/, 1],
    ["no address", [], /missing required argument 'url'/, 2],
    ["http to elsewhere", ["http://example.com/mcp", "--token-file", "closed"], /over http.*\n.*https/, 1],
    ["a password in the address", ["https://a:b@example.com/mcp", "--token-file", "closed"], /holds more than host/, 1],
    ["what is no address", ["example.com", "--token-file", "closed"], /is not the address of a server/, 1],
    ["the token as a word", ["http://127.0.0.1:1", "--token", "x"], /unknown option '--token'/, 2],
  ])("is refused with the fix: %s", async (_, words, why, code) => {
    file("open", 0o644, there.token);
    file("closed", 0o600, there.token);
    file("words", 0o600, "this is what I got from them");
    if (!readdirSync(own).includes("link")) symlinkSync(join(own, "closed"), join(own, "link"));
    mkdirSync(join(own, "dir"), { recursive: true, mode: 0o700 });
    const [url = [], ...rest] = words;
    const paths = rest.map((word, at) => (rest[at - 1] === "--token-file" ? join(own, word) : word));
    const ended = await run(["connect", ...[url].flat(), ...paths]);
    expect(ended).toMatchObject({ code, stdout: "" });
    expect(ended.stderr).toMatch(why);
    expect(ended.stderr).not.toContain(there.token);
  });
});
