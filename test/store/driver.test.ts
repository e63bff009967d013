import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type FileConnection, openConnection, openToLook } from "../../src/store/sql/driver.ts";
import type { Bindable, Statements } from "../../src/store/sql/statement.ts";
import { explainError, StoreError, StoreInvariantError } from "../../src/store/sql/store-error.ts";

let dir: string;
let path: string;
let connection: FileConnection;
const settings = { journal: "wal", durability: "full", random: Math.random } as const;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "hoga-driver-"));
  path = join(dir, "data", "hoga.db");
  connection = await openConnection(path, settings);
  await connection.exec("CREATE TABLE t (a, b TEXT)");
});
afterEach(() => {
  connection.close();
  rmSync(dir, { recursive: true });
});

const insert = (...values: unknown[]) =>
  connection.single(({ run }) => run("INSERT INTO t (a, b) VALUES (?, ?)", values as Bindable[]));

describe("binding", () => {
  it.each([
    ["a boolean", true],
    ["undefined", undefined],
    ["an object", {}],
    ["a date", new Date()],
    ["an array", []],
    ["a plain byte array", new Uint8Array(2)],
    ["a fraction", 1.5],
    ["an unsafe integer", 2 ** 53],
    ["NaN", Number.NaN],
    ["an integer beyond 64 bits", 2n ** 63n],
    ["a symbol", Symbol("s")],
  ])("refuses %s before the driver sees it", async (_, value) => {
    await expect(insert(value, "b")).rejects.toBeInstanceOf(StoreInvariantError);
    await expect(insert("b", value)).rejects.toBeInstanceOf(StoreInvariantError);
    expect(await connection.single(({ all }) => all("SELECT * FROM t", []))).toEqual([]);
  });

  it("keeps what may be bound, integers as integers", async () => {
    await insert(7, "seven");
    await insert(-9_007_199_254_740_991, null);
    await insert(Buffer.from([0, 255]), "'?'");
    const rows = await connection.single(({ all }) => all("SELECT a, b, typeof(a) AS kind FROM t", []));
    expect(rows).toEqual([
      { a: 7, b: "seven", kind: "integer" },
      { a: -9_007_199_254_740_991, b: null, kind: "integer" },
      { a: Buffer.from([0, 255]), b: "'?'", kind: "blob" },
    ]);
  });

  it("refuses to read an integer that JavaScript would round", async () => {
    await insert(2n ** 53n + 1n, "b");
    await expect(connection.single(({ all }) => all("SELECT a FROM t", []))).rejects.toThrow(/not exact/);
    expect(await connection.single(({ get }) => get("SELECT CAST(a AS TEXT) AS a FROM t", []))).toEqual({
      a: "9007199254740993",
    });
  });

  it("wants as many values as the statement has places, in an array", async () => {
    await expect(insert(1)).rejects.toThrow(/takes 2 values and was given 1/);
    await expect(insert(1, "b", 3)).rejects.toThrow(/takes 2 values and was given 3/);
    const bare = Buffer.from("x") as unknown as Bindable[];
    await expect(connection.single(({ get }) => get("SELECT ? AS v", bare))).rejects.toThrow(/as an array/);
    await expect(connection.single(({ get }) => get("SELECT ?1 AS v", [1]))).rejects.toThrow(/named placeholder/);
    expect(await connection.single(({ get }) => get("SELECT '?' AS v WHERE 1 = ?", [1]))).toEqual({ v: "?" });
  });

  it("finds a row by a statement that has just found none, whether one was wanted or all", async () => {
    await insert("here", "b");
    const sql = "SELECT b FROM t WHERE a = ?";
    await connection.single(function* ({ get, all }) {
      for (let turn = 0; turn < 2; turn++) {
        expect(yield* all(sql, ["gone"])).toEqual([]);
        expect(yield* get(sql, ["here"])).toEqual({ b: "b" });
        expect(yield* get(sql, ["gone"])).toBeUndefined();
        expect(yield* all(sql, ["here"])).toEqual([{ b: "b" }]);
      }
    });
  });

  it("tells statements with rows from those without", async () => {
    await expect(
      connection.single(({ run }) => run("INSERT INTO t (a) VALUES (1) RETURNING a", [])),
    ).rejects.toBeInstanceOf(StoreInvariantError);
    await expect(connection.single(({ get }) => get("DELETE FROM t", []))).rejects.toBeInstanceOf(StoreInvariantError);
    await expect(connection.single(({ all }) => all("DELETE FROM t", []))).rejects.toBeInstanceOf(StoreInvariantError);
  });
});

describe("a transaction", () => {
  it("leaves nothing behind when its function throws, and the next one works", async () => {
    const failing = connection.transaction(function* ({ run }) {
      yield* run("INSERT INTO t (a) VALUES (?)", [1]);
      throw new Error("changed my mind");
    });
    await expect(failing).rejects.toThrow("changed my mind");
    await connection.transaction(({ run }) => run("INSERT INTO t (a) VALUES (?)", [2]));
    expect(await connection.single(({ all }) => all("SELECT a FROM t", []))).toEqual([{ a: 2 }]);
  });

  it("leaves nothing behind where a statement was made and not carried out", async () => {
    const forgotten = connection.transaction(function* ({ run }) {
      yield* run("INSERT INTO t (a) VALUES (?)", [1]);
      run("INSERT INTO t (a) VALUES (?)", [2]);
    });
    await expect(forgotten).rejects.toThrow(/not carried out/);
    expect(await connection.single(({ all }) => all("SELECT a FROM t", []))).toEqual([]);
  });

  it("goes on after a statement that was refused, where its function does", async () => {
    await connection.transaction(function* ({ run }) {
      try {
        yield* run("INSERT INTO no_table (a) VALUES (?)", [1]);
      } catch {
        yield* run("INSERT INTO t (a) VALUES (?)", [2]);
      }
    });
    expect(await connection.single(({ all }) => all("SELECT a FROM t", []))).toEqual([{ a: 2 }]);
  });

  it("is on disk when it is done, right after one that need not be, which is the same connection's", async () => {
    const commits = ({ get }: Statements) => get("PRAGMA synchronous", []);
    const [full, normal] = [{ synchronous: 2 }, { synchronous: 1 }];
    for (let turn = 0; turn < 2; turn++) {
      expect(await connection.lazily.transaction(commits)).toEqual(normal);
      expect(await connection.transaction(commits)).toEqual(full);
      expect(await connection.lazily.single(commits)).toEqual(normal);
      expect(await connection.single(commits)).toEqual(full);
    }
    await expect(connection.transaction(({ run }) => run("INSERT INTO no_table (a) VALUES (?)", [1]))).rejects.toThrow(
      /lacks its tables/,
    );
    expect(await connection.lazily.transaction(commits)).toEqual(normal);
    expect(await connection.transaction(commits)).toEqual(full);
    connection.close();
    expect(connection.lazily.closed).toBe(true);
    await expect(connection.lazily.single(commits)).rejects.toThrow(/after it was closed/);
  });

  it("is on disk when it is done, though what was only read before it found the setting as it was", async () => {
    const setting = ({ get }: Statements) => get("SELECT synchronous FROM pragma_synchronous", []);
    const written = ({ run }: Statements) => run("INSERT INTO t (a) VALUES (?)", [1]);
    await connection.lazily.transaction(written);
    expect(await connection.single(setting)).toEqual({ synchronous: 1 });
    await connection.single(written);
    expect(await connection.lazily.single(setting)).toEqual({ synchronous: 2 });
    await connection.lazily.single(({ all }) => all("INSERT INTO t (a) VALUES (2) RETURNING a", []));
    expect(await connection.single(setting)).toEqual({ synchronous: 1 });
    await connection.transaction(written);
    expect(await connection.single(setting)).toEqual({ synchronous: 2 });
  });

  it("waits for another connection's, lets the event loop turn meanwhile, and gives up in bounds", async () => {
    const other = await openConnection(path, settings);
    expect(other.holdLock()).toBe(true);
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += 1;
    }, 5);
    const refused = connection.transaction(({ run }) => run("INSERT INTO t (a) VALUES (1)", []), { busyMs: 500 });
    await expect(refused).rejects.toMatchObject({ name: "StoreError", code: "busy" });
    expect(ticks).toBeGreaterThan(1);
    clearInterval(timer);
    const waiting = connection.transaction(({ run }) => run("INSERT INTO t (a) VALUES (1)", []));
    setTimeout(() => other.close(), 100);
    expect((await waiting).changes).toBe(1);
  });
});

describe("a statement of its own", () => {
  it("keeps nothing back from others when it had to wait, nor shows them what was before", async () => {
    const other = await openConnection(path, settings);
    expect(other.holdLock()).toBe(true);
    const added = connection.single(({ run }) => run("INSERT INTO t (a) VALUES (2)", []));
    const changed = connection.lazily.single(({ run }) => run("UPDATE t SET b = 'seen' WHERE a = 1", []));
    const given = connection.single(({ run }) => run("DELETE FROM t WHERE a = 9", []), { busyMs: 10 });
    await expect(given).rejects.toMatchObject({ code: "busy" });
    await other.exec("INSERT INTO t (a) VALUES (1)");
    await other.exec("COMMIT");
    other.close();
    expect(await connection.single(({ get }) => get("SELECT a FROM t WHERE a = 1", []))).toEqual({ a: 1 });
    expect([await added, await changed]).toMatchObject([{ changes: 1 }, { changes: 1 }]);
    expect((await connection.transaction(({ run }) => run("DELETE FROM t", []))).changes).toBe(2);
  });
});

describe("a full disk", () => {
  it("is said, costs nothing that was committed, and is over when there is space again", async () => {
    await insert(1, "kept");
    await connection.exec("PRAGMA max_page_count = 3");
    const tooMuch = connection.transaction(function* ({ run }) {
      for (let n = 0; n < 50; n++) yield* run("INSERT INTO t (a, b) VALUES (?, ?)", [n, "x".repeat(4_000)]);
    });
    await expect(tooMuch).rejects.toMatchObject({ code: "disk_full", fix: expect.stringContaining("Free") });
    await connection.exec("PRAGMA max_page_count = 1000");
    await insert(2, "kept");
    expect(await connection.single(({ all }) => all("SELECT a FROM t", []))).toEqual([{ a: 1 }, { a: 2 }]);
  });
});

describe("opening and closing", () => {
  it("keeps the file and the directory it makes to the user", async () => {
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(dir, "data")).mode & 0o777).toBe(0o700);
    const lax = join(dir, "lax.db");
    writeFileSync(lax, "", { mode: 0o644 });
    (await openConnection(lax, settings)).close();
    expect(statSync(lax).mode & 0o777).toBe(0o600);
  });

  it("refuses use after close", async () => {
    const write = () => insert(1, "b");
    await write();
    connection.close();
    connection.close();
    await expect(write()).rejects.toThrow(/after it was closed/);
    await expect(connection.transaction(({ run }) => run("DELETE FROM t", []))).rejects.toThrow(/after it was closed/);
    await expect(connection.exec("SELECT 1")).rejects.toThrow(/after it was closed/);
    expect(() => connection.holdLock()).toThrow(/after it was closed/);
  });

  it.each([
    ["a directory in place of the file", () => mkdirSync(join(dir, "x", "hoga.db"), { recursive: true })],
    ["a file in place of the directory", () => writeFileSync(join(dir, "x"), "")],
  ])("says what is wrong with %s", async (_, prepare) => {
    prepare();
    const file = join(dir, "x", "hoga.db");
    const error = await openConnection(file, settings).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StoreError);
    expect(error).toMatchObject({ code: "unwritable", message: expect.stringContaining(file) });
  });
});

describe("an error", () => {
  it.each([
    [{ code: "SQLITE_FULL", rawCode: 13 }, "disk_full"],
    [{ code: "SQLITE_IOERR_SHMSIZE", rawCode: 4874 }, "disk_full"],
    [{ code: "SQLITE_IOERR_FSYNC", rawCode: 1034 }, "io_error"],
    [{ code: "SQLITE_READONLY_DBMOVED", rawCode: 1032 }, "unwritable"],
    [{ code: "SQLITE_CORRUPT", rawCode: 11 }, "damaged"],
    [{ code: "SQLITE_BUSY_SNAPSHOT", rawCode: 517 }, "busy"],
    [{ code: "ENOSPC" }, "disk_full"],
    [{ code: "EROFS" }, "unwritable"],
    [{ message: 'ConnectionFailed("Unable to open")' }, "unwritable"],
  ])("%j means %s", (given, code) => {
    const error = explainError(Object.assign(new Error("text"), given), "/data/hoga.db");
    expect(error).toMatchObject({ name: "StoreError", code });
    const fault = code === "damaged" ? "ELocal:Store damaged" : "ELocal:Store unavailable";
    expect((error as StoreError).toFault()).toMatchObject({ code: fault, reachedVenue: "no" });
  });

  it("stays what it is when it is of another kind", () => {
    const error = new RangeError("mine");
    expect(explainError(error, "f")).toBe(error);
    const refused = Object.assign(new Error("UNIQUE constraint failed"), { code: "SQLITE_CONSTRAINT", rawCode: 2067 });
    expect(explainError(refused, "f")).toBeInstanceOf(StoreInvariantError);
  });
});

describe("a look at a file", () => {
  it("changes nothing where a killed process left a log beside it", async () => {
    await insert(1, "kept in the log");
    // As it stands while the log is there, and nobody has it open.
    const left = join(dir, "left");
    cpSync(join(dir, "data"), left, { recursive: true });
    const names = ["hoga.db", "hoga.db-wal"].map((name) => join(left, name));
    expect(names.map((name) => existsSync(name))).toEqual([true, true]);
    const before = names.map((name) => readFileSync(name).toString("base64"));
    const looking = await openToLook(join(left, "hoga.db"), Math.random);
    expect(await looking.single(({ all }) => all("SELECT a FROM t", []))).toEqual([{ a: 1 }]);
    await expect(looking.single(({ run }) => run("DELETE FROM t", []))).rejects.toBeInstanceOf(StoreError);
    looking.close();
    expect(names.map((name) => readFileSync(name).toString("base64"))).toEqual(before);
  });
});
