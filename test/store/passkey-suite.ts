/** What every store keeps of passkeys: each once, with a counter that never goes back, and all of it in the log. */
import { expect, it } from "vitest";
import type { Passkey } from "../../src/store/index.ts";
import { unwrap } from "../fixture/result.ts";
import type { Place } from "./store-suite.ts";

function passkey(credentialId: string, more: Partial<Passkey> = {}): Passkey {
  const named = { name: `of ${credentialId}`, rpId: "localhost", isProven: true, createdAtMs: 5 };
  return { credentialId, publicKey: "pQECAyY", counter: 0, transports: ["internal", "hybrid"], ...named, ...more };
}

export function passkeyCases({ store, database }: Place): void {
  const logged = async () =>
    (await unwrap(store().audit.recent({ limit: 50 }))).map(({ event, detail }) => ({ event, ...detail })).reverse();
  const use = (id: string, counter: number, atMs = 9) =>
    unwrap(store().passkeys.use(id, { counter, purpose: "approve i1" }, atMs));

  it("one is found in every process, and is in the log with the key that proves what it signs", async () => {
    const enrolled = passkey("a", { isProven: false, transports: [] });
    expect(await unwrap(store().passkeys.enrol(enrolled, "nothing"))).toBe("enrolled");
    expect(await unwrap(store().passkeys.enrol(passkey("b", { createdAtMs: 4 }), "the PIN"))).toBe("enrolled");
    const other = await database().open();
    expect(await unwrap(other.passkeys.find("a"))).toEqual(enrolled);
    expect(await unwrap(other.passkeys.find("c"))).toBeUndefined();
    expect((await unwrap(other.passkeys.list())).map(({ credentialId }) => credentialId)).toEqual(["b", "a"]);
    other.close();
    const common = { event: "passkey_enrolled", public_key: "pQECAyY", rp_id: "localhost" };
    expect(await logged()).toEqual([
      { ...common, credential_id: "a", name: "of a", proven: false, by: "nothing" },
      { ...common, credential_id: "b", name: "of b", proven: true, by: "the PIN" },
    ]);
  });

  it("one is enrolled once, and nothing of it is replaced", async () => {
    await unwrap(store().passkeys.enrol(passkey("a", { isProven: false }), "nothing"));
    expect(await unwrap(store().passkeys.enrol(passkey("a", { publicKey: "b3RoZXI" }), "the PIN"))).toBe("taken");
    expect(await unwrap(store().passkeys.list())).toEqual([passkey("a", { isProven: false })]);
    expect(await logged()).toHaveLength(1);
  });

  it("one that counts goes on from its last signature, one that does not stays at 0", async () => {
    await unwrap(store().passkeys.enrol(passkey("a"), "the PIN"));
    expect([await use("a", 0), await use("a", 0), await use("a", 3, 11), await use("a", 3), await use("a", 2)]).toEqual(
      [...[true, true, true, false, false]],
    );
    expect([await use("a", 0), await use("a", 4_294_967_295, 12), await use("none", 1)]).toEqual([false, true, false]);
    expect(await unwrap(store().passkeys.find("a"))).toEqual(passkey("a", { counter: 4_294_967_295, usedAtMs: 12 }));
    expect((await logged()).filter(({ event }) => event === "passkey_used")).toEqual(
      [0, 0, 3, 4_294_967_295].map((counter) => ({
        ...{ event: "passkey_used", credential_id: "a", counter, purpose: "approve i1" },
      })),
    );
  });

  it("a signature counts once of all that come with it at once", async () => {
    await unwrap(store().passkeys.enrol(passkey("a"), "the PIN"));
    const other = await database().open();
    const used = { counter: 7, purpose: "resume" };
    const both = [store(), other, store(), other].map(({ passkeys }) => unwrap(passkeys.use("a", used, 9)));
    expect((await Promise.all(both)).filter(Boolean)).toHaveLength(1);
    other.close();
  });

  it("one that is removed is gone, once, and the log says why", async () => {
    for (const id of ["a", "b", "c"]) await unwrap(store().passkeys.enrol(passkey(id), "the PIN"));
    expect(await unwrap(store().passkeys.remove("a", 6, "lost"))).toBe(true);
    expect(await unwrap(store().passkeys.remove("a", 7, "lost"))).toBe(false);
    expect(await use("a", 1)).toBe(false);
    expect(await unwrap(store().passkeys.removeAll(8, "put back"))).toBe(2);
    expect(await unwrap(store().passkeys.list())).toEqual([]);
    expect((await logged()).slice(3)).toEqual([
      { event: "passkey_removed", credential_id: "a", name: "of a", why: "lost" },
      { event: "passkey_removed", credential_id: "b", name: "of b", why: "put back" },
      { event: "passkey_removed", credential_id: "c", name: "of c", why: "put back" },
    ]);
  });

  it("there are 32 at most", async () => {
    for (let n = 0; n < 32; n++)
      expect(await unwrap(store().passkeys.enrol(passkey(`k${n}`), "the PIN"))).toBe("enrolled");
    expect(await unwrap(store().passkeys.enrol(passkey("more"), "the PIN"))).toBe("too_many");
  });
}
