/** What every store keeps of the tenants: names for good, one sealed key each, and whose which subject is; all of it in the log. */
import { expect, it } from "vitest";
import { digestOf } from "../../src/config/index.ts";
import { unwrap } from "../fixture/result.ts";
import type { Place } from "./store-suite.ts";

const KEY = { digest: "d1", masterKeyId: "m1", sealed: "c2VhbGVk" };
const ALICE = { name: "alice", profile: "paper", createdAtMs: 5 };
const BOB = { ...ALICE, name: "bob" };
const SUBJECT = { issuer: "https://login.test", subject: "user|1" };

export function tenantCases({ store, database }: Place): void {
  const events = async () => (await unwrap(store().audit.recent({ limit: 20 }))).map(({ event }) => event).reverse();

  it("a tenant is known to every process, with its key; nothing of the key is in the log", async () => {
    const { tenants } = store();
    expect(await unwrap(tenants.create(ALICE))).toBe("created");
    expect(await unwrap(tenants.setKey("alice", KEY, 6))).toBe("set");
    const other = await database().open();
    expect(await unwrap(other.tenants.find("alice"))).toEqual({ ...ALICE, key: KEY });
    expect(await unwrap(other.tenants.list())).toEqual([{ ...ALICE, key: KEY }]);
    other.close();
    expect(await events()).toEqual(["tenant_created", "tenant_key_set"]);
    expect(JSON.stringify(await unwrap(store().audit.recent({ limit: 20 })))).not.toMatch(/c2VhbGVk|d1/);
  });

  it("a key is one tenant's, and is sealed anew only as it was read", async () => {
    const { tenants } = store();
    for (const tenant of [ALICE, BOB]) await unwrap(tenants.create(tenant));
    expect(await unwrap(tenants.setKey("nobody", KEY, 6))).toBe("no_tenant");
    await unwrap(tenants.setKey("alice", KEY, 6));
    expect(await unwrap(tenants.setKey("bob", { ...KEY, sealed: "b3RoZXI=" }, 6))).toBe("in_use");
    const next = { ...KEY, masterKeyId: "m2", sealed: "bmV4dA==" };
    expect(await unwrap(tenants.reseal("alice", { ...KEY, sealed: "b2xk" }, next, 7))).toBe(false);
    expect(await unwrap(tenants.reseal("bob", KEY, next, 7))).toBe(false);
    expect(await unwrap(tenants.reseal("alice", KEY, next, 7))).toBe(true);
    expect(await unwrap(tenants.reseal("alice", KEY, next, 8))).toBe(false);
    expect((await unwrap(tenants.find("alice")))?.key).toEqual(next);
  });

  it("one that is removed leaves no key, token or subject, and nobody gets its name", async () => {
    const { tenants, tokens } = store();
    const token = { name: "t", digest: digestOf("hoga_t"), scopes: ["market:read"], createdAtMs: 5, tenant: "alice" };
    expect(await unwrap(tokens.create(token))).toBe("no_tenant");
    for (const tenant of [ALICE, BOB]) await unwrap(tenants.create(tenant));
    await unwrap(tenants.setKey("alice", KEY, 6));
    await unwrap(tenants.admit("alice", SUBJECT, 6));
    expect(await unwrap(tokens.create(token))).toBe("created");
    const { tenant: _, ...own } = token;
    await unwrap(tokens.create({ ...own, name: "own", digest: digestOf("hoga_own") }));
    expect(await unwrap(tokens.find(token.digest))).toEqual(token);
    expect(await unwrap(tenants.remove("alice", 7))).toBe(true);
    expect(await unwrap(tenants.remove("alice", 8))).toBe(false);
    expect((await unwrap(tokens.list())).map(({ name }) => name)).toEqual(["own"]);
    expect(await unwrap(tenants.find("alice"))).toBeUndefined();
    expect(await unwrap(tenants.create(ALICE))).toBe("taken");
    expect(await unwrap(tenants.ownerOf(SUBJECT))).toBeUndefined();
    // Its key may be given to another now.
    expect(await unwrap(tenants.setKey("bob", KEY, 9))).toBe("set");
  });

  it("a subject is one tenant's; where there are tenants, one that is nobody's is not the operator's either", async () => {
    const { tenants } = store();
    expect(await unwrap(tenants.ownerOf(SUBJECT))).toBe("operator");
    expect(await unwrap(tenants.admit("alice", SUBJECT, 6))).toBe("no_tenant");
    for (const tenant of [ALICE, BOB]) await unwrap(tenants.create(tenant));
    expect(await unwrap(tenants.ownerOf(SUBJECT))).toBeUndefined();
    expect(await unwrap(tenants.admit("alice", SUBJECT, 6))).toBe("admitted");
    expect(await unwrap(tenants.admit("alice", SUBJECT, 7))).toBe("admitted");
    expect(await unwrap(tenants.admit("bob", SUBJECT, 7))).toBe("taken");
    expect(await unwrap(tenants.subjects("alice"))).toEqual([SUBJECT]);
    expect(await unwrap(tenants.ownerOf(SUBJECT))).toEqual({ tenant: "alice" });
    expect(await unwrap(tenants.ownerOf({ ...SUBJECT, issuer: "https://other.test" }))).toBeUndefined();
    expect(await unwrap(tenants.dismiss(SUBJECT, 8))).toBe("alice");
    expect(await unwrap(tenants.dismiss(SUBJECT, 9))).toBeUndefined();
    await unwrap(tenants.admit("bob", SUBJECT, 10));
    expect(await unwrap(tenants.dismissAll(11, "why"))).toBe(1);
    expect(await unwrap(tenants.ownerOf(SUBJECT))).toBeUndefined();
    expect((await events()).slice(2)).toEqual([
      ...["subject_admitted", "subject_dismissed", "subject_admitted", "subject_dismissed"],
    ]);
  });
}
