/** `hoga tenants rotate`, killed at each step of sealing a key anew: every key stays readable under the old master key or the new one, and the last run ends it. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, expect, it } from "vitest";
import {
  digestOf,
  givenCredentials,
  homeOf,
  masterKeysIn,
  Secret,
  sealKey,
  unsealKey,
} from "../../../src/config/index.ts";
import { openStore, type Tenants } from "../../../src/store/index.ts";
import { openConnection } from "../../../src/store/sql/driver.ts";
import { eventually, oneLine } from "../../fixture/command.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { cleanUp, run, start } from "../../fixture/program.ts";
import { unwrap } from "../../fixture/result.ts";

afterAll(cleanUp);

/** The head may move before its entry is there: which key it is about, the key tells. */
function masterKeyOf(tenant: string): string {
  return `(SELECT master_key_id FROM tenant_keys WHERE tenant = '${tenant}')`;
}

/** Where it is held until it is killed, each time at the next key. */
const STEPS = [
  ["before a key is written", "BEFORE UPDATE ON tenant_keys WHEN old.tenant = 't1'"],
  ["after it is written", "AFTER UPDATE ON tenant_keys WHEN old.tenant = 't2'"],
  [
    "after it is in the log",
    `AFTER INSERT ON audit WHEN new.event = 'tenant_key_resealed' AND new.detail LIKE '%"t3"%'`,
  ],
  ["after the log's head has moved", `AFTER UPDATE ON audit_head WHEN ${masterKeyOf("t4")} = ${masterKeyOf("t0")}`],
] as const;
const COUNT = STEPS.length + 1;
/** A step that never ends: SQLite counts. */
const ENDLESS =
  "CREATE VIEW endless AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n";
/** From its last key on, until it stands at the step. */
const THERE_MS = 100;

const OLD = randomBytes(32).toString("base64");
const NEW = randomBytes(32).toString("base64");
const BOTH = { HOGA_MASTER_KEY: NEW, HOGA_MASTER_KEY_OLD: OLD };

const secretOf = (name: string): string => Buffer.from(`secret of ${name}`).toString("base64");
const keysOf = (home: string, env: Readonly<Record<string, string>>) => masterKeysIn(homeOf({ HOGA_HOME: home }), env);

async function seal(tenants: Tenants, home: string): Promise<void> {
  const master = await keysOf(home, { HOGA_MASTER_KEY: OLD }).current();
  for (let n = 0; n < COUNT; n++) {
    const owner = { tenant: `t${n}`, profile: "shared" };
    await unwrap(tenants.create({ name: owner.tenant, profile: owner.profile, createdAtMs: n }));
    const pair = givenCredentials(new Secret(`key-of-${owner.tenant}`), new Secret(secretOf(owner.tenant)), "test");
    const key = { digest: digestOf(pair.apiKey.reveal()), ...sealKey(pair, owner, master) };
    expect(await unwrap(tenants.setKey(owner.tenant, key, n))).toBe("set");
  }
}

/** How many keys there are under each master key; each has to be opened by these, and to be what it was. */
async function readable(tenants: Tenants, home: string, env: Readonly<Record<string, string>>): Promise<string[]> {
  const keys = keysOf(home, env);
  const under: string[] = [];
  for (const { name, profile, key } of await unwrap(tenants.list())) {
    if (key === undefined) throw new Error(`${name} has no key any more`);
    const { apiKey, apiSecret } = await unsealKey(key, { tenant: name, profile }, keys);
    expect([apiKey.reveal(), apiSecret.reveal()]).toEqual([`key-of-${name}`, secretOf(name)]);
    under.push(key.masterKeyId);
  }
  expect(under).toHaveLength(COUNT);
  return under;
}

it("a rotation that is killed leaves every key readable, and is ended by the next", async () => {
  const home = freshHome();
  const parts = { clock: { now: Date.now, sleep: async () => {} }, random: Math.random };
  const store = await openStore({ path: join(home, "hoga.db") }, parts);
  await seal(store.tenants, home);
  const { id } = await keysOf(home, BOTH).current();
  const resealed = async (): Promise<number> =>
    (await unwrap(store.tenants.list())).filter(({ key }) => key?.masterKeyId === id).length;
  const place = { home, env: BOTH };
  const file = await openConnection(join(home, "hoga.db"), {
    ...{ journal: "wal", durability: "full", isStore: true, random: Math.random },
  });
  await file.exec(ENDLESS);
  for (const [at, [step, when]] of STEPS.entries()) {
    await file.exec(`CREATE TRIGGER held ${when} BEGIN SELECT max(i) FROM endless; END`);
    const rotation = start(["tenants", "rotate", "--json"], place);
    await eventually(async () => ((await resealed()) > at ? true : undefined));
    await pause(THERE_MS);
    rotation.child.kill("SIGKILL");
    expect([step, (await rotation.ended).signal]).toEqual([step, "SIGKILL"]);
    const under = await readable(store.tenants, home, BOTH);
    expect([step, under.filter((each) => each === id).length]).toEqual([step, at + 1]);
    expect([step, await store.audit.verify()]).toMatchObject([step, { ok: true }]);
    await file.exec("DROP TRIGGER held");
  }
  await file.exec("DROP VIEW endless");
  file.close();
  const rotated = oneLine(await run(["tenants", "rotate", "--json"], place));
  expect(rotated).toMatchObject({ already: STEPS.length, resealed: 1 });
  expect(new Set(await readable(store.tenants, home, { HOGA_MASTER_KEY: NEW }))).toEqual(new Set([id]));
  expect(await store.audit.verify()).toMatchObject({ ok: true });
  store.close();
});
