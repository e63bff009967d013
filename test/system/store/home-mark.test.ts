/** A data directory knows its store: a command whose settings lead to another opens nothing, and a halt is not stopped by that. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { eventually, limitBuy, oneLine } from "../../fixture/command.ts";
import { cleanUp, run, runTerminal, start } from "../../fixture/command-line.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { widePaperHome } from "../../fixture/home.ts";
import { createPostgresDatabase, type PostgresDatabase } from "../../fixture/postgres.ts";
import { run as program } from "../../fixture/program.ts";

let database: PostgresDatabase;
beforeAll(async () => {
  database = await createPostgresDatabase();
});
afterAll(async () => {
  await cleanUp();
  await database.remove();
});

const PASSWORD = "opensesame99";
let home: string;
let schema: string;
let env: { readonly XDG_STATE_HOME: string };
let onServer: { readonly home: string; readonly env: Readonly<Record<string, string>> };
let onFile: typeof onServer;
beforeEach(async () => {
  home = await widePaperHome();
  schema = database.freshSchema();
  env = { XDG_STATE_HOME: freshHome() };
  const url = new URL(database.url(schema));
  url.password = PASSWORD;
  onServer = { home, env: { ...env, HOGA_STORE_URL: url.href } };
  onFile = { home, env };
});

const ORDER = ["call", ...limitBuy(), "--json"];
const markOf = (): unknown => JSON.parse(readFileSync(join(home, "store.json"), "utf8"));
const isOn = (): boolean => readFileSync(join(home, "hoga.db.brake"), "utf8").startsWith('{"brake":"on"');

it("a command without the address beside a server that has it opens nothing and halts nobody", async () => {
  const server = start(["start", "--json", "--port", "0", "--exchange-port", "0"], onServer);
  await server.firstLine();
  expect(markOf()).toMatchObject({ kind: "server", store_id: expect.stringMatching(/^[0-9a-f]{32}$/) });
  expect(readFileSync(join(home, "store.json"), "utf8")).not.toMatch(new RegExp(`${PASSWORD}|postgres@`));
  for (const words of [["portfolio"], ["audit"], ["tokens", "list"], ["serve", "--http", "--port", "0"], ORDER]) {
    const ended = await run(words, onFile);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(/is on a server, postgres:\/\/.*\(schema .*, and HOGA_STORE_URL is not set/);
    expect(ended.stderr).toContain("hoga store use");
    expect(ended.stderr).not.toContain(PASSWORD);
  }
  expect(existsSync(join(home, "hoga.db"))).toBe(false);
  expect(isOn()).toBe(false);
  expect(oneLine(await run(ORDER, onServer))).toMatchObject({ outcome: "accepted" });
  expect(await server.stop()).toMatchObject({ code: 0 });
});

it("a halt without the address halts the directory, cancels at the exchange, and says that the store was not reached", async () => {
  const server = start(["start", "--json", "--port", "0", "--exchange-port", "0"], onServer);
  await server.firstLine();
  expect(oneLine(await run(ORDER, onServer))).toMatchObject({ outcome: "accepted" });
  const halted = await run(["halt", "--reason", "enough", "--json"], onFile);
  expect(halted.code).toBe(1);
  // The server sees the file too, and may have canceled the order first.
  expect(oneLine(halted)).toMatchObject({ brake: "directory", remaining: 0 });
  expect(halted.stdout).toContain("The store was not reached");
  expect(existsSync(join(home, "hoga.db"))).toBe(false);
  expect(oneLine(await run(ORDER, onServer))).toMatchObject({ error: { code: "ELocal:Trading halted" } });
  // The server has the address, and passes it on to the store, from where it holds (decision 0074).
  expect(await eventually(async () => !isOn() || undefined)).toBe(true);
  expect(oneLine(await run(ORDER, onServer))).toMatchObject({ error: { code: "ELocal:Trading halted" } });
  await server.stop();
  expect((await run(["halt", "--reason", "enough", "--json"], onFile)).code).toBe(1);
  expect(isOn()).toBe(true);
});

it("is written by what trades, and not by a look; without one the address counts", async () => {
  expect((await run(["audit"], onFile)).code).toBe(0);
  expect((await run(["audit"], onServer)).code).toBe(0);
  expect((await run(["call", "get_desk_status"], onServer)).code).toBe(0);
  expect(existsSync(join(home, "store.json"))).toBe(false);
  expect(existsSync(join(home, "hoga.db"))).toBe(true);
  expect(oneLine(await run(ORDER, onServer))).toMatchObject({ outcome: "accepted" });
  expect(markOf()).toMatchObject({ kind: "server", shown: expect.stringContaining(schema) });
  expect((await run(["audit"], onFile)).code).toBe(2);
});

it("another address is another store, unless the same one is there; a person says otherwise on a terminal", async () => {
  expect(oneLine(await run(ORDER, onServer))).toMatchObject({ outcome: "accepted" });
  const at = (url: string) => ({ home, env: { ...env, HOGA_STORE_URL: url } });
  const byName = new URL(database.url(schema));
  byName.hostname = "localhost";
  expect((await run(["audit"], at(byName.href))).code).toBe(0);
  const other = database.freshSchema();
  const elsewhere = at(database.url(other));
  const refused = await run(ORDER, elsewhere);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("leads to another");
  expect(await database.query(`SELECT 1 FROM pg_namespace WHERE nspname = '${other}'`)).toEqual([]);
  const piped = await run(["store", "use"], elsewhere);
  expect(piped).toMatchObject({ code: 3, stderr: expect.stringContaining("a person's to say") });
  const used = await runTerminal(["store", "use"], elsewhere, []);
  expect(used.screen).toContain(`(schema ${other})`);
  expect(oneLine(await run(ORDER, elsewhere))).toMatchObject({ outcome: "accepted" });
  expect((await run(["audit"], onServer)).code).toBe(2);
});

it("a directory that has served from its file does not begin anew on a server; a move takes the mark along", async () => {
  expect(oneLine(await program(ORDER, onFile))).toMatchObject({ outcome: "accepted" });
  expect(markOf()).toMatchObject({ kind: "file" });
  const refused = await program(["audit"], onServer);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("hoga store migrate") });
  const { store_id } = markOf() as { readonly store_id: string };
  expect((await program(["store", "migrate"], onServer)).code).toBe(0);
  expect(markOf()).toMatchObject({ kind: "server", store_id });
  expect((await program(["audit"], onFile)).code).toBe(2);
  expect(oneLine(await program(ORDER, onServer))).toMatchObject({ outcome: "accepted" });
  const again = await program(["store", "migrate"], onServer);
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining("is none to be moved") });
});

it("goes with a store that was put back and goes on", async () => {
  expect(oneLine(await run(ORDER, onFile))).toMatchObject({ outcome: "accepted" });
  const before = markOf();
  for (const name of ["hoga.db", "hoga.db-wal", "hoga.db-shm"]) rmSync(join(home, name), { force: true });
  expect(oneLine(await run(ORDER, onFile))).toMatchObject({ error: { code: "ELocal:Trading halted" } });
  expect(markOf()).not.toEqual(before);
  const { screen } = await runTerminal(["resume"], onFile, []);
  expect(screen).not.toContain("The store was not reached");
});

it("a mark that cannot be read stops all but a halt, and is written anew by a person", async () => {
  expect(oneLine(await run(ORDER, onFile))).toMatchObject({ outcome: "accepted" });
  writeFileSync(join(home, "store.json"), "{}", { mode: 0o600 });
  expect(await run(["audit"], onFile)).toMatchObject({ code: 1, stderr: expect.stringContaining("store.json") });
  expect(oneLine(await run(["halt", "--json"], onFile))).toMatchObject({ canceled: 1 });
  await eventually(() => isOn() || undefined);
  expect((await runTerminal(["store", "use"], onFile, [])).code).toBe(0);
  expect((await run(["audit"], onFile)).code).toBe(0);
});
