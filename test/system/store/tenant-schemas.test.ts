/** Tenants on PostgreSQL: made at one data directory, served from another, each in a schema of its own. */
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { eventually, oneLine } from "../../fixture/command.ts";
import { cleanUp, run, start } from "../../fixture/command-line.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { addressIn } from "../../fixture/http-address.ts";
import { createPostgresDatabase, type PostgresDatabase } from "../../fixture/postgres.ts";
import { connectHttp } from "../../mcp/client.ts";

vi.setConfig({ testTimeout: 60_000 });

let database: PostgresDatabase;
beforeAll(async () => {
  database = await createPostgresDatabase();
});
afterAll(async () => {
  await cleanUp();
  await database.remove();
});

it("each is a schema beside the operator's, and is halted from everywhere", async () => {
  const env = { HOGA_STORE_URL: database.url("desk") };
  const [here, there] = [freshHome(), freshHome()];
  const hoga = (...args: string[]) => run([...args, "--json"], { home: here, env });
  const tokens: string[] = [];
  for (const name of ["alice", "desk-2"]) {
    await hoga("tenants", "create", name);
    const made = await hoga("tokens", "create", `of-${name}`, "--tenant", name, "--scopes", "all");
    tokens.push(oneLine<{ token: string }>(made).token);
  }
  const { url } = addressIn(
    await start(["serve", "--http", "--json", "--show-token", "--port", "0"], { home: there, env }).firstLine(),
  );
  // A server that is still opening a store says so, and that a client may ask again.
  const connect = (token: string) =>
    eventually(() =>
      connectHttp("2026-07-28", { url, headers: { Authorization: `Bearer ${token}` } }).catch((error: Error) => {
        if (error.message.includes("HTTP 503")) return undefined;
        throw error;
      }),
    );
  const [alice, other] = await Promise.all(tokens.map(connect));
  const order = { symbol: "BTC/KRW", side: "buy", type: "market", quote_amount: "50000" };
  expect((await alice?.call("place_order", order))?.structured).toMatchObject({ outcome: "accepted" });
  expect((await other?.call("get_balances"))?.isError).toBe(false);
  const schemas = await database.query(
    "SELECT nspname AS name FROM pg_namespace WHERE nspname LIKE 'desk%' ORDER BY 1",
  );
  expect(schemas.map(({ name }) => name)).toEqual(["desk", "desk_t_alice", "desk_t_desk_2"]);
  const intents = schemas.map(({ name }) => database.query(`SELECT count(*)::int AS n FROM ${String(name)}.intents`));
  expect((await Promise.all(intents)).map(([row]) => row?.["n"])).toEqual([0, 1, 0]);
  // From a data directory that has never opened either.
  expect(oneLine(await hoga("halt"))).toMatchObject({ tenants: { alice: { brake: "everywhere" } } });
  for (const client of [alice, other])
    expect((await client?.call("place_order", { ...order, userref: "late" }))?.structured).toMatchObject({
      error: { code: "ELocal:Trading halted" },
    });
  await Promise.all([alice?.close(), other?.close()]);
});
