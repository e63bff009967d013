/** What every store keeps of sessions that were ended: known in every process, for as long as their ids could count, and bounded. */
import { expect, it } from "vitest";
import { unwrap } from "../fixture/result.ts";
import type { Place } from "./store-suite.ts";

export function endedSessionCases({ store, database }: Place): void {
  it("one that was ended is so in every process, until its id counts no more", async () => {
    const other = await database().open();
    const has = (digest: string) => unwrap(other.endedSessions.has(digest));
    await unwrap(store().endedSessions.note("one", 100, 0));
    await unwrap(store().endedSessions.note("one", 100, 1));
    expect([await has("one"), await has("two")]).toEqual([true, false]);
    await unwrap(other.endedSessions.note("two", 200, 99));
    expect([await has("one"), await has("two")]).toEqual([true, true]);
    await unwrap(store().endedSessions.note("three", 201, 100));
    expect([await has("one"), await has("two"), await has("three")]).toEqual([false, true, true]);
    other.close();
  });
}
