/** An account that goes by several names is one: nothing that it has in use is forgotten, and nothing of it is out of reach. */
import { beforeEach, describe, expect, it } from "vitest";
import { openStore, type Store } from "../../src/store/index.ts";
import { unwrap } from "../fixture/result.ts";
import { newIntent } from "./intent.ts";

const AT = 100_000;
let store: Store<string, unknown>;
beforeEach(async () => {
  store = await openStore({ memory: true }, { clock: { now: () => AT, sleep: async () => {} }, random: () => 0 });
});

const accountOf = (names: readonly string[], kept: string) => unwrap(store.accounts.accountOf(names, kept, AT));
const usage = async (account: string) => (await unwrap(store.journal.usage(account, AT))).usage;

/** An order that is open, under its own userref unless another is given. */
async function open(id: string, account: string, userref = id): Promise<void> {
  await unwrap(store.journal.record(newIntent(id, { account, userref })));
  const send = { from: ["ready"], to: "open", nonce: "1", held: "100", unit: "KRW" as const };
  await unwrap(
    store.journal.begin(
      id,
      send,
      () => undefined,
      () => AT,
    ),
  );
}

describe("an account", () => {
  it("keeps the name under which it was first kept, whichever of its names is asked for", async () => {
    expect(await accountOf(["key-1", "host-a"], "live/a/1")).toBe("live/a/1");
    expect(await accountOf(["key-1", "host-b"], "live/b/1")).toBe("live/a/1");
    expect(await accountOf(["key-2", "host-b"], "live/b/1")).toBe("live/a/1");
    expect(await accountOf(["key-3", "host-c"], "live/c/1")).toBe("live/c/1");
  });

  it("is joined with what was kept under another name, which the log says", async () => {
    await open("one", "live/localhost/1");
    await open("two", "live/127.0.0.1/1");
    await unwrap(store.timers.arm("live/127.0.0.1/1", AT + 5, AT));
    expect(await accountOf(["key", "here"], "live/localhost/1")).toBe("live/localhost/1");
    expect(await accountOf(["key", "here"], "live/127.0.0.1/1")).toBe("live/localhost/1");
    expect(await usage("live/localhost/1")).toMatchObject({ open: "200", openOrders: 2 });
    expect(await unwrap(store.timers.read("live/localhost/1"))).toEqual({ dueAtMs: AT + 5 });
    const [entry] = await unwrap(store.audit.recent({ limit: 1 }));
    expect(entry).toMatchObject({ event: "accounts_joined", detail: { was: "live/127.0.0.1/1" } });
    expect(await store.audit.verify()).toMatchObject({ ok: true });
  });

  it("is joined with one that was another until a key was seen at both", async () => {
    await accountOf(["key-1", "host-a"], "live/a/1");
    await accountOf(["key-2", "host-b"], "live/b/1");
    await open("one", "live/a/1");
    await open("two", "live/b/1");
    expect(await accountOf(["key-1", "host-b"], "live/b/1")).toBe("live/a/1");
    expect(await usage("live/a/1")).toMatchObject({ openOrders: 2 });
    expect(await accountOf(["key-2", "host-b"], "live/b/1")).toBe("live/a/1");
  });

  it("stays apart from the other while both have an unfinished order under one userref", async () => {
    await open("one", "live/a/1", "mine");
    await open("two", "live/b/1", "mine");
    expect(await accountOf(["key", "host"], "live/a/1")).toBe("live/a/1");
    expect(await accountOf(["key", "host"], "live/b/1")).toBe("live/b/1");
    for (const id of ["one", "two"])
      await unwrap(
        store.journal.advance(id, { from: ["open"], to: "filled", hold: { value: "100", isLive: false } }, AT),
      );
    expect(await accountOf(["key", "host"], "live/b/1")).toBe("live/a/1");
  });
});

describe("a key", () => {
  it("has the environment in which it was used first", async () => {
    expect(await unwrap(store.accounts.environmentOf("key", "live"))).toBe("live");
    expect(await unwrap(store.accounts.environmentOf("key", "sandbox"))).toBe("live");
  });
});
