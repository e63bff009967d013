/** A schema that was dropped, or one that another store was put into: whoever starts there is halted, also where the halt before it was in there. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { oneLine } from "../../fixture/command.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { widePaperHome } from "../../fixture/home.ts";
import { createPostgresDatabase, type PostgresDatabase } from "../../fixture/postgres.ts";
import { cleanUp, run } from "../../fixture/program.ts";

let database: PostgresDatabase;
beforeAll(async () => {
  database = await createPostgresDatabase();
});
afterAll(async () => {
  await cleanUp();
  await database.remove();
});

const ORDER = ["call", "place_order", "--symbol", "BTC/KRW", "--side", "buy", "--type", "limit"];
const PRICED = [...ORDER, "--base-volume", "0.001", "--price", "90000000", "--json"];
const HALTED = { outcome: "not_sent", error: { code: "ELocal:Trading halted" } };

it("is told by the place where it stood, from one state directory and from another that knew it", async () => {
  const [home, schema] = [await widePaperHome(), database.freshSchema()];
  const place = (state: string) => ({ home, env: { HOGA_STORE_URL: database.url(schema), XDG_STATE_HOME: state } });
  const [one, other, none] = [freshHome(), freshHome(), freshHome()];
  expect(oneLine(await run(PRICED, place(one)))).toMatchObject({ outcome: "accepted" });
  expect((await run(["audit", "show"], place(other))).code).toBe(0);
  expect((await run(["halt", "--reason", "enough"], place(one))).code).toBe(0);
  await database.query(`DROP SCHEMA ${schema} CASCADE`);
  const denied = await run(PRICED, place(one));
  expect(oneLine(denied)).toMatchObject(HALTED);
  expect(denied.stderr).toContain("The store is new, and there was one here before");
  // It was found once, and holds for all who look: they find the row, and no second sign.
  for (const state of [other, none]) {
    const again = await run(PRICED, place(state));
    expect(oneLine(again)).toMatchObject(HALTED);
    expect(again.stderr).not.toContain("Trading is halted.");
  }
});

it("is told to whoever has nothing but the data directory of one that served there", async () => {
  const [home, schema] = [await widePaperHome(), database.freshSchema()];
  const env = { HOGA_STORE_URL: database.url(schema), XDG_STATE_HOME: freshHome() };
  expect(oneLine(await run(PRICED, { home, env }))).toMatchObject({ outcome: "accepted" });
  await database.query(`DROP SCHEMA ${schema} CASCADE`);
  rmSync(env.XDG_STATE_HOME, { recursive: true });
  expect(oneLine(await run(PRICED, { home, env }))).toMatchObject(HALTED);
  // Other processes start in it as in a new one: what they do not know is not held against it.
  rmSync(join(home, "store.json"));
});

it("starts with nothing as before, however often", async () => {
  const schema = database.freshSchema();
  const start = async () => {
    const env = { HOGA_STORE_URL: database.url(schema), XDG_STATE_HOME: freshHome() };
    return oneLine(await run(PRICED, { home: await widePaperHome(), env }));
  };
  for (let containers = 0; containers < 2; containers++) expect(await start()).toMatchObject({ outcome: "accepted" });
});
