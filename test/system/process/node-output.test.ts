/** What Node itself prints and writes where it is asked to tell more holds nothing of a key either. */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { CANARY_KEY, CANARY_SECRET, leaksIn } from "../../fixture/canary.ts";
import { eventually } from "../../fixture/command.ts";
import { wideHome } from "../../fixture/home.ts";
import { cleanUp, environment, type RunningProgram, run, start } from "../../fixture/program.ts";
import { type EchoingVenue, startEchoingVenue } from "./echoing-venue.ts";

const DEBUG = "http,https,net,tls,undici,fetch,websocket,child_process,stream,worker,fs,timer";
const CLIENT = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };

let venue: EchoingVenue;
let home: string;
beforeEach(async () => {
  venue = await startEchoingVenue();
  home = wideHome();
  const profile = (name: string, key: string) =>
    `[profiles.${name}]\nenvironment = "sandbox"\nbase_url = "${venue.url}"\n${key}\n`;
  const command = `key_command = ${JSON.stringify('printf \'%s\\n\' "$OTHER_KEY" "$OTHER_SECRET"')}`;
  writeFileSync(
    join(home, "config.toml"),
    `default_profile = "desk"\n${profile("desk", 'key_env = "DESK_KEY"\nsecret_env = "DESK_SECRET"')}${profile("other", command)}`,
    { mode: 0o600 },
  );
});
afterEach(() => venue.close());
afterAll(cleanUp);

/** With Node asked for more, besides what the suite asks it for. */
function place(options: string, env: Readonly<Record<string, string>> = {}) {
  const keys = { DESK_KEY: CANARY_KEY, DESK_SECRET: CANARY_SECRET, OTHER_KEY: CANARY_KEY, OTHER_SECRET: CANARY_SECRET };
  const NODE_OPTIONS = `${environment({ home })["NODE_OPTIONS"] ?? ""} ${options}`;
  return { home, env: { ...keys, ...env, NODE_OPTIONS } };
}

async function asked(server: RunningProgram): Promise<void> {
  const send = (message: object) => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  send({ id: 1, method: "initialize", params: CLIENT });
  send({ method: "notifications/initialized" });
  send({ id: 2, method: "tools/call", params: { name: "get_balances", arguments: {} } });
  await eventually(() => (server.stdout().includes('"id":2') ? true : undefined));
}

describe("where Node is asked to tell more", () => {
  it.each(["desk", "other"])("its debug lines are not printed: profile %s", async (profile) => {
    const words = ["call", "get_balances", "--profile", profile];
    const { code, stdout, stderr } = await run(words, place("", { NODE_DEBUG: DEBUG }));
    expect(leaksIn(stdout + stderr)).toEqual([]);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^hoga: NODE_DEBUG has no effect here.*\n$/),
    });
    expect(venue.signed).toBeGreaterThan(0);
  });

  it("its warning of a failure that nobody has handled holds nothing of a key", async () => {
    const bomb = join(home, "bomb.mjs");
    const words = `${CANARY_KEY} and ${CANARY_SECRET}`;
    writeFileSync(
      bomb,
      `process.once("SIGUSR2", () => { Promise.reject(new Error("broke with " + process.env.WORDS)); });`,
    );
    const server = start(["serve"], place(`--import=${bomb} --unhandled-rejections=warn`, { WORDS: words }));
    await asked(server);
    server.child.kill("SIGUSR2");
    await eventually(() => (server.stderr().includes("UnhandledPromiseRejectionWarning") ? true : undefined));
    const { stdout, stderr } = await server.stop();
    expect(leaksIn(stdout + stderr)).toEqual([]);
    expect(stderr).toContain("broke with [secret] and [secret]");
  });

  it("reports are not written, which would hold every variable", async () => {
    const reports = join(home, "reports");
    const options = `--report-on-signal --report-uncaught-exception --report-on-fatalerror --report-directory=${reports}`;
    const server = start(["serve"], place(options));
    await asked(server);
    const { stderr } = await server.stop("SIGUSR2");
    expect(leaksIn(stderr)).toEqual([]);
    expect(readdirSync(home)).not.toContain("reports");
  });
});
