/** However many sessions are ended, only so many are kept. */
import { expect, it } from "vitest";
import { createEndedSessions } from "../../src/store/people/ended-sessions.ts";
import { migrate } from "../../src/store/schema/migrations.ts";
import { openConnection } from "../../src/store/sql/driver.ts";
import { unwrap } from "../fixture/result.ts";

it("keeps those that were ended last when there are more than there may be", async () => {
  const connection = await openConnection(":memory:", { journal: "wal", durability: "full", random: Math.random });
  await migrate(connection, 0);
  const ended = createEndedSessions(connection, 3);
  for (let n = 1; n <= 5; n++) await unwrap(ended.note(`s${n}`, 100 + n, n));
  const known = await Promise.all([1, 2, 3, 4, 5].map((n) => unwrap(ended.has(`s${n}`))));
  expect(known).toEqual([false, false, true, true, true]);
  connection.close();
});
