/** A tenant whose own disk is full is told so, and nobody else notices: neither another tenant nor whoever runs the server. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, expect, it, onTestFinished } from "vitest";
import { eventually, oneLine, quartet } from "../../fixture/command.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { openAccount } from "../../fixture/exchange-account.ts";
import { WIDE, wideHome, writePolicy } from "../../fixture/home.ts";
import { addressIn } from "../../fixture/http-address.ts";
import { cleanUp, start, startSandbox } from "../../fixture/program.ts";
import { smallDisk } from "../../fixture/small-disk.ts";
import { connectHttp, type TestClient } from "../../mcp/client.ts";

afterAll(cleanUp);

const FULL = /The disk that holds the store \S+hoga\.db is full/;
const ORDER = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "90000000" };
const MASTER_KEY = Buffer.alloc(32, 7).toString("base64");

it("a full disk is its tenant's trouble alone: at the start, while it is served, and in a halt of everybody", async () => {
  const venueHome = freshHome();
  const { line } = await startSandbox({ home: venueHome });
  const home = wideHome();
  const profile = `[profiles.shared]\nenvironment = "sandbox"\nbase_url = "${line.base_url}"\n`;
  writeFileSync(join(home, "config.toml"), profile, { mode: 0o600 });
  const env = { ...quartet(line.base_url, line.api_key, line.api_secret), HOGA_MASTER_KEY: MASTER_KEY };
  const ofAlice = join(home, "tenants", "alice");
  mkdirSync(ofAlice, { recursive: true, mode: 0o700 });
  const disk = await smallDisk(ofAlice);
  onTestFinished(() => disk.close());
  const hoga = async (words: readonly string[], piped = ""): Promise<Record<string, unknown>> => {
    const command = start([...words, "--json"], { home, env }, disk.through);
    command.stdin.write(piped);
    command.stdin.end();
    return oneLine(await command.ended);
  };
  const tokens = new Map<string, string>();
  for (const name of ["alice", "bob"]) {
    await hoga(["tenants", "create", name, "--profile", "shared"]);
    const { api_key, api_secret } = await openAccount(line, venueHome, name);
    await hoga(["tenants", "key", name], `${api_key}\n${api_secret}\n`);
    tokens.set(name, String((await hoga(["tokens", "create", name, "--tenant", name, "--scopes", "all"]))["token"]));
  }
  for (const dir of [disk.seen, join(home, "tenants", "bob")]) writePolicy(dir, WIDE);
  disk.fill();
  const server = start(["serve", "--http", "--json", "--show-token", "--port", "0"], { home, env }, disk.through);
  const { url, headers } = addressIn(await server.firstLine());
  const connected = (name: string): Promise<TestClient> => {
    const token = tokens.get(name);
    const own = token === undefined ? headers : { Authorization: `Bearer ${token}` };
    return connectHttp("2026-07-28", { url, headers: own });
  };
  const [alice, bob, operator] = await Promise.all(["alice", "bob", "operator"].map(connected));
  const place = async (client: TestClient | undefined) => (await client?.call("place_order", ORDER))?.structured;
  const othersTrade = async (): Promise<void> => {
    for (const client of [bob, operator]) expect(await place(client)).toMatchObject({ outcome: "accepted" });
    expect((await fetch(new URL("/readyz", url))).status).toBe(200);
  };
  const refused = { outcome: "not_sent", error: { message: expect.stringMatching(FULL) } };

  expect(await place(alice)).toMatchObject(refused);
  await othersTrade();
  expect(server.stderr()).toMatch(/tenant alice: The disk that holds the store/);
  expect(server.stderr()).not.toMatch(/^hoga: The disk|tenant bob: The disk/m);

  disk.free();
  // Slower than what a caller may ask for in a second, which an order is a fifth of.
  await eventually(async () => {
    await pause(250);
    return (await place(alice))?.["outcome"] === "accepted" || undefined;
  });
  disk.fill();
  expect(await place(alice)).toMatchObject(refused);
  await othersTrade();

  expect(await hoga(["halt"])).toMatchObject({ brake: "everywhere", tenants: { bob: { brake: "everywhere" } } });
  for (const client of [alice, bob, operator]) expect(await place(client)).toMatchObject({ outcome: "not_sent" });
  for (const client of [alice, bob, operator]) await client?.close();
  expect(await server.stop()).toMatchObject({ code: 0 });
});
