import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Order, ok } from "../../../src/contract/index.ts";
import { clientIdOf, createIds, isMintedUserref } from "../../../src/desk/core/ids.ts";
import { withOwnIds } from "../../../src/desk/core/own-ids.ts";
import type { IntentRecord, Journal, Venue } from "../../../src/desk/index.ts";
import { CARDS } from "../../../src/venues/registry.ts";

const ID = /^hg[0-9a-hjkmnp-tv-z]{16}$/;
const NOW = Date.UTC(2026, 10, 27);
const clock = { now: () => NOW, rising: () => NOW, sleep: () => new Promise<void>(() => undefined) };
const ids = createIds(clock, randomBytes);
const name = fc.stringMatching(/^[A-Za-z0-9._-]{1,64}$/);

const shown = { orderId: "u-1", symbol: "BTC/KRW", state: "open", executed_volume: "0" } as unknown as Order;
const orderOf = (userref: string | null): Order => ({ ...shown, userref });

/** An exchange whose orders are seen under ids of ours, and a journal that knows one of them. */
function world({ known, exchange = "upbit" }: { readonly known?: Partial<IntentRecord>; readonly exchange?: string }) {
  const card = CARDS.find(({ name: named }) => named === exchange);
  const asked: string[] = [];
  const reads: string[] = [];
  let open: readonly Order[] = [];
  let canceled: unknown = ok({ requested: ["u-9"], failed: [] });
  let byId: unknown = ok(orderOf(clientIdOf("a-name")));
  const venue = {
    card,
    keyId: "key",
    submit: async ({ userref }: { readonly userref: string }) => {
      asked.push(userref);
      return ok(orderOf(userref));
    },
    lookup: async ({ userref }: { readonly userref: string }) => {
      asked.push(userref);
      return ok({ kind: "found", item: [orderOf(userref)] });
    },
    orders: async () => ok({ orders: open, next_cursor: null }),
    order: async () => byId,
    cancel: async (_symbol: string, orderId: string) => {
      asked.push(orderId);
      return ok(orderOf(clientIdOf("a-name")));
    },
    cancelAll: async () => canceled,
  } as unknown as Venue;
  let named = "unknown";
  const intent = known === undefined ? undefined : ({ orderId: "u-1", userref: "a-name", ...known } as IntentRecord);
  const journal = {
    byOrderId: async (_account: string, orderId: string) => ok(intent?.orderId === orderId ? intent : undefined),
    inStates: async (account: string, states: readonly string[]) => {
      if (states.includes("not_placed")) reads.push(account);
      return ok(intent === undefined || account !== "a" ? [] : [intent]);
    },
  } as unknown as Journal;
  return {
    ...{ asked, reads },
    plain: venue,
    show: (orders: readonly Order[], one: unknown) => {
      [open, byId] = [orders, one];
    },
    cancels: (answer: unknown) => {
      canceled = answer;
    },
    at: withOwnIds(venue, {
      ...{ journal, clock, account: () => named },
      identify: async () => {
        named = "a";
      },
    }),
  };
}

const sent = (userref: string) => ({ userref, symbol: "BTC/KRW" }) as Parameters<Venue["submit"]>[0];
const noOrder = { ok: false, fault: { code: "EOrder:Unknown order", message: "none", reachedVenue: "yes" } };
const live = {
  state: "open",
  sentAtMs: NOW - 1_000,
  body: { order: { symbol: "BTC/KRW" }, seen: orderOf("a-name") },
} as unknown as Partial<IntentRecord>;

describe("an order's id at an exchange that takes 18 letters and digits", () => {
  it("is the name itself where hoga has made it, and follows from any other name alone", () => {
    fc.assert(
      fc.property(name, name, (one, other) => {
        const id = clientIdOf(one);
        expect(id).toMatch(ID);
        expect(clientIdOf(one)).toBe(id);
        if (!isMintedUserref(one)) expect(isMintedUserref(id)).toBe(false);
        if (one !== other) expect(clientIdOf(other)).not.toBe(id);
      }),
    );
  });

  it("is never one that hoga could mint, where it was derived", () => {
    for (let count = 0; count < 2_000; count++) {
      const minted = ids.userref();
      expect(isMintedUserref(minted)).toBe(true);
      expect(clientIdOf(minted)).toBe(minted);
      expect(minted.startsWith("hgz")).toBe(false);
      expect(clientIdOf(`${minted}x`).startsWith("hgz")).toBe(true);
    }
  });

  it("travels and is looked up by, and its order is shown under the name that it has here", async () => {
    const { at, asked } = world({});
    const mine = { userref: "a-name" };
    expect(await at.submit(sent("a-name"), async () => true)).toMatchObject({ value: mine });
    expect(await at.lookup({ userref: "a-name" })).toMatchObject({ value: { item: [mine] } });
    expect(asked).toEqual([clientIdOf("a-name"), clientIdOf("a-name")]);
  });

  it("leads to the name again in a process that knows the journal alone", async () => {
    const { at, show } = world({ known: { state: "open" } });
    show([orderOf(clientIdOf("a-name"))], ok(orderOf(clientIdOf("a-name"))));
    expect(await at.orders({})).toMatchObject({ value: { orders: [{ userref: "a-name" }] } });
    expect(await at.order("BTC/KRW", "u-1")).toMatchObject({ value: { userref: "a-name" } });
    expect(await at.cancel("BTC/KRW", "u-1")).toMatchObject({ value: { userref: "a-name" } });
  });

  it("leads to the name by the exchange's own id where a query leaves ours out", async () => {
    const { at, show } = world({ known: { state: "open" } });
    show([orderOf(null)], ok(orderOf(null)));
    expect(await at.orders({})).toMatchObject({ value: { orders: [{ userref: "a-name" }] } });
    expect(await at.order("BTC/KRW", "u-1")).toMatchObject({ value: { userref: "a-name" } });
  });

  it("leads to the name of an order that was never seen, which a person may have taken for not placed", async () => {
    const { at, show } = world({ known: { state: "not_placed", orderId: null } });
    show([orderOf(clientIdOf("a-name")), orderOf(clientIdOf("another"))], noOrder);
    await at.orders({});
    const seen = [{ userref: "a-name" }, { userref: clientIdOf("another") }];
    expect(await at.orders({})).toMatchObject({ value: { orders: seen } });
  });

  it("is looked for once in a list, however many of its orders the journal does not know", async () => {
    const { at, show, reads } = world({ known: { state: "not_placed", orderId: null } });
    const others = ["one", "another", "a-third"].map((each) => orderOf(clientIdOf(each)));
    show([...others, orderOf(clientIdOf("a-name"))], noOrder);
    await at.orders({});
    expect(reads).toHaveLength(1);
    const listed = [...others, { userref: "a-name" }].map(({ userref }) => ({ userref }));
    expect(await at.orders({ state: "all" })).toMatchObject({ value: { orders: listed } });
    expect(reads).toHaveLength(2);
    show([orderOf(null), orderOf("somebody"), orderOf(ids.userref())], noOrder);
    await at.orders({ state: "all" });
    expect(reads).toHaveLength(2);
  });

  it("is shown as it is where no journal knows the order, and not at all where it has none", async () => {
    const { at, show } = world({});
    show([orderOf("somebody"), orderOf(null)], noOrder);
    expect(await at.orders({})).toMatchObject({ value: { orders: [{ userref: "somebody" }, { userref: null }] } });
  });
});

describe("an order that the exchange has taken", () => {
  it("is as last seen while it may not be shown yet, alone and in the list", async () => {
    const { at, show } = world({ known: live });
    show([], noOrder);
    expect(await at.order("BTC/KRW", "u-1")).toMatchObject({ value: { userref: "a-name" } });
    expect(await at.orders({})).toMatchObject({ value: { orders: [{ userref: "a-name" }] } });
  });

  it("is not said to be gone after that", async () => {
    const { at, show } = world({ known: { ...live, sentAtMs: NOW - 60_000 } });
    show([], noOrder);
    expect(await at.order("BTC/KRW", "u-1")).toMatchObject({
      fault: { message: expect.stringContaining("has taken") },
    });
  });

  it("is in a list that left it out, in a process that does not know the account yet, only while it is open", async () => {
    const { at, show } = world({ known: live });
    show([], ok(orderOf(null)));
    expect(await at.orders({})).toMatchObject({ value: { orders: [{ orderId: "u-1" }] } });
    expect(await at.orders({ symbol: "ETH/KRW" })).toMatchObject({ value: { orders: [] } });
    show([], ok({ ...orderOf(null), state: "canceled" }));
    expect(await at.orders({})).toMatchObject({ value: { orders: [] } });
  });

  it("is not shown yet where it was answered with its id alone, and gone neither then nor later", async () => {
    const unseen = { ...live, state: "accepted", body: { order: { symbol: "BTC/KRW" } } } as unknown as IntentRecord;
    for (const [sentAtMs, code] of [
      [NOW - 1_000, "EService:Unavailable"],
      [NOW - 60_000, "EOrder:Unknown order"],
    ] as const) {
      const { at, show } = world({ known: { ...unseen, sentAtMs } });
      show([], noOrder);
      const message = expect.stringContaining("has taken") as string;
      expect(await at.order("BTC/KRW", "u-1")).toMatchObject({ fault: { code, message } });
    }
  });

  it("is canceled by its id with all others where those are canceled from a list that left it out", async () => {
    const { at, asked, cancels } = world({ known: live, exchange: "bithumb" });
    expect(await at.cancelAll()).toEqual(ok({ requested: ["u-9", "u-1"], failed: [] }));
    expect(await at.cancelAll("ETH/KRW")).toEqual(ok({ requested: ["u-9"], failed: [] }));
    cancels(ok({ requested: [], failed: [{ uuid: "u-1", error: "EOrder:Unknown order" }] }));
    expect(await at.cancelAll()).toMatchObject({ value: { requested: [] } });
    expect(asked).toEqual(["u-1"]);
    cancels(noOrder);
    expect(await at.cancelAll()).toBe(noOrder);
    expect(asked).toEqual(["u-1", "u-1"]);
  });

  it("is left to the exchange where one call cancels all", async () => {
    const { at, asked } = world({ known: live });
    expect(await at.cancelAll()).toEqual(ok({ requested: ["u-9"], failed: [] }));
    expect(asked).toEqual([]);
  });
});
