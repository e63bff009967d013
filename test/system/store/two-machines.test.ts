/** Two servers with data directories of their own, as on two machines, which share one store on PostgreSQL and one key of one exchange. */
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LIMIT, setPolicy } from "../../approval/home.ts";
import { eventually, oneLine, quartet } from "../../fixture/command.ts";
import { cleanUp, PIN, run, runTerminal, start, startSandbox, useRealPrograms } from "../../fixture/command-line.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { addressIn } from "../../fixture/http-address.ts";
import { createPostgresDatabase, type PostgresDatabase } from "../../fixture/postgres.ts";
import { firstReversal, journalOf, venueOrders } from "../../fixture/witness.ts";
import { startCommitProxy } from "./commit-proxy.ts";

useRealPrograms();

interface Reply {
  readonly outcome?: string;
  readonly state?: string;
  readonly intent_id?: string;
  readonly userref?: string;
  readonly unresolved?: readonly unknown[];
  readonly error?: { readonly code: string };
}

interface Machine {
  readonly place: { readonly home: string; readonly env: Readonly<Record<string, string>> };
  call(tool: string, args?: object): Promise<Reply>;
}

const BOUNDED = { mode: '"bounded"', approval_over_krw: '"900000000"' };

let database: PostgresDatabase;
let venueHome: string;
let here: Machine;
let there: Machine;

async function serve(env: Readonly<Record<string, string>>): Promise<Machine> {
  const place = { home: freshHome(), env };
  setPolicy(place.home, BOUNDED);
  const { url, headers } = addressIn(
    await start(["serve", "--http", "--json", "--show-token", "--port", "0"], place).firstLine(),
  );
  const client = new Client({ name: "test", version: "1" });
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  await client.connect(transport as unknown as Transport);
  return {
    place,
    call: async (name, args = {}) => {
      const { structuredContent } = await client.callTool({ name, arguments: { ...args } });
      return structuredContent as Reply;
    },
  };
}

beforeAll(async () => {
  database = await createPostgresDatabase();
  venueHome = freshHome();
  const { base_url, api_key, api_secret } = (await startSandbox({ home: venueHome })).line;
  const env = { ...quartet(base_url, api_key, api_secret), HOGA_STORE_URL: database.url() };
  [here, there] = await Promise.all([serve(env), serve(env)]);
  const isSet = await runTerminal(["pin"], there.place, [
    ["New PIN (6 to 64 characters): ", PIN],
    ["New PIN again: ", PIN],
  ]);
  expect(isSet.code).toBe(0);
}, 60_000);
afterAll(async () => {
  await cleanUp();
  await database.remove();
});

const named = async (userref: string) => (await venueOrders(venueHome)).filter((order) => order.userref === userref);

it("place an order that waits at one and is approved on the other, once", async () => {
  setPolicy(here.place.home, {});
  setPolicy(there.place.home, {});
  const waiting = await here.call("place_order", { ...LIMIT, userref: "waits" });
  expect(waiting).toMatchObject({ state: "awaiting_approval" });
  const approved = await runTerminal(["approve", String(waiting.intent_id)], there.place, [["PIN: ", PIN]]);
  expect(approved.screen).toContain("Accepted");
  const seen = await here.call("get_order", { userref: "waits" });
  expect(seen).toMatchObject({ order: { userref: "waits", state: "open" } });
  expect(await named("waits")).toHaveLength(1);
  for (const { place } of [here, there]) setPolicy(place.home, BOUNDED);
}, 60_000);

it("stop at one from the moment that the other was halted, and go on when a person resumes there", async () => {
  await there.call("halt_trading", { reason: "enough" });
  const halted = await here.call("get_desk_status");
  expect(halted).toMatchObject({ brake: { reason: expect.stringContaining("enough") } });
  const denied = await here.call("place_order", { ...LIMIT, userref: "too-late" });
  expect(denied).toMatchObject({ error: { code: "ELocal:Trading halted" } });
  expect(await named("too-late")).toEqual([]);
  expect((await venueOrders(venueHome)).filter(({ state }) => state === "open")).toEqual([]);
  await runTerminal(["resume"], here.place, [["PIN: ", PIN]]);
  expect(await there.call("place_order", { ...LIMIT, userref: "again" })).toMatchObject({ outcome: "accepted" });
}, 60_000);

it("stop also where a command halts that is far from the store, and says so", async () => {
  const proxy = await startCommitProxy(new URL(database.url()));
  // The store opens and takes the halt in longer than the half second for which a halt waits before it cancels.
  proxy.slowDown(25);
  const far = { home: freshHome(), env: { ...here.place.env, HOGA_STORE_URL: proxy.through(database.url()) } };
  const halted = await run(["halt", "--json"], far);
  expect(oneLine(halted)).toMatchObject({ brake: "everywhere", remaining: 0 });
  const denied = await here.call("place_order", { ...LIMIT, userref: "far-too-late" });
  expect(denied).toMatchObject({ error: { code: "ELocal:Trading halted" } });
  await proxy.close();
  await runTerminal(["resume"], here.place, [["PIN: ", PIN]]);
  expect(await there.call("place_order", { ...LIMIT, userref: "once-more" })).toMatchObject({ outcome: "accepted" });
}, 60_000);

it("lose and double nothing while every session of the store is ended again and again", async () => {
  const EACH = 8;
  const volume = (own: number) => `0.0001${String(own).padStart(4, "0")}`;
  const trade = async (machine: Machine, name: string, from: number) => {
    const replies: Reply[] = [];
    for (let n = 0; n < EACH; n++)
      replies.push(
        await machine.call("place_order", { ...LIMIT, base_volume: volume(from + n), userref: `${name}-${n}` }),
      );
    return replies;
  };
  let isOver = false;
  const cutting = (async () => {
    for (; !isOver; await pause(150)) {
      const sql =
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND application_name = 'hoga'";
      await database.query(sql, [database.name]);
    }
  })();
  const replies = (await Promise.all([trade(here, "here", 1), trade(there, "there", 101)])).flat();
  isOver = true;
  await cutting;
  const settled = async () => ((await there.call("get_desk_status")).unresolved?.length === 0 ? true : undefined);
  await eventually(settled, 30_000);
  const orders = await venueOrders(venueHome);
  const names = orders.map(({ userref }) => userref);
  expect(new Set(names).size).toBe(names.length);
  const accepted = replies.filter(({ outcome }) => outcome === "accepted");
  for (const { userref } of accepted) expect(names).toContain(userref);
  expect(accepted.length).toBeGreaterThan(EACH);
  // Whatever was said of the others, what the exchange has is what the store has.
  const open = orders.filter(({ state }) => state === "open");
  const [{ count } = {}] = await database.query("SELECT count(*)::int AS count FROM hoga.intents WHERE state = 'open'");
  expect(count).toBe(open.length);
  expect(firstReversal(journalOf(venueHome).flatMap(({ command }) => command.nonce ?? []))).toBeUndefined();
  const verified = await run(["audit", "verify"], here.place);
  expect(verified).toMatchObject({ code: 0, stdout: expect.stringContaining("whole") });
}, 90_000);
