/**
 * `npm run bench:calls`: how many calls of `get_ticker` a server answers in a second over HTTP, one after another and 64 at once, in both eras, with the
 * store in a file and on a PostgreSQL server, against the SDK's bare server. Sides take turns in one run; `bench/README.md` says how to read it.
 * `-- --smoke` does a few of each.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createPostgresDatabase } from "../test/fixture/postgres.ts";
import { startFixedExchange } from "./fixed-exchange.ts";
import { type Measure, Side } from "./http-side.ts";
import { full, smoke } from "./options.ts";
import { Results } from "./results.ts";

const ROUNDS = smoke ? 1 : 5;
const ROUND_MS = smoke ? 100 : 1_500;
/** Until then the code is not compiled. */
const WARM_MS = smoke ? 0 : 2_000;
const ERAS = ["2025-11-25", "2026-07-28"] as const;
const AT_ONCE = [1, 64] as const;

const UNITS = [
  ["perSecond", "a second"],
  ["perCpuSecond", "a CPU second"],
] as const;

const home = mkdtempSync(join(tmpdir(), "hoga-bench-"));
const exchange = await startFixedExchange();
const database = await createPostgresDatabase();
const secret = Buffer.from("bench secret, not a real one").toString("base64");
const hoga = (store: string, more: Readonly<Record<string, string>> = {}) =>
  Side.start(["dist/cli.js", "serve", "--http", "--port", "0", "--json", "--show-token"], {
    HOGA_HOME: join(home, store),
    HOGA_API_KEY: "bench",
    HOGA_API_SECRET: secret,
    HOGA_BASE_URL: exchange.url,
    HOGA_ENVIRONMENT: "sandbox",
    ...more,
  });
const sqlite = await hoga("sqlite");
const postgres = await hoga("postgres", { HOGA_STORE_URL: database.url(database.freshSchema()) });
const BENCH_TOOLS = String(await sqlite.tools());
const bare = await Side.start([".bench/minimal-http.js"], { BENCH_BASE_URL: exchange.url, BENCH_TOOLS });
const sides = { bare, sqlite, postgres };
const NAMES = ["bare", "sqlite", "postgres"] as const;
/** Where one server with all its guards is to be as fast as a bare one; everywhere it is to be nearly so. */
const AMBITIOUS = { era: "2026-07-28", atOnce: 64 };
const results = new Results("calls");
process.stdout.write(`calls of get_ticker over HTTP, min / median / max of ${ROUNDS} rounds\n`);
for (const era of ERAS)
  for (const atOnce of AT_ONCE) {
    for (const name of NAMES) await sides[name].measure(era, atOnce, WARM_MS);
    const found: Record<(typeof NAMES)[number], Measure[]> = { bare: [], sqlite: [], postgres: [] };
    for (let round = 0; round < ROUNDS; round++)
      for (const name of NAMES) found[name].push(await sides[name].measure(era, atOnce, ROUND_MS));
    const isAmbitious = era === AMBITIOUS.era && atOnce === AMBITIOUS.atOnce;
    const goals = [{ to: "bare", atLeast: isAmbitious ? 1 : 0.8 }];
    for (const [what, unit] of UNITS)
      for (const store of ["sqlite", "postgres"] as const) {
        const [hoga, floor] = [store, "bare" as const].map((name) => found[name].map((each) => each[what]));
        results.row(`${era}, ${atOnce} at once, ${store}, ${unit}`, { hoga: hoga ?? [], bare: floor ?? [] }, goals);
      }
  }
if (full) results.keep();
for (const side of Object.values(sides)) await side.close();
exchange.close();
await database.remove();
rmSync(home, { recursive: true });
