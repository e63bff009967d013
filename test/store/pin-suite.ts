/** What every store keeps of the PIN: five tries, in all processes together, then one a lock. */
import { expect, it } from "vitest";
import type { Pin } from "../../src/store/index.ts";
import { unwrap } from "../fixture/result.ts";
import type { Place } from "./store-suite.ts";

const HOUR_MS = 3_600_000;
const wrong = (left: number) => ({ ok: false, why: "wrong", left });
const locked = (untilMs: number) => ({ ok: false, why: "locked", untilMs });

export function pinCases({ store, database, workers }: Place): void {
  const pin = (): Pin => store().pin;

  async function miss(times: number, atMs: number): Promise<unknown> {
    let verdict: unknown;
    // Too short to be right, which costs less time to find out.
    for (let n = 0; n < times; n++) verdict = await pin().check("000", atMs);
    return verdict;
  }

  it("is unset, then set once, and known to every store", async () => {
    expect(await pin().isSet()).toBe(false);
    expect(await pin().check("123456", 0)).toEqual({ ok: false, why: "unset" });
    expect(await pin().set("123456", 0)).toBe("set");
    const other = await database().open();
    expect(await other.pin.isSet()).toBe(true);
    expect(await other.pin.check("123456", 0)).toEqual({ ok: true });
    expect(await other.pin.check("123457", 0)).toEqual(wrong(4));
    other.close();
  });

  it.each([
    ["12345", false],
    ["123456", true],
    ["1".repeat(64), true],
    ["1".repeat(65), false],
    ["", false],
    ["📈📈📈📈📈", false],
    ["📈📈📈📈📈📈", true],
  ])("has 6 to 64 characters: %j", async (given, isTaken) => {
    expect(await pin().set(given, 0)).toEqual(isTaken ? "set" : { why: "length", min: 6, max: 64 });
    expect(await pin().isSet()).toBe(isTaken);
  });

  it("is the same however its characters were put together", async () => {
    await pin().set("호가호가호가", 0);
    expect(await pin().check("호가호가호가".normalize("NFD"), 0)).toEqual({ ok: true });
  });

  it("locks after five wrong ones in a row, then after each, twice as long each time, up to five minutes", async () => {
    await pin().set("123456", 0);
    expect(await miss(4, 0)).toEqual(wrong(1));
    let atMs = 0;
    for (const lockMs of [30, 60, 120, 240, 300, 300].map((seconds) => seconds * 1_000)) {
      expect(await miss(1, atMs)).toEqual(locked(atMs + lockMs));
      expect(await pin().check("123456", atMs + lockMs - 1)).toEqual(locked(atMs + lockMs));
      atMs += lockMs;
    }
    expect(await pin().check("123456", atMs)).toEqual({ ok: true });
    expect(await miss(5, atMs)).toEqual(locked(atMs + 30_000));
  });

  it("forgets wrong ones when a right one comes", async () => {
    await pin().set("123456", 0);
    await miss(4, 0);
    expect(await pin().check("123456", 0)).toEqual({ ok: true });
    expect(await miss(1, 0)).toEqual(wrong(4));
  });

  it("locks no longer than it meant to when the clock is set back", async () => {
    await pin().set("123456", 0);
    const inAYear = 365 * 24 * HOUR_MS;
    await miss(5, inAYear);
    expect(await pin().check("123456", HOUR_MS)).toEqual(locked(HOUR_MS + 30_000));
    expect(await pin().check("123456", HOUR_MS + 5)).toEqual(locked(HOUR_MS + 30_000));
    expect(await pin().check("123456", HOUR_MS + 30_000)).toEqual({ ok: true });
  });

  it("changes only with the current one, which is tried like any other", async () => {
    await pin().set("123456", 0);
    expect(await pin().set("654321", 0)).toEqual({ why: "current_needed" });
    expect(await pin().set("654321", 0, "000000")).toEqual({ why: "wrong", left: 4 });
    expect(await pin().set("65432", 0, "123456")).toMatchObject({ why: "length" });
    expect(await pin().check("123456", 0)).toEqual({ ok: true });
    expect(await pin().set("654321", 0, "123456")).toBe("set");
    expect(await pin().check("123456", 0)).toEqual(wrong(4));
    expect(await pin().check("654321", 0)).toEqual({ ok: true });
    await miss(5, 0);
    expect(await pin().set("111111", 0, "654321")).toEqual({ why: "locked", untilMs: 30_000 });
  });

  it("is changed by one of several that know the current one", async () => {
    await pin().set("123456", 0);
    const news = ["111111", "222222", "333333"];
    const ended = await Promise.all(news.map((each) => pin().set(each, 0, "123456")));
    expect(ended.filter((outcome) => outcome === "set")).toHaveLength(1);
    expect(await pin().check(news[ended.indexOf("set")] ?? "", 0)).toEqual({ ok: true });
  });

  it("looks at five guesses of all that several processes make at once", async () => {
    await pin().set("123456", 0);
    const { location } = database();
    // The right one last in each: it must not be reached beyond the tries.
    const guesses = [...Array.from({ length: 7 }, (_, n) => `00000${n}`), "123456"];
    const all = await workers().run<{ why?: string }[]>([1, 2, 3].map(() => ({ role: "guess", location, guesses })));
    const verdicts = all.flat().map(({ why }) => why ?? "right");
    expect(verdicts.filter((why) => why === "wrong")).toHaveLength(4);
    expect(verdicts.filter((why) => why === "locked")).toHaveLength(20);
    expect(await pin().check("123456", 1_000)).toEqual(locked(1_000 + 30_000));
  });

  it("is set by one of several processes that set the first", async () => {
    const { location } = database();
    const atMs = Date.now() + 1_500;
    const pins = ["111111", "222222", "333333", "444444"];
    const ended = await workers().run<unknown>(pins.map((each) => ({ role: "set-pin", location, pin: each, atMs })));
    expect(ended.filter((outcome) => outcome === "set")).toHaveLength(1);
    expect(await pin().check(pins[ended.indexOf("set")] ?? "", 0)).toEqual({ ok: true });
  });

  it("leaves each try and what came of it in the audit log, before the try is looked at", async () => {
    await pin().set("123456", 0);
    await miss(5, 1_000);
    await pin().check("123456", 2_000);
    await pin().check("123456", 1_000 + 30_000);
    const entries = await unwrap(store().audit.recent({ limit: 100 }));
    const told = entries.map(({ event, detail }) => [event, ...Object.values(detail)]).reverse();
    expect(told).toEqual([
      ["pin_tried", 4],
      ["pin_tried", 3],
      ["pin_tried", 2],
      ["pin_tried", 1],
      ["pin_tried", new Date(1_000 + 30_000).toISOString()],
      ["pin_tried", new Date(1_000 + 30_000 + 60_000).toISOString()],
      ["pin_right"],
    ]);
  });
}
