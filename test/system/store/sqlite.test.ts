import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openStore } from "../../../src/store/index.ts";
import { storeSuite, type TestBody } from "../../store/store-suite.ts";

const clock = {
  now: () => Date.now(),
  sleep: async (ms: number, signal?: AbortSignal) => {
    await sleep(ms, undefined, signal === undefined ? {} : { signal });
  },
};

storeSuite("SQLite", async () => {
  const dir = mkdtempSync(join(tmpdir(), "hoga-store-"));
  const location = { path: join(dir, "hoga.db") };
  return {
    location,
    open: (parts) => openStore<string, TestBody>(location, { clock, random: Math.random, ...parts }),
    remove: async () => rmSync(dir, { recursive: true }),
  };
});
