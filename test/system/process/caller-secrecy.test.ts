/** Nothing of a caller's token is told or kept, by whatever way it comes in: not by the server, its log, its files, or the list of processes. */
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { leaksIn } from "../../fixture/canary.ts";
import { freePort, oneLine } from "../../fixture/command.ts";
import { widePaperHome } from "../../fixture/home.ts";
import { addressIn } from "../../fixture/http-address.ts";
import { cleanUp, run, start } from "../../fixture/program.ts";

afterAll(cleanUp);

const SLOW_MS = 60_000;
const HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** Of every file of a data directory, where the value is. */
function keptIn(home: string, values: readonly string[]): readonly string[] {
  return readdirSync(home, { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(join(home, name)).isFile())
    .flatMap((name) => leaksIn(readFileSync(join(home, name)), values).map((leak) => `${name}: ${leak}`));
}

/** Asks for a tool in all the ways in which a token can be where it does not belong. @returns all that was answered */
async function quoting(url: string, token: string): Promise<readonly (readonly [number, string])[]> {
  const ask = async (tool: string, args: object, more: { readonly path?: string; readonly headers?: object } = {}) => {
    const named = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": tool };
    const headers = { ...HEADERS, ...named, authorization: `Bearer ${token}`, ...more.headers };
    const params = { name: tool, arguments: args, _meta: META };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    const answer = await fetch(`${url}${more.path ?? ""}`, { method: "POST", headers, body });
    return [answer.status, `${JSON.stringify([...answer.headers])} ${await answer.text()}`] as const;
  };
  return [
    await ask("get_balances", {}),
    await ask("halt_trading", { reason: `because of ${token}` }),
    await ask("get_ticker", { symbols: [token], [token]: token }),
    await ask(token, {}),
    await ask("get_balances", {}, { headers: { "mcp-session-id": token } }),
    await ask("get_balances", {}, { path: `?token=${token}` }),
    await ask("get_balances", {}, { path: `/${token}` }),
    await ask("get_balances", {}, { headers: { origin: `http://${token.replace(/_/g, "-")}.example` } }),
  ];
}

it(
  "a token that was made is shown once, by the command that made it",
  async () => {
    const home = await widePaperHome();
    const env = { HOGA_LOG_LEVEL: "debug" };
    const server = start(["serve", "--http", "--port", "0", "--json", "--show-token"], { home, env });
    const { url } = addressIn(await server.firstLine());
    const made = await run(["tokens", "create", "bot", "--scopes", "all", "--json"], { home, env });
    const { token } = oneLine<{ token: string }>(made);
    const answers = await quoting(url, token);
    expect(answers[0]?.[0]).toBe(200);
    expect(answers[3]?.[1]).toContain("[secret]");
    const listed = readFileSync(`/proc/${server.child.pid}/cmdline`, "utf8");
    const rest = [await run(["audit", "export"], { home, env }), await run(["tokens", "revoke", "bot"], { home, env })];
    const late = await quoting(url, token);
    expect(new Set(late.map(([status]) => status))).toEqual(new Set([401, 403]));
    const { stdout, stderr } = await server.stop();
    const told = [listed, made.stderr, stdout, stderr, ...rest.flatMap((ended) => [ended.stdout, ended.stderr])];
    // Who asks with another's name in the Origin is told that name: it is their own, and nobody else's.
    told.push(...[...answers, ...late.slice(0, -1)].slice(0, -1).map(([, text]) => text));
    expect(leaksIn(told.join("\n"), [token])).toEqual([]);
    expect(rest[0]?.stdout).toContain("because of [secret]");
    expect(keptIn(home, [token])).toEqual([]);
  },
  SLOW_MS,
);

it(
  "a token of an authorization server is in no line of the log, also where that cannot be asked",
  async () => {
    const home = await widePaperHome();
    const port = await freePort();
    const settings = ["[http]", 'auth = "oauth"', `issuer = "http://127.0.0.1:${await freePort()}"`];
    const resource = `resource = "http://127.0.0.1:${port}/mcp"`;
    writeFileSync(join(home, "config.toml"), [...settings, resource, ""].join("\n"), { mode: 0o600 });
    const server = start(["serve", "--http", "--port", String(port), "--json", "--show-token"], {
      home,
      env: { HOGA_LOG_LEVEL: "debug" },
    });
    const { url } = addressIn(await server.firstLine());
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
    const token = `${part({ alg: "ES256", kid: "canary-kid" })}.${part({ sub: "canary-subject" })}.${"c2ln".repeat(16)}`;
    const answers = await quoting(url, token);
    expect(new Set(answers.map(([status]) => status))).toEqual(new Set([503, 403]));
    const { stdout, stderr } = await server.stop();
    expect(stderr).toMatch(/The keys of http:\/\/127\.0\.0\.1:\d+ cannot be had/);
    expect(leaksIn(stdout + stderr, token.split("."))).toEqual([]);
    expect(keptIn(home, token.split("."))).toEqual([]);
  },
  SLOW_MS,
);
