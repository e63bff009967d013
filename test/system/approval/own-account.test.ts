/**
 * hoga under an account of its own, and an assistant with a shell under another, as trust.md#who-can has it: what the assistant
 * does through `hoga connect` with its token, and that it gets behind nothing of it. Its tries succeed under hoga's own account, which
 * shows that they are tries.
 */
import { once } from "node:events";
import { chownSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Asker, openModern } from "../../approval/clients.ts";
import { eventually, oneLine, type SandboxLine } from "../../fixture/command.ts";
import { PIN } from "../../fixture/command-line.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { addressIn } from "../../fixture/http-address.ts";
import { NOBODY, programDir, User } from "../../fixture/other-user.ts";
import { cleanUp, startSandbox } from "../../fixture/program.ts";
import { send, sign } from "../../sandbox/http/signed-client.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** The account of hoga, and that of the assistant. */
let hoga: User;
let shell: User;
let program: ReturnType<typeof programDir>;
let exchange: SandboxLine;
let url: string;
let pid: number;
let assistant: Asker;
/** An order that waits for its person. */
let waiting: Readonly<Record<string, unknown>>;

const cli = (...words: readonly string[]): readonly string[] => [process.execPath, program.cli, ...words];

beforeAll(async () => {
  [hoga, shell, program] = [new User(65_533), new User(NOBODY), programDir()];
  exchange = (await startSandbox({ home: freshHome() }, [])).line;
  const { base_url, api_key: key, api_secret: secret } = exchange;
  const fields = Object.entries({ environment: "live", base_url, key, secret });
  const profile = fields.map(([name, value]) => `${name} = ${JSON.stringify(value)}\n`).join("");
  own(hoga, "config.toml", `default_profile = "real"\n[profiles.real]\n${profile}`);
  // Small orders need nobody here.
  own(hoga, "policy.toml", 'mode = "bounded"\napproval_over_krw = "400000"\n');
  await typed(
    hoga,
    ["pin"],
    [
      ["New PIN (6 to 64 characters): ", PIN],
      ["New PIN again: ", PIN],
    ],
  );
  const serving = hoga.start(cli("serve", "--http", "--json", "--show-token", "--port", "0"));
  let said = "";
  serving.stdout.on("data", (text: Buffer) => {
    said += text.toString();
  });
  ({ url } = addressIn(await eventually(() => (said.includes("\n") ? said : undefined))));
  pid = serving.pid ?? 0;
  const scopes = "market:read,account:read,trade:write,safety:write";
  const { token } = oneLine(hoga.run(cli("tokens", "create", "assistant", "--scopes", scopes, "--json")));
  own(shell, "token", String(token));
  const [command = "", ...args] = shell.words(...cli("connect", url, "--token-file", join(shell.home, "token")));
  const transport = new StdioClientTransport({ command, args, env: shell.env, cwd: "/", stderr: "ignore" });
  assistant = await openModern(transport, "auto", { answer: () => Promise.reject(new Error("nobody is there")) });
});
afterAll(async () => {
  await assistant?.close();
  await Promise.all([hoga?.end(), shell?.end()]);
  await cleanUp();
  program?.remove();
});

/** A file of a user's own, closed to others. */
function own(user: User, name: string, text: string): void {
  const path = join(user.home, name);
  writeFileSync(path, text, { mode: 0o600 });
  chownSync(path, user.uid, user.uid);
}

async function typed(
  user: User,
  words: readonly string[],
  answers: readonly (readonly [question: string, answer: string])[],
): Promise<{ readonly code: number | null; readonly screen: string }> {
  const terminal = user.terminal(cli(...words));
  for (const [question, answer] of answers) {
    await terminal.see(question);
    terminal.type(`${answer}\r`);
  }
  return terminal.ended;
}

/** Rests, a little below the market. */
async function near(volume: string): Promise<object> {
  const { structured } = await assistant.call("get_orderbook", { symbol: "BTC/KRW" });
  const thousands = Math.round((Number.parseInt(String(structured["mid"]), 10) * 0.98) / 1_000); // not money: any price near
  return { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: volume, price: `${thousands}000` };
}

const ORDERS = "/v1/orders?state=all&limit=500";

/** Past hoga altogether. @returns the status of a signed query */
async function ask(key: string, secret: string): Promise<number> {
  const nonce = String(Date.now() + 60_000);
  const headers = { "API-Key": key, "API-Nonce": nonce, "API-Sign": sign(secret, nonce, `GET ${ORDERS}`, "") };
  return (await send(exchange.base_url, "GET", ORDERS, headers)).status;
}

describe("an assistant under another account than hoga's", () => {
  it("looks, trades within the policy, waits where a person is asked, cancels", async () => {
    expect((await assistant.call("get_balances", {})).structured).toMatchObject({ environment: "live" });
    expect((await assistant.call("place_order", await near("0.001"))).structured).toMatchObject({
      outcome: "accepted",
    });
    waiting = (await assistant.call("place_order", await near("0.005"))).structured;
    expect(waiting).toMatchObject({ outcome: "not_sent", state: "awaiting_approval" });
    const denied = (await assistant.call("place_order", await near("0.02"))).structured;
    expect(denied).toMatchObject({ outcome: "not_sent", error: { code: "ELocal:Denied by policy" } });
    const [first] = (await assistant.call("get_open_orders", {})).structured["orders"] as {
      readonly orderId: string;
    }[];
    const canceled = (await assistant.call("cancel_order", { order_id: first?.orderId })).structured;
    expect(canceled).toMatchObject({ state: "canceled" });
  });

  it("reads, changes and removes nothing of hoga's, and does not look into its process or stop it", () => {
    const paths = [hoga.home, ...names(hoga.home).map((name) => join(hoga.home, name))];
    for (const name of ["config.toml", "policy.toml", "hoga.db", "http-token"])
      expect(names(hoga.home)).toContain(name);
    const told = tries(shell, paths);
    expect(Object.keys(told).length).toBeGreaterThan(30);
    const refused = (what: string) => ["EACCES", "EPERM", ...(what.startsWith("write ") ? ["EISDIR"] : [])];
    expect(Object.entries(told).filter(([what, code]) => !refused(what).includes(code))).toEqual([]);
    // Nor the program that hoga runs.
    const files = [program.dir, program.cli, join(program.dir, "dist", "cli"), process.execPath];
    const changed = Object.entries(tries(shell, files)).filter(([what]) => /^(write|make|remove) /.test(what));
    expect(
      changed.filter(([, code]) => !["EACCES", "EPERM", "EISDIR", "EROFS", "ETXTBSY", "ENOTDIR"].includes(code)),
    ).toEqual([]);
    // Under hoga's own account the same tries succeed: what keeps the assistant out is whose it is.
    const same = tries(hoga, [join(hoga.home, "config.toml")], false);
    expect(same).toMatchObject({ [`read ${join(hoga.home, "config.toml")}`]: "done", "read environ": "done" });
  });

  it("finds no secret in what it can read: command lines, its own environment, its own files", () => {
    const secrets = [exchange.api_key, exchange.api_secret, readFileSync(join(hoga.home, "http-token"), "utf8").trim()];
    const script = `for f in /proc/[0-9]*/cmdline /proc/[0-9]*/environ; do cat $f 2>/dev/null; done; env; grep -rs . "$HOME"`;
    const { stdout } = shell.run(["sh", "-c", script]);
    expect(stdout).toContain("serve");
    for (const secret of secrets) expect(stdout).not.toContain(secret);
    // The same words under hoga's own account find the key.
    expect(hoga.run(["sh", "-c", script]).stdout).toContain(exchange.api_secret);
  });

  it("approves, denies, settles, resumes, halts and lets in nobody by hoga's own commands over that directory", async () => {
    const id = String(waiting["intent_id"]);
    const before = statesOf(hoga);
    const commands = [
      ...[["approve", id], ["deny", id], ["settle", id, "placed"], ["resume"], ["pin"], ["pending"], ["halt"]],
      ...[
        ["tokens", "create", "mine", "--scopes", "all"],
        ["tokens", "list"],
        ["audit", "export"],
      ],
      ...[["call", "get_balances"], ["portfolio"], ["serve", "--http", "--port", "0"]],
    ];
    const ends = commands.map(async (words) => {
      const { code, screen } = await shell.terminal(cli(...words), { HOGA_HOME: hoga.home }).ended;
      return { words, code, screen };
    });
    // By whose it is, before anything in it is tried.
    const whose = `The data directory ${hoga.home} belongs to another user of this machine`;
    for (const { words, code, screen } of await Promise.all(ends)) {
      expect({ words, code, screen }).toEqual({ words, code: 1, screen: expect.stringContaining(whose) });
      for (const secret of [exchange.api_key, exchange.api_secret]) expect(screen).not.toContain(secret);
    }
    expect(statesOf(hoga)).toEqual(before);
    expect(before).toContainEqual(id);
  });

  it("cannot act on the account from a data directory of its own, nor past hoga", async () => {
    const profile = `environment = "live"\nbase_url = "${exchange.base_url}"\n`;
    own(shell, "config.toml", `default_profile = "real"\n[profiles.real]\n${profile}`);
    own(shell, "policy.toml", 'mode = "bounded"\nmax_order_krw = "900000000"\napproval_over_krw = "900000000"\n');
    const keyless = shell.run(cli("call", "get_balances", "--json"));
    expect([keyless.code, keyless.stdout + keyless.stderr]).toEqual([1, expect.stringMatching(/key/i)]);
    const approved = await typed(shell, ["approve", String(waiting["intent_id"])], []);
    expect(approved.code).not.toBe(0);
    expect(approved.screen).not.toContain("Accepted");
    // Its token opens no exchange, and the exchange takes nothing without a key.
    const token = readFileSync(join(shell.home, "token"), "utf8");
    expect(await ask(token, Buffer.from(token).toString("base64"))).toBe(401);
    expect((await fetch(`${exchange.base_url}${ORDERS}`)).status).toBe(401);
  });

  it("is let in by nothing but its token", async () => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    expect((await fetch(url, { method: "POST", headers, body })).status).toBe(401);
    const child = shell.start(cli("connect", url), { HOGA_TOKEN: "a-token-that-was-guessed-0123456789" });
    child.stdin.end(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: {} })}\n`);
    let said = "";
    child.stdout.on("data", (text: Buffer) => {
      said += text.toString();
    });
    await once(child, "close");
    expect(said).toContain("does not accept the token (401)");
  });

  it("sees its order placed once its person has said yes, under hoga's account and with the PIN", async () => {
    const { code, screen } = await typed(hoga, ["approve", String(waiting["intent_id"])], [["PIN: ", PIN]]);
    expect({ code, screen }).toMatchObject({ code: 0, screen: expect.stringContaining("Accepted: buy 0.005 BTC") });
    const { structured } = await assistant.call("get_order", { userref: waiting["userref"] });
    expect(structured).toMatchObject({ order: { state: "open" } });
  });

  it("halts, and does not go on before its person does", async () => {
    expect((await assistant.call("halt_trading", {})).isError).toBe(false);
    const halted = (await assistant.call("place_order", await near("0.001"))).structured;
    expect(halted).toMatchObject({ outcome: "not_sent", error: { code: "ELocal:Trading halted" } });
    expect((await typed(hoga, ["resume"], [["PIN: ", PIN]])).screen).toContain("Trading goes on.");
    expect((await assistant.call("place_order", await near("0.0011"))).structured).toMatchObject({
      outcome: "accepted",
    });
    // What it has not got would have been enough; last of all, as this nonce is ahead of all others.
    expect(await ask(exchange.api_key, exchange.api_secret)).toBe(200);
  });
});

function names(dir: string): readonly string[] {
  return readdirSync(dir, { recursive: true, encoding: "utf8" });
}

/** Ids of what waits, as hoga's own account lists it. */
function statesOf(user: User): readonly string[] {
  const { pending } = oneLine<{ readonly pending: readonly { readonly intent_id: string }[] }>(
    user.run(cli("pending", "--json")),
  );
  return pending.map(({ intent_id }) => intent_id);
}

/** What a user tries with each path and with hoga's process: run as that user, with nothing of ours. */
const TRIES = `
const fs = require("node:fs");
const codeOf = (work) => { try { work(); return "done"; } catch (error) { return error.code ?? String(error); } };
const { paths, pid, isHarmful } = JSON.parse(fs.readFileSync(0, "utf8"));
const told = {};
for (const path of paths) {
  told["read " + path] = codeOf(() => fs.statSync(path).isDirectory() ? fs.readdirSync(path) : fs.readFileSync(path));
  if (!isHarmful) continue;
  told["write " + path] = codeOf(() => fs.closeSync(fs.openSync(path, "r+")));
  told["make " + path] = codeOf(() => fs.writeFileSync(path + "/theirs", "x"));
  told["remove " + path] = codeOf(() => fs.renameSync(path, path + ".gone"));
  told["open " + path] = codeOf(() => fs.chmodSync(path, 0o777));
  told["own " + path] = codeOf(() => fs.chownSync(path, process.getuid(), process.getgid()));
}
for (const name of ["environ", "maps", "auxv"]) told["read " + name] = codeOf(() => fs.readFileSync("/proc/" + pid + "/" + name));
for (const name of ["mem"]) told["read " + name] = codeOf(() => fs.closeSync(fs.openSync("/proc/" + pid + "/" + name, "r+")));
for (const name of ["fd", "cwd", "root"]) told["read " + name] = codeOf(() => fs.readdirSync("/proc/" + pid + "/" + name + "/"));
// Node's own debugger is opened by this one.
if (isHarmful) for (const signal of ["SIGUSR1", "SIGTERM", "SIGKILL"]) told[signal] = codeOf(() => process.kill(pid, signal));
console.log(JSON.stringify(told));
`;

function tries(user: User, paths: readonly string[], isHarmful = true): Readonly<Record<string, string>> {
  const { stdout, stderr } = user.run([process.execPath, "-e", TRIES], {}, JSON.stringify({ paths, pid, isHarmful }));
  return JSON.parse(stdout || `{"failed":${JSON.stringify(stderr)}}`) as Record<string, string>;
}
