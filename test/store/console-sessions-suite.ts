/** What every store keeps of who is signed in at the console: the same in every process, by digest, for as long as a session lasts. */
import { expect, it } from "vitest";
import { unwrap } from "../fixture/result.ts";
import type { Place } from "./store-suite.ts";

export function consoleSessionCases({ store, database }: Place): void {
  it("a session of the console is known in every process until it is over or was ended", async () => {
    const other = await database().open();
    const find = (digest: string, nowMs: number) => unwrap(other.consoleSessions.find(digest, nowMs));
    const one = { digest: "one", letInBy: "person", endsAtMs: 100 };
    expect(await unwrap(store().consoleSessions.add(one, 0))).toBe(true);
    expect([await find("one", 99), await find("one", 100), await find("two", 0)]).toEqual([one, undefined, undefined]);
    await unwrap(store().consoleSessions.end("one"));
    expect(await find("one", 0)).toBeUndefined();
    await unwrap(store().consoleSessions.add(one, 0));
    await unwrap(store().consoleSessions.endAll());
    expect(await find("one", 0)).toBeUndefined();
    other.close();
  });

  it("a session of the console gives way to no other, and each way in has room of its own", async () => {
    const add = (digest: string, letInBy: string, nowMs = 0) =>
      unwrap(store().consoleSessions.add({ digest, letInBy, endsAtMs: nowMs + 100 }, nowMs));
    for (let n = 0; n < 32; n += 1) expect(await add(`asked-${n}`, "asked")).toBe(true);
    expect([await add("late", "asked"), await add("person", "person")]).toEqual([false, true]);
    expect(await unwrap(store().consoleSessions.find("asked-0", 0))).toBeDefined();
    expect(await add("later", "asked", 100)).toBe(true);
    await unwrap(store().consoleSessions.endAll());
  });
}
