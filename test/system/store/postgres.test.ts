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

storeSuite("PostgreSQL", async () => {
  const dir = mkdtempSync(join(tmpdir(), "hoga-store-"));
  const location = { url: database.url(database.freshSchema()), haltPath: join(dir, "hoga.db.brake") };
  return {
    location,
    open: (parts) => openStore<string, TestBody>(location, { clock, random: Math.random, ...parts }),
    remove: async () => rmSync(dir, { recursive: true }),
  };
});
