/** What every store keeps of timers and of its seal. */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { CancelTimer } from "../../src/desk/index.ts";
import { unwrap } from "../fixture/result.ts";
import type { Place } from "./store-suite.ts";

const armed: CancelTimer = { dueAtMs: 5_000 };
const CLAIM_MS = 100;

export function timerCases({ store, database, workers }: Place): void {
  const timers = () => store().timers;

  it("holds one per account, armed again in place of the last, until it is disarmed", async () => {
    expect(await unwrap(timers().read("main"))).toBeUndefined();
    await unwrap(timers().arm("main", 4_000, 500));
    await unwrap(timers().arm("main", 5_000, 1_000));
    await unwrap(timers().arm("other", 9_000, 1_000));
    expect(await unwrap(timers().read("main"))).toEqual(armed);
    await unwrap(timers().disarm("main"));
    await unwrap(timers().disarm("main"));
    expect(await unwrap(timers().read("main"))).toBeUndefined();
    expect(await unwrap(timers().read("other"))).toMatchObject({ dueAtMs: 9_000 });
    expect(await unwrap(timers().claimDue("main", 10_000, CLAIM_MS))).toBeUndefined();
  });

  it("is given out when due, to one, and to another when the claim has run out", async () => {
    const other = await database().open();
    await unwrap(timers().arm("main", 5_000, 1_000));
    expect(await unwrap(timers().claimDue("main", 4_999, CLAIM_MS))).toBeUndefined();
    const both = [store(), other].map((each) => unwrap(each.timers.claimDue("main", 5_010, CLAIM_MS)));
    expect((await Promise.all(both)).filter((timer) => timer !== undefined)).toEqual([armed]);
    expect(await unwrap(other.timers.claimDue("main", 5_109, CLAIM_MS))).toBeUndefined();
    // Who looked at the clock before the claim was made is not given it either.
    expect(await unwrap(other.timers.claimDue("main", 5_009, CLAIM_MS))).toBeUndefined();
    expect(await unwrap(other.timers.claimDue("main", 5_110, CLAIM_MS))).toEqual(armed);
    await unwrap(other.timers.done("main", 5_000));
    expect(await unwrap(timers().claimDue("main", 9_000, CLAIM_MS))).toBeUndefined();
    expect(await unwrap(timers().read("main"))).toBeUndefined();
    other.close();
  });

  it("is done only for the timer that was claimed, and armed again is due again", async () => {
    await unwrap(timers().arm("main", 5_000, 1_000));
    await unwrap(timers().claimDue("main", 5_000, CLAIM_MS));
    await unwrap(timers().arm("main", 5_020, 5_010));
    await unwrap(timers().done("main", 5_000));
    expect(await unwrap(timers().read("main"))).toMatchObject({ dueAtMs: 5_020 });
    expect(await unwrap(timers().claimDue("main", 5_030, CLAIM_MS))).toMatchObject({ dueAtMs: 5_020 });
  });

  it("does not wait for a claim from a clock that was set back since", async () => {
    await unwrap(timers().arm("main", 5_000, 1_000));
    await unwrap(timers().claimDue("main", 1_000_000, CLAIM_MS));
    expect(await unwrap(timers().claimDue("main", 6_000, CLAIM_MS))).toEqual(armed);
  });

  it("is due when the clock stands before the time it was set at, but for what those of two machines may differ by", async () => {
    await unwrap(timers().arm("main", 3_600_000, 3_000_000));
    expect(await unwrap(timers().claimDue("main", 2_990_000, CLAIM_MS))).toBeUndefined();
    const found = { dueAtMs: 3_600_000 };
    expect(await unwrap(timers().claimDue("main", 2_989_999, CLAIM_MS))).toEqual(found);
    expect(await unwrap(timers().claimDue("main", 2_989_999, CLAIM_MS))).toBeUndefined();
    await unwrap(timers().done("main", 3_600_000));
    expect(await unwrap(timers().read("main"))).toBeUndefined();
  });

  it("tells when the timer of any account is due, and not before", async () => {
    expect(await unwrap(timers().anyDue(9_000_000))).toBe(false);
    await unwrap(timers().arm("main", 3_600_000, 3_000_000));
    expect(await unwrap(timers().anyDue(3_599_999))).toBe(false);
    expect(await unwrap(timers().anyDue(3_600_000))).toBe(true);
    expect(await unwrap(timers().anyDue(2_000_000))).toBe(true);
  });

  it("goes to one of eight processes that look at once", async () => {
    const { location } = database();
    await unwrap(timers().arm("main", 5_000, 1_000));
    const job = { role: "claim-timer", location, nowMs: 5_000, claimMs: CLAIM_MS, atMs: Date.now() + 2_000 } as const;
    const given = await workers().run<CancelTimer | null>(Array.from({ length: 8 }, () => job));
    expect(given.filter((timer) => timer !== null)).toEqual([armed]);
    expect(await unwrap(timers().claimDue("main", 5_099, CLAIM_MS))).toBeUndefined();
    expect(await unwrap(timers().claimDue("main", 5_100, CLAIM_MS))).toEqual(armed);
  });
}

export function sealCases({ store, database, workers }: Place): void {
  it("knows its own texts again, in every store on the same facts, and no other store's", async () => {
    const other = await database().open();
    const token = await unwrap(store().seal.sign("i1 approved 호가"));
    expect(await unwrap(other.seal.open(token))).toBe("i1 approved 호가");
    expect(token).toMatch(/^[\w-]+\.[\w-]{43}$/);
    expect(await unwrap(store().seal.sign("i1 approved 호가"))).toBe(token);
    expect(await unwrap(other.seal.open(""))).toBeUndefined();
    expect(await unwrap(other.seal.open(`${token}.`))).toBeUndefined();
    other.close();
  });

  it("knows nothing before it sealed anything", async () => {
    const foreign = "aTE.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    expect(await unwrap(store().seal.open(foreign))).toBeUndefined();
    await unwrap(store().seal.sign("i1"));
    expect(await unwrap(store().seal.open(foreign))).toBeUndefined();
  });

  it("opens what it sealed, and nothing that differs in one character", async () => {
    const text = fc.string({ unit: "binary", maxLength: 30 });
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=. ";
    const replacement = fc.constantFrom(...alphabet);
    await fc.assert(
      fc.asyncProperty(text, fc.nat(), replacement, async (given, position, character) => {
        const token = await unwrap(store().seal.sign(given));
        expect(await unwrap(store().seal.open(token))).toBe(given);
        const at = position % token.length;
        const forged = token.slice(0, at) + character + token.slice(at + 1);
        if (forged !== token) expect(await unwrap(store().seal.open(forged))).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });

  it("has one spelling of a token", async () => {
    const token = await unwrap(store().seal.sign("i1"));
    const ends = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"].map(
      (end) => token.slice(0, -1) + end,
    );
    const opened = await Promise.all(
      [...ends, `${token}=`, `${token} `].map((each) => unwrap(store().seal.open(each))),
    );
    expect(opened.filter((text) => text !== undefined)).toEqual(["i1"]);
  });

  it("is made once by several processes that need it first", async () => {
    const { location } = database();
    const atMs = Date.now() + 1_500;
    const texts = ["a", "b", "c", "d"];
    const tokens = await workers().run<string>(texts.map((text) => ({ role: "sign", location, text, atMs })));
    for (const [index, text] of texts.entries())
      expect(await unwrap(store().seal.open(tokens[index] ?? ""))).toBe(text);
  });
}
