import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll } from "vitest";
import { openStore } from "../../../src/store/index.ts";
import { createPostgresDatabase, type PostgresDatabase } from "../../fixture/postgres.ts";
import { storeSuite, type TestBody } from "../../store/store-suite.ts";

let database: PostgresDatabase;
beforeAll(async () => {
  database = await createPostgresDatabase();
});
afterAll(() => database.remove());

const clock = {
  now: () => Date.now(),
  sleep: async (ms: number, signal?: AbortSignal) => {
    await sleep(ms, undefined, signal === undefined ? {} : { signal });
  },
};

/** As it was made: in a fraction of the time that it takes to make a schema. */
async function empty(): Promise<void> {
  const tables = await database.query("SELECT tablename AS name FROM pg_tables WHERE schemaname = 'hoga'");
  if (tables.length === 0) return;
  const sequences = await database.query("SELECT sequencename AS name FROM pg_sequences WHERE schemaname = 'hoga'");
  const emptied = tables.filter(({ name }) => name !== "schema_version");
  const statements = [
    ...emptied.map(({ name }) => `DELETE FROM hoga.${String(name)}`),
    ...sequences.map(({ name }) => `ALTER SEQUENCE hoga.${String(name)} RESTART`),
    `INSERT INTO hoga.audit_head (id, count, seq, hash) VALUES (1, 0, 0, '${"0".repeat(64)}')`,
  ];
  await database.query(statements.join("; "));
}

storeSuite("PostgreSQL", async () => {
  await empty();
  const dir = mkdtempSync(join(tmpdir(), "hoga-store-"));
  const location = { url: database.url(), haltPath: join(dir, "hoga.db.brake") };
  return {
    location,
    open: (parts) => openStore<string, TestBody>(location, { clock, random: Math.random, ...parts }),
    remove: async () => rmSync(dir, { recursive: true }),
  };
});
