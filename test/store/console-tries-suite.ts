/** What every store keeps of the PIN at the console: counts of its own, over all sessions and processes, that no terminal is locked by. */
import { expect, it } from "vitest";
import type { Pin } from "../../src/store/index.ts";
import { unwrap } from "../fixture/result.ts";
import type { Place } from "./store-suite.ts";

const HOUR_MS = 3_600_000;
const wrong = (left: number) => ({ ok: false, why: "wrong", left });
const passkeysOnly = (untilMs: number) => ({ ok: false, why: "passkeys_only", untilMs });
const CLOSED = { ok: false, why: "closed" };
const RIGHT = { ok: true };

export function consoleTryCases({ store, database, workers }: Place): void {
  const pin = (): Pin => store().pin;
  // Too short to be right, which costs less time to find out.
  const miss = (session: string, atMs: number) => pin().checkAtConsole("000", atMs, session);
  const type = (session: string, atMs: number) => pin().checkAtConsole("123456", atMs, session);

  it("closes a session to PINs after five wrong ones in a row, and no other", async () => {
    expect(await miss("one", 0)).toEqual({ ok: false, why: "unset" });
    await pin().set("123456", 0);
    for (const left of [4, 3, 2, 1]) expect(await miss("one", 0)).toEqual(wrong(left));
    expect(await type("one", 0)).toEqual(RIGHT);
    for (const left of [4, 3, 2, 1]) expect(await miss("one", HOUR_MS)).toEqual(wrong(left));
    expect(await miss("one", HOUR_MS)).toEqual(CLOSED);
    expect(await type("one", HOUR_MS)).toEqual(CLOSED);
    expect(await type("one", 12 * HOUR_MS)).toEqual(CLOSED);
    expect(await type("another", HOUR_MS)).toEqual(RIGHT);
  });

  it("takes twelve wrong ones in any hour, of all sessions together, and then passkeys only", async () => {
    await pin().set("123456", 0);
    const verdicts: unknown[] = [];
    for (let n = 0; n < 12; n += 1) verdicts.push(await miss(`session ${n % 3}`, n * 1_000));
    expect(verdicts.slice(0, 9)).toEqual([4, 4, 4, 3, 3, 3, 2, 2, 2].map(wrong));
    expect(verdicts.slice(9)).toEqual([wrong(1), wrong(1), passkeysOnly(HOUR_MS)]);
    expect(await type("new", HOUR_MS - 1)).toEqual(passkeysOnly(HOUR_MS));
    // The first is an hour old, the next is not.
    expect(await miss("new", HOUR_MS)).toEqual(passkeysOnly(HOUR_MS + 1_000));
    expect(await type("new", HOUR_MS + 1_000)).toEqual(RIGHT);
  });

  it("takes nothing from the twelve where a right one comes at the console", async () => {
    await pin().set("123456", 0);
    for (let n = 0; n < 11; n += 1) {
      await miss(`session ${n}`, 0);
      expect(await type(`session ${n}`, 0)).toEqual(RIGHT);
    }
    expect(await miss("last", 0)).toEqual(passkeysOnly(HOUR_MS));
  });

  it("locks no terminal, and is locked by none", async () => {
    await pin().set("123456", 0);
    for (let n = 0; n < 12; n += 1) await miss(`session ${n}`, 0);
    expect(await pin().check("000", 0)).toEqual(wrong(4));
    expect(await pin().check("123456", 0)).toEqual(RIGHT);
    for (let n = 0; n < 5; n += 1) await pin().check("000", 0);
    expect(await pin().check("123456", 0)).toMatchObject({ why: "locked" });
    expect(await type("one", 0)).toEqual(RIGHT);
    expect(await pin().check("123456", 0)).toMatchObject({ why: "locked" });
  });

  it("begins anew, closed sessions too, when a right one is typed on a terminal", async () => {
    await pin().set("123456", 0);
    for (let n = 0; n < 12; n += 1) await miss(n < 5 ? "one" : `session ${n}`, 0);
    expect(await type("one", 0)).toEqual(CLOSED);
    expect(await type("two", 0)).toEqual(passkeysOnly(HOUR_MS));
    expect(await pin().check("123456", 0)).toEqual(RIGHT);
    expect(await type("one", 0)).toEqual(RIGHT);
    for (let n = 0; n < 5; n += 1) await miss("one", 0);
    expect(await pin().set("654321", 0, "123456")).toBe("set");
    expect(await miss("one", 0)).toEqual(wrong(4));
  });

  it("keeps it to passkeys no longer than an hour when the clock is set back", async () => {
    await pin().set("123456", 0);
    const inAYear = 365 * 24 * HOUR_MS;
    for (let n = 0; n < 12; n += 1) await miss(`session ${n}`, inAYear);
    expect(await type("one", HOUR_MS)).toEqual(passkeysOnly(2 * HOUR_MS));
    expect(await type("one", 2 * HOUR_MS)).toEqual(RIGHT);
  });

  it("looks at five guesses of a session, and at twelve of all, that several processes make at once", async () => {
    await pin().set("123456", 0);
    const { location } = database();
    // The right one last in each: it must not be reached beyond the tries.
    const guesses = [...Array.from({ length: 7 }, (_, n) => `00000${n}`), "123456"];
    const guess = (session: string) => ({ role: "guess", location, guesses, session }) as const;
    const all = async (...sessions: string[]) => {
      const verdicts = await workers().run<{ why?: string }[]>(sessions.map(guess));
      return verdicts.flat().map(({ why }) => why ?? "right");
    };
    const first = await all("one", "one");
    expect(first.filter((why) => why === "wrong")).toHaveLength(4);
    expect(first.filter((why) => why === "closed")).toHaveLength(12);
    const then = await all("two", "three", "four");
    expect(then.filter((why) => why === "wrong").length).toBeLessThanOrEqual(6);
    expect(then).not.toContain("right");
    const entries = await unwrap(store().audit.recent({ limit: 100 }));
    expect(entries.filter(({ event }) => event === "pin_tried")).toHaveLength(12);
    expect(await type("five", 1_000)).toEqual(passkeysOnly(1_000 + HOUR_MS));
  });

  it("leaves each try and what came of it in the audit log, apart from those of a terminal", async () => {
    await pin().set("123456", 0);
    for (let n = 0; n < 5; n += 1) await miss("one", 0);
    await type("one", 0);
    await type("two", 0);
    for (let n = 0; n < 7; n += 1) await miss(`session ${n}`, 0);
    const entries = await unwrap(store().audit.recent({ limit: 100 }));
    const told = entries.map(({ event, detail }) => ({ event, ...detail })).reverse();
    const tried = (detail: object) => ({ event: "pin_tried", at: "console", ...detail });
    expect(told).toEqual([
      ...[4, 3, 2, 1].map((tries_left) => tried({ tries_left })),
      tried({ session_closed: true }),
      tried({ tries_left: 4 }),
      { event: "pin_right", at: "console" },
      ...[4, 4, 4, 3, 2, 1].map((tries_left) => tried({ tries_left })),
      tried({ passkeys_only_until: new Date(HOUR_MS).toISOString() }),
    ]);
  });
}
