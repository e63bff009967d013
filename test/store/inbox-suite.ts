/** What every store keeps of webhooks that were received. */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Place, TestStore } from "./store-suite.ts";

const CLAIM_MS = 100;
const MANY = 1_000;

export function inboxCases({ store, database }: Place): void {
  const inbox = () => store().inbox;
  const keep = (id: string, body = `{"id":"${id}"}`, source = "main") => inbox().keep(source, { id, body }, 5_000);
  const idsOf = (webhooks: readonly { readonly id: string }[]) => webhooks.map(({ id }) => id);

  it("keeps an event once, whatever its body says the second time, for each source by itself", async () => {
    expect(await keep("evt_1")).toBe(true);
    expect(await keep("evt_1", "something else")).toBe(false);
    expect(await keep("evt_1", "{}", "other")).toBe(true);
    const body = '{"id":"evt_1"}';
    expect(await inbox().claim("main", 5_000, CLAIM_MS, MANY)).toEqual([
      { seq: 1, id: "evt_1", body, receivedAtMs: 5_000 },
    ]);
  });

  it("keeps an event by an id of any length, once", async () => {
    // Not to be made shorter: an index may compress what it holds.
    const long = (salt: string) =>
      Array.from({ length: 96 }, (_, n) => createHash("sha512").update(`${salt}${n}`).digest("base64")).join("");
    expect([await keep(long("a")), await keep(long("a")), await keep(long("b"))]).toEqual([true, false, true]);
  });

  it("knows an event again after it was processed, and gives it to nobody any more", async () => {
    await keep("evt_1");
    const [kept] = await inbox().claim("main", 5_000, CLAIM_MS, MANY);
    await inbox().done(kept?.seq ?? 0, 5_001);
    await inbox().done(kept?.seq ?? 0, 5_002);
    expect(await keep("evt_1")).toBe(false);
    const later = await database().open();
    expect(await later.inbox.keep("main", { id: "evt_1", body: "{}" }, 9_000_000)).toBe(false);
    expect(await later.inbox.claim("main", 9_000_000, CLAIM_MS, MANY)).toEqual([]);
    later.close();
  });

  it("gives out the oldest first, as many as are asked for", async () => {
    for (const id of ["evt_b", "evt_a", "evt_c"]) await keep(id);
    expect(idsOf(await inbox().claim("main", 5_000, CLAIM_MS, 2))).toEqual(["evt_b", "evt_a"]);
    expect(idsOf(await inbox().claim("main", 5_000, CLAIM_MS, 2))).toEqual(["evt_c"]);
    expect(await inbox().claim("main", 5_000, CLAIM_MS, 2)).toEqual([]);
  });

  it("gives an event to one, and to another when the claim has run out", async () => {
    const other = await database().open();
    await keep("evt_1");
    const look = async (from: TestStore, nowMs: number) => idsOf(await from.inbox.claim("main", nowMs, CLAIM_MS, MANY));
    const both = await Promise.all([look(store(), 5_010), look(other, 5_010)]);
    expect(both.flat()).toEqual(["evt_1"]);
    expect(await look(other, 5_109)).toEqual([]);
    // Who looked at the clock before the claim was made is not given it either.
    expect(await look(other, 5_009)).toEqual([]);
    expect(await look(other, 5_110)).toEqual(["evt_1"]);
    other.close();
  });

  it("does not wait for a claim from a clock that was set back since", async () => {
    await keep("evt_1");
    await inbox().claim("main", 1_000_000, CLAIM_MS, MANY);
    expect(idsOf(await inbox().claim("main", 6_000, CLAIM_MS, MANY))).toEqual(["evt_1"]);
  });

  it("shares out three hundred events over three who keep, claim and finish at once, each once", async () => {
    const others = await Promise.all([database().open(), database().open()]);
    const all = [store(), ...others];
    const ids = Array.from({ length: 300 }, (_, index) => `evt_${index}`);
    const taken: string[] = [];
    const work = async ({ inbox: own }: TestStore): Promise<number> => {
      let fresh = 0;
      for (const id of ids) {
        if (await own.keep("main", { id, body: "{}" }, 5_000)) fresh += 1;
        for (const { id: given, seq } of await own.claim("main", 5_000, CLAIM_MS, 3)) {
          taken.push(given);
          await own.done(seq, 5_000);
        }
      }
      return fresh;
    };
    const fresh = await Promise.all(all.map(work));
    expect(fresh.reduce((sum, count) => sum + count, 0)).toBe(ids.length);
    expect([...taken].sort()).toEqual([...ids].sort());
    for (const other of others) other.close();
  });

  it("gives a body back as it was, whatever is in it", async () => {
    let count = 0;
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary" }), async (body) => {
        await keep(`evt_${count++}`, body);
        const [kept] = await inbox().claim("main", 5_000, CLAIM_MS, MANY);
        // A lone surrogate is no text, and stands for itself in no encoding.
        expect(kept?.body).toBe(Buffer.from(body).toString());
        await inbox().done(kept?.seq ?? 0, 5_000);
      }),
      { numRuns: 50, examples: [["\u0000 after a NUL"], ["호가 📈"], [""]] },
    );
  });
}
