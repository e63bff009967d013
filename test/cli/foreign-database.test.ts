/** What stands where the store should be and is not ours stays as it is. */
import { chmodSync, lstatSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "libsql";
import { afterAll, describe, expect, it } from "vitest";
import { freshHome } from "../fixture/data-dir.ts";
import { cleanUp, run } from "../fixture/in-process.ts";

afterAll(cleanUp);

const COMMANDS = [["orders"], ["audit", "verify"], ["call", "get_balances"]];

/** All that could be changed of a file. */
function stateOf(path: string): object {
  const { mode, mtimeMs, size } = lstatSync(path);
  return { mode, mtimeMs, size, bytes: readFileSync(path).toString("base64") };
}

function makeDatabase(path: string, sql: string): void {
  const database = new Database(path);
  database.exec(sql);
  database.close();
  chmodSync(path, 0o644);
}

describe("another program's file in the place of the store", () => {
  it.each([
    [
      "a database without a name",
      "CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('mine')",
      /another program/,
    ],
    ["a database with one", "PRAGMA application_id = 4711; CREATE TABLE notes (text TEXT)", /another program/],
    [
      "a database that keeps a log",
      "PRAGMA journal_mode = WAL; CREATE TABLE notes (text TEXT); PRAGMA wal_checkpoint(TRUNCATE)",
      /another program/,
    ],
    ["no database", undefined, /damaged or is not a database/],
  ])("is named and left as it was: %s", async (_, sql, message) => {
    const home = freshHome();
    const path = join(home, "hoga.db");
    if (sql === undefined) writeFileSync(path, "my own notes".repeat(100), { mode: 0o644 });
    else makeDatabase(path, sql);
    const before = stateOf(path);
    const files = readdirSync(home);
    for (const args of COMMANDS) {
      const ended = await run(args, { home });
      expect(ended).toMatchObject({ code: 1, stdout: "" });
      expect(ended.stderr).toContain(path);
      expect(ended.stderr).toMatch(message);
    }
    expect(stateOf(path)).toEqual(before);
    // What cannot be read may be what is left of a store: nothing trades there until a person has looked.
    const halted = sql === undefined ? [...files, "hoga.db.brake"] : files;
    expect(readdirSync(home).filter((name) => name.startsWith("hoga.db"))).toEqual(halted);
  });

  it("is not opened through a link", async () => {
    const home = freshHome();
    const elsewhere = join(freshHome(), "other.db");
    makeDatabase(elsewhere, "SELECT 1");
    const before = stateOf(elsewhere);
    symlinkSync(elsewhere, join(home, "hoga.db"));
    const ended = await run(["audit", "verify"], { home });
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toMatch(/hoga\.db is a link/);
    expect(stateOf(elsewhere)).toEqual(before);
  });
});
