/** What begins while another begin waits for the lock was before it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openStore } from "../../src/store/index.ts";
import { openConnection } from "../../src/store/sql/driver.ts";
import { unwrap } from "../fixture/result.ts";
import { newIntent } from "./intent.ts";

it("takes its time when it is its turn, and sees what was sent until then", async () => {
  const dir = mkdtempSync(join(tmpdir(), "hoga-turn-"));
  const path = join(dir, "hoga.db");
  let nowMs = 1_000;
  const clock = { now: () => nowMs, sleep: async () => {} };
  const store = await openStore<string, object>({ path }, { clock, random: Math.random });
  for (const id of ["first", "late"]) await unwrap(store.journal.record(newIntent(id)));
  const other = await openConnection(path, { journal: "wal", durability: "full", random: Math.random });
  expect(other.holdLock()).toBe(true);
  let seen: readonly string[] = [];
  const late = unwrap(
    store.journal.begin(
      "late",
      { from: ["ready"], to: "sent", nonce: "2", held: "1", unit: "KRW" as const, sinceMs: [1_000] },
      (_standing, sentSince) => {
        seen = sentSince(1_000).map(({ intentId }) => intentId);
        return undefined;
      },
      () => nowMs,
    ),
  );
  await other.exec("UPDATE intents SET state = 'sent', nonce = '1', sent_at_ms = 1003 WHERE intent_id = 'first'");
  nowMs = 1_005;
  await other.exec("COMMIT");
  expect(await late).toMatchObject({ begun: { sentAtMs: 1_005, updatedAtMs: 1_005 } });
  expect(seen).toEqual(["first"]);
  other.close();
  store.close();
  rmSync(dir, { recursive: true });
});
