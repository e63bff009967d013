/** What somebody who can write the file does to the audit log of a SQLite store, and that it shows. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { canonicalJson } from "../../src/contract/index.ts";
import { createAudit } from "../../src/store/audit/audit.ts";
import { chainEntry, entryHash, entryText, readHead, saveHead } from "../../src/store/audit/audit-chain.ts";
import { openStore, type Store } from "../../src/store/index.ts";
import { type FileConnection, openConnection } from "../../src/store/sql/driver.ts";
import { type Bindable, type Row, textCell } from "../../src/store/sql/statement.ts";
import { unwrap } from "../fixture/result.ts";
import { newIntent } from "./intent.ts";

let dir: string;
let store: Store<string, { readonly n: number }>;
let vandal: FileConnection;

const parts = { clock: { now: () => 1_000, sleep: async () => {} }, random: Math.random };

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "hoga-tamper-"));
  const path = join(dir, "hoga.db");
  store = await openStore({ path }, parts);
  vandal = await openConnection(path, { journal: "wal", durability: "normal", random: Math.random });
});
afterEach(() => {
  vandal.close();
  store.close();
  rmSync(dir, { recursive: true });
});

const sql = (text: string, values: readonly Bindable[] = []) => vandal.single(({ run }) => run(text, values));
const rows = (text: string, values: readonly Bindable[] = []) => vandal.single(({ all }) => all(text, values));
const verdict = () => store.audit.verify();

/** Entries of every form: with and without ids, plain and odd text. */
async function fill(count: number): Promise<void> {
  const ids = [{}, { intentId: "i1" }, { orderId: "o1" }, { intentId: "i2", orderId: "o2" }];
  for (let n = 0; n < count; n++) {
    const detail = { n, text: ["plain", "호가 📈", '"\\\n\u0000\ud800', "\ufffd"][n % 4] };
    await unwrap(
      store.audit.append({ event: n % 2 === 0 ? "moved" : "\ufffd", account: "main", ...ids[n % 4], detail }, n),
    );
  }
}

const COLUMNS = ["seq", "at_ms", "account", "event", "intent_id", "order_id", "detail", "prev_hash", "hash"] as const;

/** All that one byte of a cell can be changed to here: one bit of each. */
function changesOf(cell: Row[string] | undefined, isText: boolean): Bindable[] {
  if (cell === null || cell === undefined) return [Buffer.alloc(0), Buffer.from("x")];
  if (isText) {
    const bytes = Buffer.isBuffer(cell) ? cell : Buffer.from(String(cell));
    return Array.from(bytes, (byte, at) => {
      const changed = Buffer.from(bytes);
      changed[at] = byte ^ (1 << (at % 8));
      return changed;
    });
  }
  const whole = BigInt(String(cell));
  return Array.from({ length: 8 }, (_, byte) => BigInt.asIntN(64, whole ^ (1n << BigInt(byte * 8 + 5))));
}

describe("a log that is whole", () => {
  const send = { from: ["ready"], to: "sending", nonce: "1", held: "5000", unit: "KRW" as const };

  it("is that of the intents as well: a state or held money changed past it is found, with the intent's last entry", async () => {
    await fill(3);
    await unwrap(store.journal.record(newIntent("i1")));
    await unwrap(store.journal.record(newIntent("i2")));
    await unwrap(
      store.journal.begin(
        "i2",
        send,
        () => undefined,
        () => 2_000,
      ),
    );
    await unwrap(store.journal.advance("i2", { from: ["sending"], to: "open" }, 3_000));
    expect(await verdict()).toMatchObject({ ok: true, count: 7 });
    for (const [change, undo, seq] of [
      [
        "UPDATE intents SET held = 0 WHERE intent_id = 'i2'",
        "UPDATE intents SET held = 5000 WHERE intent_id = 'i2'",
        7,
      ],
      [
        "UPDATE intents SET state = 'filled' WHERE intent_id = 'i2'",
        "UPDATE intents SET state = 'open' WHERE intent_id = 'i2'",
        7,
      ],
      [
        "UPDATE intents SET state = 'open' WHERE intent_id = 'i1'",
        "UPDATE intents SET state = 'ready' WHERE intent_id = 'i1'",
        4,
      ],
    ] as const) {
      await sql(change);
      expect(await verdict()).toEqual({ ok: false, what: "intent", seq, count: 7 });
      await sql(undo);
      expect(await verdict()).toMatchObject({ ok: true });
    }
    await sql("UPDATE intents SET intent_id = 'i3' WHERE intent_id = 'i1'");
    expect(await verdict()).toEqual({ ok: false, what: "intent", seq: 4, count: 7 });
    await sql("DELETE FROM intents WHERE intent_id = 'i2'");
    await sql("UPDATE intents SET intent_id = 'i1' WHERE intent_id = 'i3'");
    expect(await verdict()).toEqual({ ok: false, what: "intent", seq: 5, count: 7 });
  });

  it("is that of every page of it: what was recorded and is gone, and that the log was put back, however long ago", async () => {
    const append = (count: number, event = "seen", detail = {}) =>
      vandal.transaction(function* (statements) {
        let head = yield* readHead(statements);
        for (let n = 0; n < count; n++) {
          const ids = { intentId: null, orderId: null };
          const entry = { seq: head.seq + 1, atMs: n, account: "main", event, ...ids, detail: canonicalJson(detail) };
          head = yield* chainEntry(statements, head, entry);
        }
        yield* saveHead(statements, head);
      });
    await append(600);
    await unwrap(store.journal.record(newIntent("i1")));
    await append(600);
    expect(await verdict()).toMatchObject({ ok: true, count: 1_201 });
    await append(1, "restored", { why: "older" });
    await append(1, "restored", { why: "moved" });
    await append(600);
    expect(await verdict()).toEqual({ ok: false, what: "restored", seq: 1_202, count: 1_803 });
    await sql("DELETE FROM intents WHERE intent_id = 'i1'");
    expect(await verdict()).toEqual({ ok: false, what: "intent", seq: 601, count: 1_803 });
  });

  it("goes on from a head that was noted: one cut off, or written anew, does not", async () => {
    await fill(4);
    const noted = await verdict();
    if (!noted.ok) throw new Error("not whole");
    const head = { count: noted.count, hash: noted.headHash };
    expect(await store.audit.verify(head)).toMatchObject({ ok: true });
    await fill(2);
    expect(await store.audit.verify(head)).toMatchObject({ ok: true, count: 6 });
    expect(
      await store.audit.verify({ ...head, hash: head.hash.replace(/^./, (c) => (c === "0" ? "1" : "0")) }),
    ).toEqual({
      ok: false,
      what: "another log",
      seq: 4,
      count: 4,
    });
    await sql("DELETE FROM audit WHERE seq > 2");
    await sql("UPDATE audit_head SET count = 2, seq = 2, hash = (SELECT hash FROM audit WHERE seq = 2)");
    expect(await verdict()).toMatchObject({ ok: true, count: 2 });
    expect(await store.audit.verify(head)).toEqual({ ok: false, what: "cut off", seq: 3, count: 2 });
  });
});

describe("one byte changed", () => {
  it("is found in every column of every entry, and the entry is named", async () => {
    await fill(9);
    let tried = 0;
    for (let seq = 1; seq <= 9; seq++) {
      for (const column of COLUMNS) {
        const isText = column !== "seq" && column !== "at_ms";
        const kept = isText ? `CAST(${column} AS BLOB)` : `CAST(${column} AS TEXT)`;
        const [row] = await rows(`SELECT ${kept} AS cell FROM audit WHERE seq = ?`, [seq]);
        const place = isText ? "CAST(? AS TEXT)" : "?";
        const original = row?.["cell"] ?? null;
        for (const changed of changesOf(original, isText)) {
          await sql(`UPDATE audit SET ${column} = ${place} WHERE seq = ?`, [changed, seq]);
          const found = await verdict();
          const where = column === "seq" ? changed : seq;
          // An entry that was given another number is missing where it was, or wrong where it is.
          const named = column === "seq" ? [seq, Number(changed)] : [seq];
          const isFound = !found.ok && named.includes(found.seq);
          expect({ seq, column, changed, found, isFound }).toMatchObject({ isFound: true });
          // Showing the log survives it too, unless a number outgrew what can be shown.
          if (isText) expect(await unwrap(store.audit.recent({ limit: 20 }))).toHaveLength(9);
          const back = isText || original === null ? original : BigInt(textCell(row ?? {}, "cell"));
          await sql(`UPDATE audit SET ${column} = ${original === null ? "?" : place} WHERE seq = ?`, [back, where]);
          tried += 1;
        }
      }
    }
    expect(tried).toBeGreaterThan(1_500);
    expect(await verdict()).toMatchObject({ ok: true, count: 9 });
  });

  it("is found where it reads the same, as what is no text is shown by a mark", async () => {
    await fill(4);
    for (const column of ["event", "detail"]) {
      const [row] = await rows(`SELECT CAST(${column} AS BLOB) AS cell FROM audit WHERE seq = 4`);
      const kept = row?.["cell"] as Buffer;
      const changed = Buffer.from(kept.toString("latin1").replace("\xef\xbf\xbd", "\xff"), "latin1");
      expect(changed.toString()).toBe(kept.toString());
      await sql(`UPDATE audit SET ${column} = CAST(? AS TEXT) WHERE seq = 4`, [changed]);
      expect(await verdict()).toMatchObject({ ok: false, seq: 4, what: "changed" });
      await sql(`UPDATE audit SET ${column} = CAST(? AS TEXT) WHERE seq = 4`, [kept]);
    }
    expect(await verdict()).toMatchObject({ ok: true });
  });

  it("is found in the head", async () => {
    await fill(3);
    for (const column of ["count", "seq", "hash"]) {
      const [row] = await rows(`SELECT ${column} AS cell FROM audit_head`);
      const isText = column === "hash";
      const place = isText ? "CAST(? AS TEXT)" : "?";
      for (const changed of changesOf(row?.["cell"], isText)) {
        await sql(`UPDATE audit_head SET ${column} = ${place}`, [changed]);
        const found = { column, changed, ...(await verdict()) };
        expect(found).toMatchObject({ ok: false, seq: 3, what: "head" });
      }
      await sql(`UPDATE audit_head SET ${column} = ?`, [row?.["cell"] ?? null]);
    }
    expect(await verdict()).toMatchObject({ ok: true });
  });

  it("is not mended in the head by what this process, which knows how that was, writes next", async () => {
    await fill(2);
    await sql("UPDATE audit_head SET count = count + 1");
    await fill(1);
    expect(await verdict()).toMatchObject({ ok: false, what: "head" });
  });
});

describe("entries taken out, put in or replaced", () => {
  it("are missing where they were", async () => {
    await fill(20);
    await sql("DELETE FROM audit WHERE seq IN (11, 12)");
    expect(await verdict()).toEqual({ ok: false, seq: 11, what: "missing", count: 10 });
    await sql("DELETE FROM audit WHERE seq <= 3");
    expect(await verdict()).toEqual({ ok: false, seq: 1, what: "missing", count: 0 });
  });

  it("are cut off at the end, even when the log has gone on since", async () => {
    await fill(20);
    await sql("DELETE FROM audit WHERE seq > 17");
    expect(await verdict()).toEqual({ ok: false, seq: 18, what: "cut off", count: 17 });
    await fill(2);
    expect(await verdict()).toEqual({ ok: false, seq: 18, what: "missing", count: 17 });
    await sql("DELETE FROM audit");
    expect(await verdict()).toEqual({ ok: false, seq: 1, what: "cut off", count: 0 });
  });

  it("show when their hashes were computed again", async () => {
    await fill(5);
    const replace = async (seq: number) => {
      const [row] = await rows("SELECT prev_hash FROM audit WHERE seq = ?", [seq]);
      const entry = { seq, atMs: 7, account: "main", event: "nothing", intentId: null, orderId: null, detail: "{}" };
      const hash = entryHash(textCell(row ?? {}, "prev_hash"), entry);
      const set = "at_ms = 7, event = 'nothing', intent_id = NULL, order_id = NULL, detail = '{}', hash = ?";
      await sql(`UPDATE audit SET ${set} WHERE seq = ?`, [hash, seq]);
    };
    await replace(5);
    expect(await verdict()).toEqual({ ok: false, seq: 5, what: "head", count: 5 });
    await replace(3);
    expect(await verdict()).toMatchObject({ ok: false, seq: 3, what: "changed" });
  });

  it("are found behind the end", async () => {
    await fill(3);
    await vandal.transaction(function* (statements) {
      const head = yield* readHead(statements);
      const entry = { atMs: 1, account: "a", event: "e", intentId: null, orderId: null, detail: "{}" };
      yield* chainEntry(statements, head, { ...entry, seq: 4 });
    });
    expect(await verdict()).toEqual({ ok: false, seq: 4, what: "added", count: 4 });
  });

  it("are found when a whole table is gone", async () => {
    await fill(3);
    await vandal.exec("CREATE TABLE kept AS SELECT * FROM audit_head; DROP TABLE audit_head");
    expect(await verdict()).toEqual({ ok: false, seq: 3, what: "head", count: 3 });
    const lines: string[] = [];
    await store.audit.export((line) => lines.push(line));
    expect(lines).toHaveLength(4);
    expect(lines[3]).toBe('{"head":null}');
    await vandal.exec("DROP TABLE audit");
    expect(await verdict()).toEqual({ ok: false, seq: 1, what: "missing", count: 0 });
  });
});

it("is found on any page of a long log, and shown by an export as it now is", async () => {
  await vandal.transaction(function* (statements) {
    let head = yield* readHead(statements);
    for (let seq = 1; seq <= 1_700; seq++) {
      const entry = { atMs: seq, account: "a", event: "e", intentId: null, orderId: null, detail: `{"n":${seq}}` };
      head = yield* chainEntry(statements, head, { ...entry, seq });
    }
    yield* saveHead(statements, head);
  });
  expect(await verdict()).toMatchObject({ ok: true, count: 1_700 });
  await sql(`UPDATE audit SET detail = '{"n": 1600}' WHERE seq = 1600`);
  expect(await verdict()).toEqual({ ok: false, seq: 1_600, what: "changed", count: 1_599 });
  const lines: string[] = [];
  await store.audit.export((line) => lines.push(line));
  expect(lines).toHaveLength(1_701);
  expect(JSON.parse(lines[1_599] ?? "")).toMatchObject({ seq: 1_600, detail: '{"n": 1600}' });
  expect(JSON.parse(lines[1_600] ?? "")).toMatchObject({ seq: 1_601, detail: { n: 1_601 } });
});

it("hashes the canonical text of an entry", () => {
  const entry = { seq: 1, atMs: 2, account: "a", event: "e", intentId: null, orderId: "o", detail: '{"b":1}' };
  const { seq, atMs, account, event, intentId, orderId } = entry;
  const named = { seq, at_ms: atMs, account, event, intent_id: intentId, order_id: orderId, detail: { b: 1 } };
  expect(entryText(entry)).toBe(canonicalJson(named));
  const hashes = { prevHash: "p", hash: "h" };
  expect(entryText(entry, hashes)).toBe(canonicalJson({ ...named, prev_hash: "p", hash: "h" }));
});

describe("the newest rows alone", () => {
  it("are verified by what they hang on: what is wrong among them shows, and what is wrong before them does not", async () => {
    await fill(30);
    await sql("UPDATE audit SET at_ms = 7 WHERE seq = 5");
    expect(await store.audit.verifyTail(10)).toMatchObject({ ok: true, count: 30 });
    expect(await store.audit.verifyTail(28)).toMatchObject({ ok: false, seq: 5, what: "changed" });
    expect(await store.audit.verifyTail(1_000)).toMatchObject({ ok: false, seq: 5 });
    await sql("DELETE FROM audit WHERE seq = 20");
    expect(await store.audit.verifyTail(10)).toMatchObject({ ok: false, seq: 20, what: "missing" });
    await sql("DELETE FROM audit WHERE seq >= 20");
    expect(await store.audit.verifyTail(3)).toMatchObject({ ok: false, seq: 20, what: "cut off" });
  });

  it("begin where a person went on after damage was found, and nowhere else", async () => {
    await fill(10);
    await sql("UPDATE audit SET at_ms = 7 WHERE seq = 5");
    const append = (event: string) => store.audit.append({ event, account: "", detail: {} }, 1);
    await unwrap(append("resumed"));
    expect(await store.audit.verifyTail(1_000)).toMatchObject({ ok: false, seq: 5 });
    await unwrap(append("damaged"));
    expect(await store.audit.verifyTail(1_000)).toMatchObject({ ok: false, seq: 5 });
    await unwrap(append("resumed"));
    await unwrap(append("moved"));
    expect(await store.audit.verifyTail(1_000)).toMatchObject({ ok: true, count: 14 });
    expect(await store.audit.verify(undefined, 13)).toMatchObject({ ok: true, count: 14 });
    expect(await store.audit.verify()).toMatchObject({ ok: false, seq: 5 });
    await sql("UPDATE audit SET at_ms = 7 WHERE seq = 14");
    expect(await store.audit.verifyTail(1_000)).toMatchObject({ ok: false, seq: 14 });
  });
});

describe("a log that cannot be written", () => {
  const send = { from: ["ready"], to: "sent", nonce: "1", held: "5", unit: "KRW" as const };
  const unwritable = {
    ok: false,
    fault: {
      code: "ELocal:Store unavailable",
      message: expect.stringMatching(/^The audit log .* cannot be written/),
      nextAction: expect.stringMatching(/\w/),
    },
  };

  it.each([
    ["its table dropped", "DROP TABLE audit"],
    ["its head dropped", "DROP TABLE audit_head"],
    ["its head emptied", "DELETE FROM audit_head"],
    ["a trigger that aborts", "CREATE TRIGGER t BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'no'); END"],
    ["a trigger that rolls back", "CREATE TRIGGER t BEFORE INSERT ON audit BEGIN SELECT RAISE(ROLLBACK, 'no'); END"],
    ["a trigger that ignores", "CREATE TRIGGER t BEFORE INSERT ON audit BEGIN SELECT RAISE(IGNORE); END"],
    ["a trigger on its head", "CREATE TRIGGER t BEFORE UPDATE ON audit_head BEGIN SELECT RAISE(IGNORE); END"],
    ["an entry in the way", "INSERT INTO audit VALUES (2, 0, '', '', NULL, NULL, '{}', '', '')"],
    ["a column renamed", "ALTER TABLE audit RENAME COLUMN hash TO digest"],
    ["a head that cannot be read", "UPDATE audit_head SET seq = 9223372036854775807"],
  ])("lets no order begin and none be recorded: %s; the kill switch goes on", async (_, damage) => {
    await unwrap(store.journal.record(newIntent("i1")));
    await vandal.exec(damage);
    expect(
      await store.journal.begin(
        "i1",
        send,
        () => undefined,
        () => 2_000,
      ),
    ).toMatchObject(unwritable);
    expect(await store.journal.record(newIntent("i2"))).toMatchObject(unwritable);
    expect(await store.journal.advance("i1", { from: ["ready"], to: "x" }, 2_000)).toMatchObject(unwritable);
    expect(await store.audit.append({ event: "e", account: "a", detail: {} }, 1)).toMatchObject(unwritable);
    expect(await unwrap(store.journal.byId("i1"))).toMatchObject({ state: "ready", nonce: null, held: "0" });
    expect(await unwrap(store.journal.byId("i2"))).toBeUndefined();
    const record = { reason: "audit is broken", by: "person", atMs: 5 };
    await unwrap(store.killSwitch.engage(record));
    expect(await rows("SELECT reason FROM brake")).toEqual([{ reason: "audit is broken" }]);
    expect(
      await unwrap(
        store.journal.begin(
          "i1",
          send,
          ({ killSwitch }) => killSwitch,
          () => 2_000,
        ),
      ),
    ).toEqual({ refused: record });
    await unwrap(store.killSwitch.release());
    expect(await unwrap(store.killSwitch.state())).toBeUndefined();
  });

  it("is told from a mistake of ours, and from a full disk", async () => {
    await expect(unwrap(store.audit.append({ event: "e", account: "a", detail: {} }, 1.5))).rejects.toMatchObject({
      name: "StoreInvariantError",
    });
    const settings = { journal: "wal", durability: "full", random: Math.random } as const;
    const small = await openConnection(join(dir, "hoga.db"), settings);
    await small.exec("PRAGMA max_page_count = 1");
    const audit = createAudit(small);
    const large = { event: "e", account: "a", detail: { text: "x".repeat(100_000) } };
    expect(await audit.append(large, 1)).toMatchObject({
      ok: false,
      fault: { message: expect.stringMatching(/^The disk .* is full/) },
    });
    small.close();
  });
});
