/** How the key of a tenant lies in the store: opened by the master key it was sealed under, for whom it was sealed, and by nothing else. */
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { givenCredentials, homeOf, masterKeysIn, Secret, sealKey, unsealKey } from "../../src/config/index.ts";
import { freshHome, removeHomes } from "../fixture/data-dir.ts";

afterAll(removeHomes);

const master = () => randomBytes(32).toString("base64");
const keysOf = (env: Readonly<Record<string, string>>, home = freshHome()) =>
  masterKeysIn(homeOf({ HOGA_HOME: home, HOME: home }), env);

const OWNER = { tenant: "alice", profile: "desk" };
const PAIR = givenCredentials(new Secret("key-of-alice-4711"), new Secret("c2VjcmV0IG9mIGFsaWNl"), "test");

async function shown(error: Promise<unknown>): Promise<string> {
  return error.then(
    () => "opened",
    (refused: unknown) => `${String(refused)} ${String((refused as { fix?: string }).fix)}`,
  );
}

describe("a sealed key", () => {
  it("is opened by its master key, for its owner; the same key is never sealed the same", async () => {
    const keys = keysOf({ HOGA_MASTER_KEY: master() });
    const [one, other] = [sealKey(PAIR, OWNER, await keys.current()), sealKey(PAIR, OWNER, await keys.current())];
    expect(one.sealed).not.toBe(other.sealed);
    expect(Buffer.from(one.sealed, "base64").toString("latin1")).not.toContain("alice");
    const opened = await unsealKey(one, OWNER, keys);
    expect([opened.apiKey.reveal(), opened.apiSecret.reveal()]).toEqual(["key-of-alice-4711", "c2VjcmV0IG9mIGFsaWNl"]);
  });

  it("is not opened where anything of it was changed, and nothing of it is told", async () => {
    const keys = keysOf({ HOGA_MASTER_KEY: master() });
    const key = sealKey(PAIR, OWNER, await keys.current());
    const bytes = Buffer.from(key.sealed, "base64");
    const cases = [...bytes.keys()].map((at) => {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      return unsealKey({ ...key, sealed: changed.toString("base64") }, OWNER, keys);
    });
    for (const length of [0, 12, 27, bytes.length - 1])
      cases.push(unsealKey({ ...key, sealed: bytes.subarray(0, length).toString("base64") }, OWNER, keys));
    // Another tenant's row, or another profile's.
    cases.push(unsealKey(key, { ...OWNER, tenant: "bob" }, keys), unsealKey(key, { ...OWNER, profile: "other" }, keys));
    for (const said of await Promise.all(cases.map(shown))) {
      expect(said).toMatch(/cannot be opened: it was changed in the store, or is another's/);
      expect(said).not.toMatch(/4711|c2Vjc|Unsupported state/);
    }
  });

  it("is opened by the key before too while that is given, and by no other", async () => {
    const [first, second] = [master(), master()];
    const key = sealKey(PAIR, OWNER, await keysOf({ HOGA_MASTER_KEY: first }).current());
    const both = keysOf({ HOGA_MASTER_KEY: second, HOGA_MASTER_KEY_OLD: first });
    expect((await unsealKey(key, OWNER, both)).apiKey.reveal()).toBe("key-of-alice-4711");
    const said = await shown(unsealKey(key, OWNER, keysOf({ HOGA_MASTER_KEY: second })));
    expect(said).toMatch(/under another master key .*HOGA_MASTER_KEY_OLD/);
    expect(said).not.toContain(second);
  });
});

describe("the master key", () => {
  it("comes from a file, or a command", async () => {
    const [home, key] = [freshHome(), master()];
    const { id } = await keysOf({ HOGA_MASTER_KEY: key }).current();
    const file = join(home, "master-key");
    writeFileSync(file, `${key}\n`, { mode: 0o600 });
    expect((await keysOf({ HOGA_MASTER_KEY_FILE: file }).current()).id).toBe(id);
    writeFileSync(join(home, "config.toml"), `[tenants]\nmaster_key_command = "cat '${file}'"\n`, { mode: 0o600 });
    expect((await keysOf({ PATH: process.env["PATH"] ?? "" }, home).current()).id).toBe(id);
  });

  it.each([
    [{}, /There is no master key/],
    [{ HOGA_MASTER_KEY: "c2hvcnQ=" }, /\(HOGA_MASTER_KEY\) is not 32 bytes in base64/],
    [{ HOGA_MASTER_KEY: `${master()} x` }, /is not 32 bytes in base64/],
    [{ HOGA_MASTER_KEY: master(), HOGA_MASTER_KEY_FILE: "/x" }, /comes from two places/],
    [{ HOGA_MASTER_KEY_FILE: "/none/there" }, /is not there/],
  ])("when it cannot be used, the refusal says why: %#", async (env, why) => {
    const said = await shown(keysOf(env).current());
    expect(said).toMatch(why);
    for (const value of Object.values(env)) if (value.length > 20) expect(said).not.toContain(value);
  });

  it("refuses a file that others can read", async () => {
    const file = join(freshHome(), "master-key");
    writeFileSync(file, master(), { mode: 0o644 });
    expect(await shown(keysOf({ HOGA_MASTER_KEY_FILE: file }).current())).toMatch(/is open to other users/);
  });
});
