/**
 * Who can do what, as trust.md#who-can has it, tried with the defaults: clients without a person on the paper exchange and on one
 * that is called live, another user of this machine, and a shell of the same user.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Asker, kinds, served, YES } from "../../approval/clients.ts";
import { waitingIn } from "../../approval/home.ts";
import { openHttpWire, type Wire } from "../../approval/wire.ts";
import { freePort, oneLine, type SandboxLine } from "../../fixture/command.ts";
import { cleanUp, PIN, runTerminal, setPin, useRealPrograms } from "../../fixture/command-line.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { addressIn, type HttpAddress } from "../../fixture/http-address.ts";
import { NOBODY, needRoot, programFor } from "../../fixture/other-user.ts";
import { paperHome } from "../../fixture/paper-home.ts";
import { type RunningProgram, run, start, startSandbox } from "../../fixture/program.ts";
import { openShell } from "../../fixture/pseudo-terminal.ts";
import { hostOf, venueOrders } from "../../fixture/witness.ts";
import { send, sign } from "../../sandbox/http/signed-client.ts";
import type { ToolResult } from "../../story/story-client.ts";

useRealPrograms();
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

afterAll(async () => {
  await Promise.all(assistants.map((assistant) => assistant.close()));
  await cleanUp();
});

let paper: string;
/** An exchange of this machine with a market in it, called live: the rules of real money, and no policy.toml. */
let live: string;
let exchange: SandboxLine;
let http: HttpAddress;
let serving: RunningProgram;
/** As the live exchange would take it, waiting for its person. */
let order: object;

beforeAll(async () => {
  [paper, exchange] = await Promise.all([
    paperHome(),
    startSandbox({ home: freshHome() }, []).then(({ line }) => line),
  ]);
  live = freshHome();
  const { base_url, api_key: key, api_secret: secret } = exchange;
  const lines = Object.entries({ environment: "live", base_url, key, secret }).map(
    ([name, value]) => `${name} = ${JSON.stringify(value)}\n`,
  );
  writeFileSync(join(live, "config.toml"), `default_profile = "real"\n[profiles.real]\n${lines.join("")}`, {
    mode: 0o600,
  });
  // As a careless umask makes them: hoga closes them.
  for (const home of [paper, live]) chmodSync(home, 0o777);
  serving = start(["serve", "--http", "--json", "--show-token", "--port", "0"], { home: live });
  http = addressIn(await serving.firstLine());
});

/** An order near the market, a little below it for a buy and above it for a sell, so that it rests. */
async function near(asker: Pick<Asker, "call">, side: "buy" | "sell", volume: string): Promise<object> {
  const { structured } = await asker.call("get_orderbook", { symbol: "BTC/KRW" });
  const factor = side === "buy" ? 0.98 : 1.02;
  const thousands = Math.round((Number.parseInt(String(structured["mid"]), 10) * factor) / 1_000); // not money: any price near
  return { symbol: "BTC/KRW", side, type: "limit", base_volume: volume, price: `${thousands}000` };
}

const AWAITING = { outcome: "not_sent", state: "awaiting_approval" };
const ACCEPTED = { outcome: "accepted" };
const DENIED = { outcome: "not_sent", error: { code: "ELocal:Denied by policy" } };
const HALTED = { outcome: "not_sent", error: { code: "ELocal:Trading halted" } };

/** Two without forms, and two that answer theirs by themselves. */
const CLIENTS = [
  { over: "stdio", forms: false },
  { over: "HTTP", forms: false },
  { over: "stdio", forms: true },
  { over: "HTTP", forms: true },
] as const;

class Assistant {
  asked = 0;
  readonly forms: boolean;
  readonly #asker: Promise<Asker>;

  constructor(home: string, { over, forms }: (typeof CLIENTS)[number]) {
    this.forms = forms;
    const answer = () => {
      this.asked += 1;
      return YES;
    };
    const kind = kinds().find(({ name }) => name === `client 2.x over ${over}`);
    if (kind === undefined) throw new Error(over);
    this.#asker = kind.open(home, forms ? { elicitation: { form: {} }, answer } : { answer });
  }

  async call(name: string, args: object = {}): Promise<ToolResult> {
    return (await this.#asker).call(name, args);
  }

  async done(name: string): Promise<void> {
    const { isError, text } = await this.call(name);
    expect({ name, isError, text }).toEqual({ name, isError: false, text });
  }

  async place(side: "buy" | "sell", volume: string): Promise<unknown> {
    return (await this.call("place_order", await near(this, side, volume))).structured;
  }

  async close(): Promise<void> {
    await (await this.#asker).close();
  }
}

const assistants: Assistant[] = [];
function opened(home: string): readonly Assistant[] {
  const all = CLIENTS.map((client) => new Assistant(home, client));
  assistants.push(...all);
  return all;
}

describe("a client without a person", () => {
  it("reads, places within the limits and not over them, cancels and halts on paper", async () => {
    const clients = opened(paper);
    for (const userref of ["one", "two"]) {
      const buy = { symbol: "BTC/KRW", side: "buy", type: "market", base_volume: "0.004", userref };
      expect((await clients[0]?.call("place_order", buy))?.structured).toMatchObject(ACCEPTED);
    }
    for (const client of clients) {
      await client.done("get_balances");
      expect(await client.place("buy", "0.001")).toMatchObject(ACCEPTED);
      expect(await client.place("buy", "0.01")).toMatchObject(DENIED);
      // The one thing that the defaults ask a person about here: to sell what is held, over a limit.
      expect(await client.place("sell", "0.0075")).toMatchObject(client.forms ? ACCEPTED : AWAITING);
      expect(client.asked).toBe(client.forms ? 1 : 0);
      const canceled = client.forms ? { canceled: 2, withdrawn: [] } : { canceled: 1, withdrawn: [{}] };
      expect((await client.call("cancel_all_orders")).structured).toMatchObject({ ...canceled, remaining: 0 });
    }
    expect((await venueOrders(paper)).filter(({ state }) => state === "open")).toEqual([]);
    for (const client of clients) {
      await client.done("halt_trading");
      expect(await client.place("buy", "0.001")).toMatchObject(HALTED);
    }
  });

  it("reads, cancels and halts on a live exchange, and places nothing, before there is a PIN and after", async () => {
    const clients = opened(live);
    for (const client of clients) {
      await client.done("get_balances");
      expect(await client.place("buy", "0.001")).toMatchObject({ error: { code: "ELocal:Not approved" } });
      expect(await client.place("buy", "0.01")).toMatchObject(DENIED);
    }
    await setPin(live);
    for (const client of clients) {
      expect(await client.place("buy", "0.001")).toMatchObject(AWAITING);
      expect(await client.place("buy", "0.01")).toMatchObject(DENIED);
      const { structured } = await client.call("cancel_all_orders");
      expect(structured).toMatchObject({ canceled: 0, withdrawn: [{}], remaining: 0 });
    }
    for (const client of clients) {
      await client.done("halt_trading");
      expect(await client.place("buy", "0.001")).toMatchObject(HALTED);
    }
    expect(clients.map(({ asked }) => asked)).toEqual([0, 0, 0, 0]);
    expect((await runTerminal(["resume"], { home: live }, [["PIN: ", PIN]])).screen).toContain("Trading goes on.");
  });
});

/** What another user tries with each path: run as that user, with nothing of ours. */
const TRIES = `
const fs = require("node:fs");
const codeOf = (work) => { try { work(); return "done"; } catch (error) { return error.code ?? String(error); } };
const { paths, pid } = JSON.parse(fs.readFileSync(0, "utf8"));
const told = {};
for (const path of paths) {
  told["read " + path] = codeOf(() => fs.statSync(path).isDirectory() ? fs.readdirSync(path) : fs.readFileSync(path));
  told["write " + path] = codeOf(() => fs.closeSync(fs.openSync(path, "r+")));
  told["make " + path] = codeOf(() => fs.writeFileSync(path + "/theirs", "x"));
  told["remove " + path] = codeOf(() => fs.renameSync(path, path + ".gone"));
}
told["signal"] = codeOf(() => process.kill(pid, "SIGTERM"));
for (const name of ["environ", "mem", "fd"])
  told["read " + name] = codeOf(() => name === "fd" ? fs.readdirSync("/proc/" + pid + "/fd") : fs.readFileSync("/proc/" + pid + "/" + name));
console.log(JSON.stringify(told));
`;

/** A server that notes what it is sent. */
const LISTENS = `
require("node:http").createServer((request, answer) => { console.log(request.headers.authorization); answer.end("{}"); })
  .listen(Number(process.argv[1]), "127.0.0.1", () => console.log("ready"));
`;

describe("another user of this machine", () => {
  let secrets: readonly string[];
  let intentId: string;
  beforeAll(async () => {
    secrets = [exchange.api_key, exchange.api_secret, readFileSync(join(live, "http-token"), "utf8").trim()];
    const client = asAsker(await openHttpWire(http, "2026-07-28"));
    order = await near(client, "buy", "0.001");
    const waiting = (await client.call("place_order", order)).structured;
    expect(waiting).toMatchObject(AWAITING);
    intentId = String(waiting["intent_id"]);
  });

  const everything = (): string[] =>
    [paper, live].flatMap((home) => [
      home,
      ...readdirSync(home, { recursive: true, encoding: "utf8" }).map((name) => join(home, name)),
    ]);

  it("finds the data directory closed, whatever umask made it", () => {
    for (const home of [paper, live]) {
      const { mode, uid } = statSync(home);
      expect([mode & 0o077, uid]).toEqual([0, process.getuid?.()]);
      expect([home, statSync(join(home, "http-token")).mode & 0o077]).toEqual([home, 0]);
    }
  });

  it("reads, changes and removes nothing there, and does not reach the process", () => {
    const input = JSON.stringify({ paths: everything(), pid: serving.pid });
    const tried = spawnSync(process.execPath, ["-e", TRIES], { ...theirs(), input, encoding: "utf8", cwd: "/" });
    const told = JSON.parse(tried.stdout || `{"failed":${JSON.stringify(tried.stderr)}}`) as Record<string, string>;
    expect(Object.keys(told).length).toBeGreaterThan(30);
    // That a directory is no file is seen before whose it is.
    const refused = (what: string) => ["EACCES", "EPERM", ...(what.startsWith("write ") ? ["EISDIR"] : [])];
    expect(Object.entries(told).filter(([what, code]) => !refused(what).includes(code))).toEqual([]);
    const words = readFileSync(`/proc/${serving.pid}/cmdline`, "utf8");
    for (const secret of secrets) expect(words).not.toContain(secret);
  });

  it("does not come in over HTTP without the token, and finds out that somebody listens", async () => {
    const stranger = await openHttpWire({ url: http.url, headers: {} }, "2026-07-28");
    expect((await stranger.request("tools/call", { name: "get_balances", arguments: {} })).error).toBeDefined();
    const refused = await fetch(http.url, { method: "POST", body: "{}" });
    expect(refused.status).toBe(401);
    expect(await (await fetch(new URL("/healthz", http.url))).json()).toEqual({ status: "ok" });
  });

  it("sees the paper exchange's market on its port, and of its accounts nothing", async () => {
    const { base_url } = hostOf(paper) ?? { base_url: "" };
    expect((await fetch(`${base_url}/v1/markets`)).status).toBe(200);
    expect((await fetch(`${base_url}${ORDERS}`)).status).toBe(401);
  });

  it("gets nothing out of hoga itself, on a terminal, over that data directory", async () => {
    const place = theirs();
    const copy = mkdtempSync(join(tmpdir(), "hoga-program-"));
    const cli = programFor(copy);
    const commands = [["approve", intentId], ["resume"], ["pin"], ["halt"], ["serve", "--http", "--port", "0"]];
    const ends = commands.map(async (words) => {
      const line = [...AS_NOBODY, process.execPath, cli, ...words].map((word) => `'${word}'`).join(" ");
      const { code, screen } = await openShell(`exec ${line}`, { ...place.env, HOGA_HOME: live }).ended;
      return { words, failed: code !== 0, why: /EACCES|EPERM|cannot be/.test(screen), screen };
    });
    for (const { words, failed, why, screen } of await Promise.all(ends)) {
      expect({ words, failed, why, screen }).toEqual({ words, failed: true, why: true, screen });
      for (const secret of secrets) expect(screen).not.toContain(secret);
    }
    rmSync(copy, { recursive: true });
    expect(await waitingIn(live)).toHaveLength(1);
  });

  it("meets the token where it takes the port while no hoga runs, and hoga then says that it is taken", async () => {
    const port = await freePort();
    const child = spawn(process.execPath, ["-e", LISTENS, String(port)], { ...theirs(), stdio: "pipe", cwd: "/" });
    try {
      let told = "";
      child.stdout.on("data", (text: Buffer) => {
        told += text.toString();
      });
      await expect.poll(() => told, { timeout: 10_000 }).toContain("ready");
      const refused = await run(["serve", "--http", "--port", String(port)], { home: live });
      expect(refused.code).not.toBe(0);
      expect(refused.stderr).toMatch(/port/i);
      await fetch(`http://127.0.0.1:${port}/mcp`, { method: "POST", headers: http.headers });
      await expect.poll(() => told).toContain(secrets[2]);
    } finally {
      child.kill("SIGKILL");
      await once(child, "close");
    }
  });
});

const AS_NOBODY = ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"];

/** As another user starts programs, with a home of their own. */
function theirs() {
  needRoot();
  const own = freshHome();
  chownSync(own, NOBODY, NOBODY);
  return { uid: NOBODY, gid: NOBODY, env: { PATH: process.env["PATH"] ?? "", HOME: own } };
}

function asAsker(wire: Wire): Pick<Asker, "call"> {
  return {
    call: async (name, args) => {
      const { result } = await wire.request("tools/call", { name, arguments: args });
      return { structured: result?.["structuredContent"] as Record<string, unknown>, text: "", isError: false };
    },
  };
}

describe("a shell of the same user", () => {
  it("reads the token and trades within the policy on paper, and beyond it once it has rewritten that", async () => {
    const { url } = await served(paper);
    const authorization = `Bearer ${readFileSync(join(paper, "http-token"), "utf8").trim()}`;
    const client = asAsker(await openHttpWire({ url, headers: { authorization } }, "2026-07-28"));
    const place = async (volume: string) =>
      (await client.call("place_order", await near(client, "buy", volume))).structured;
    // Its own PIN, as there was none: then it is the person who resumes.
    await setPin(paper);
    expect((await runTerminal(["resume"], { home: paper }, [["PIN: ", PIN]])).screen).toContain("Trading goes on.");
    expect(await place("0.001")).toMatchObject(ACCEPTED);
    expect(await place("0.01")).toMatchObject(DENIED);
    writeFileSync(join(paper, "policy.toml"), 'max_order_krw = "5000000"\n', { mode: 0o600 });
    expect(await place("0.01")).toMatchObject(ACCEPTED);
    const key = JSON.parse(readFileSync(join(paper, "sandbox", "key.json"), "utf8")) as Record<string, string>;
    expect(await ask(hostOf(paper)?.base_url ?? "", key["api_key"] ?? "", key["api_secret"] ?? "")).toBe(200);
  });

  it("approves, resumes and replaces the PIN on a live exchange with nothing but the PIN", async () => {
    const [waiting] = await waitingIn(live);
    for (const words of [["approve", waiting?.intent_id ?? ""], ["resume"], ["pin"]]) {
      if (words[0] === "resume") expect((await run(["halt"], { home: live })).code).toBe(0);
      const isPin = words[0] === "pin";
      const answers = [[isPin ? "Current PIN: " : "PIN: ", "a guess"], ...(isPin ? NEW_PIN : [])] as const;
      const { code, screen } = await runTerminal(words, { home: live }, answers as never);
      expect({ words, code, screen }).toMatchObject({ words, code: 3 });
    }
  });

  it("reads the key on a live exchange, or puts another store there and is the person", async () => {
    const [, key = "", secret = ""] =
      /^key = "(.+)"\nsecret = "(.+)"$/m.exec(readFileSync(join(live, "config.toml"), "utf8")) ?? [];
    await serving.stop();
    for (const name of readdirSync(live)) if (name !== "config.toml") rmSync(join(live, name), { recursive: true });
    // The person who was here has to notice that nothing of theirs is left: a PIN is no lock on one's own files.
    await setPin(live);
    const { userref } = oneLine(await run(["call", "place_order", JSON.stringify(order), "--json"], { home: live }));
    const approved = await runTerminal(["approve", String(userref)], { home: live }, [["PIN: ", PIN]]);
    expect(approved.screen).toContain("Accepted: buy 0.001 BTC");
    expect(await ask(exchange.base_url, key, secret)).toBe(200);
  });
});

const NEW_PIN = [
  ["New PIN (6 to 64 characters): ", "its own choice"],
  ["New PIN again: ", "its own choice"],
] as const;

const ORDERS = "/v1/orders?state=all&limit=500";

/** Past hoga altogether. @returns the status of a signed query */
async function ask(baseUrl: string, key: string, secret: string): Promise<number> {
  const nonce = String(Date.now() + 60_000);
  const headers = { "API-Key": key, "API-Nonce": nonce, "API-Sign": sign(secret, nonce, `GET ${ORDERS}`, "") };
  return (await send(baseUrl, "GET", ORDERS, headers)).status;
}
