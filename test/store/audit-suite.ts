/** What every store keeps of an audit log: complete, in order, of one piece, and free of secrets. */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import { unwrap } from "../fixture/result.ts";
import { newIntent } from "./intent.ts";
import type { Place } from "./store-suite.ts";

export function auditCases({ store, database, workers }: Place): void {
  it("holds every move of an intent, in order, and no refused one", async () => {
    await unwrap(store().journal.record(newIntent("i1")));
    await unwrap(store().journal.advance("i1", { from: ["ready"], to: "sent", nonce: "5" }, 2_000));
    await unwrap(store().journal.advance("i1", { from: ["ready"], to: "sent" }, 2_500));
    await unwrap(
      store().journal.advance("i1", { from: ["sent"], to: "open", orderId: "o1", body: { n: 3 }, lazy: true }, 3_000),
    );
    const entries = await unwrap(store().audit.recent({ intentId: "i1", limit: 10 }));
    expect([...entries].reverse()).toEqual([
      {
        seq: expect.any(Number),
        atMs: 1_000,
        account: "main",
        event: "intent_recorded",
        intentId: "i1",
        orderId: null,
        detail: { to: "ready", userref: "ref-i1", nonce: null, body: { n: 1 } },
      },
      {
        seq: expect.any(Number),
        atMs: 2_000,
        account: "main",
        event: "intent_moved",
        intentId: "i1",
        orderId: null,
        detail: { from: "ready", to: "sent", nonce: "5" },
      },
      {
        seq: expect.any(Number),
        atMs: 3_000,
        account: "main",
        event: "intent_moved",
        intentId: "i1",
        orderId: "o1",
        detail: { from: "sent", to: "open", body: { n: 3 } },
      },
    ]);
  });

  it("pages from the newest entry to the oldest, by intent and by order", async () => {
    for (let n = 0; n < 5; n++) {
      const of = n % 2 === 0 ? { intentId: "even" } : { orderId: "odd" };
      await unwrap(store().audit.append({ event: "cancel_sent", account: "main", detail: { n }, ...of }, n));
    }
    const page = await unwrap(store().audit.recent({ limit: 2 }));
    expect(page.map((entry) => entry.detail)).toEqual([{ n: 4 }, { n: 3 }]);
    const next = await unwrap(store().audit.recent({ limit: 9, beforeSeq: page[1]?.seq ?? 0 }));
    expect(next.map((entry) => entry.detail)).toEqual([{ n: 2 }, { n: 1 }, { n: 0 }]);
    const even = await unwrap(store().audit.recent({ intentId: "even", limit: 9, beforeSeq: page[0]?.seq ?? 0 }));
    expect(even.map((entry) => entry.detail)).toEqual([{ n: 2 }, { n: 0 }]);
    expect(await unwrap(store().audit.recent({ intentId: "even", orderId: "odd", limit: 9 }))).toEqual([]);
    expect(await unwrap(store().audit.recent({ orderId: "odd", limit: 9 }))).toHaveLength(2);
    await expect(unwrap(store().audit.recent({ limit: 0 }))).rejects.toThrow(/1 to 1000/);
  });

  it("tells entries of an account and of a time from others", async () => {
    for (let n = 0; n < 6; n++) {
      await unwrap(
        store().audit.append({ event: "seen", account: n % 2 === 0 ? "even" : "odd", detail: { n } }, n * 1_000),
      );
    }
    const found = async (query: object) =>
      (await unwrap(store().audit.recent({ limit: 10, ...query }))).map((entry) => entry.detail["n"]);
    expect(await found({ account: "even" })).toEqual([4, 2, 0]);
    expect(await found({ sinceMs: 3_000 })).toEqual([5, 4, 3]);
    expect(await found({ account: "odd", sinceMs: 2_000 })).toEqual([5, 3]);
    expect(await found({ account: "nobody" })).toEqual([]);
  });

  it("says what a begin holds, and repeats no body that did not change", async () => {
    await unwrap(store().journal.record(newIntent("i1", { body: { n: 4 } })));
    const send = { from: ["ready"], to: "sent", nonce: "9", held: "5000", unit: "KRW" as const, body: { n: 4 } };
    await unwrap(
      store().journal.begin(
        "i1",
        send,
        () => undefined,
        () => 2_000,
      ),
    );
    const hold = { value: "4000", isLive: false };
    await unwrap(store().journal.advance("i1", { from: ["sent"], to: "filled", body: { n: 5 }, hold }, 3_000));
    await unwrap(store().journal.advance("i1", { from: ["filled"], to: "filled", body: { n: 5 }, hold }, 4_000));
    expect((await unwrap(store().audit.recent({ limit: 3 }))).map((entry) => entry.detail)).toEqual([
      { from: "filled", to: "filled" },
      { from: "sent", to: "filled", held: "4000", body: { n: 5 } },
      { from: "ready", to: "sent", nonce: "9", held: "5000", unit: "KRW" },
    ]);
  });

  it("chains every entry to the one before, so that anybody can compute it again from an export", async () => {
    expect(await store().audit.verify()).toEqual({ ok: true, count: 0, headHash: "0".repeat(64) });
    await unwrap(store().journal.record(newIntent("i1")));
    await unwrap(
      store().journal.begin(
        "i1",
        { from: ["ready"], to: "sent", nonce: "1", held: "7", unit: "KRW" as const },
        () => undefined,
        () => 2_000,
      ),
    );
    const odd = { z: [1, { b: null, a: "\u2028 호가 \ud800" }], a: undefined, A: -0, "\u0000": 1e21, n: Number.NaN };
    await unwrap(
      store().audit.append(
        { event: "e \ud800 \u0000", account: 'a\n" \udc00', orderId: "o \ud800", detail: odd },
        3_000,
      ),
    );
    const lines: string[] = [];
    await store().audit.export((line) => lines.push(line));
    const { head } = JSON.parse(lines.pop() ?? "") as { head: { count: number; hash: string } };
    let before = "0".repeat(64);
    for (const line of lines) {
      const { hash, prev_hash: prevHash, ...entry } = JSON.parse(line) as Record<string, unknown>;
      expect(prevHash).toBe(before);
      before = createHash("sha256")
        .update(before + sortedJson(entry))
        .digest("hex");
      expect(hash).toBe(before);
    }
    expect(lines).toHaveLength(3);
    expect(head).toEqual({ count: 3, hash: before });
    expect(await store().audit.verify()).toEqual({ ok: true, count: 3, headHash: before });
  });

  it("stays of one piece whatever is written", async () => {
    const text = fc.string({ unit: "binary", maxLength: 20 });
    const entries = fc.array(
      fc.record({ event: text, account: text, intentId: text, detail: fc.dictionary(text, fc.jsonValue()) }),
      { maxLength: 5 },
    );
    let count = 0;
    await fc.assert(
      fc.asyncProperty(entries, async (given) => {
        for (const entry of given) await unwrap(store().audit.append(entry, count));
        count += given.length;
        expect(await store().audit.verify()).toMatchObject({ ok: true, count });
        const [last] = await unwrap(store().audit.recent({ limit: 1 }));
        const expected = given.at(-1);
        if (expected === undefined) return;
        expect(last?.detail).toEqual(JSON.parse(JSON.stringify(expected.detail)));
        expect(last?.account).toBe(Buffer.from(expected.account).toString());
      }),
      { numRuns: 40 },
    );
  });

  it("takes secrets out before anything is kept", async () => {
    const redacting = await database().open({ redact: (text) => text.replaceAll("hunter2", "[redacted]") });
    const body = { n: 1, note: "pass hunter2", ["hunter2"]: ["hunter2"] };
    await unwrap(redacting.journal.record(newIntent("i1", { body, account: "of hunter2" })));
    await unwrap(
      redacting.audit.append({ event: "hunter2 said", account: "main", detail: { deep: [{ x: "hunter2!" }] } }, 1),
    );
    const lines: string[] = [];
    await redacting.audit.export((line) => lines.push(line));
    expect(lines.join("")).not.toContain("hunter2");
    expect(lines.join("")).toContain("of [redacted]");
    expect(await unwrap(redacting.audit.recent({ limit: 1 }))).toMatchObject([
      { event: "[redacted] said", detail: { deep: [{ x: "[redacted]!" }] } },
    ]);
    expect(await redacting.audit.verify()).toMatchObject({ ok: true, count: 2 });
    expect(await unwrap(redacting.audit.recent({ account: "of hunter2", limit: 5 }))).toHaveLength(1);
    // The journal needs the true one to send.
    expect(await unwrap(redacting.journal.byId("i1"))).toMatchObject({ body });
    redacting.close();
  });

  it("is one unbroken chain, written by eight processes at once and read by a ninth", async () => {
    const { location } = database();
    const accounts = Array.from({ length: 8 }, (_, index) => `p${index}`);
    const working = workers().run(accounts.map((account) => ({ role: "append", location, account, count: 60 })));
    let done = false;
    const ended = working.finally(() => {
      done = true;
    });
    let looks = 0;
    for (; !done; looks++) {
      expect(await store().audit.verify()).toMatchObject({ ok: true });
      await new Promise((resolve) => {
        setTimeout(resolve, 5);
      });
    }
    await ended;
    expect(looks).toBeGreaterThan(1);
    expect(await store().audit.verify()).toMatchObject({ ok: true, count: 480 });
    for (const account of accounts) {
      const own = await unwrap(store().audit.recent({ account, limit: 100 }));
      expect(own.map((entry) => entry.detail["n"])).toEqual(Array.from({ length: 60 }, (_, index) => 59 - index));
    }
  });
}

/** Written again here: what the chain is computed from has one text. */
function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
