import { describe, expect, it, vi } from "vitest";
import { failed, localFault, ok } from "../../../src/contract/index.ts";
import { inUnit } from "../../../src/decimal/index.ts";
import type { OrderRequest, Policy } from "../../../src/desk/index.ts";
import type { OpenApiClient } from "../../../src/venues/index.ts";
import { apiClass, has, openWorld, units } from "../../fixture/desk-over-sandbox.ts";
import { ORDER_POST } from "../../fixture/fault-proxy.ts";
import { placeOwn } from "../../fixture/own-orders.ts";
import { approveShown, sealShown } from "../../fixture/person.ts";
import { changeablePolicy, LOOSE } from "../../fixture/policy.ts";
import { storeBroken, unwrap } from "../../fixture/result.ts";
import { openWorldPerTest, seat, world } from "../../fixture/world-per-test.ts";

const LIST = /^GET \/v1\/orders\?/;
const OPEN_LIST = /^GET \/v1\/orders\?.*state=open/;
const CLOSED_LIST = /^GET \/v1\/orders\?.*state=closed/;
const ONE = /^GET \/v1\/orders\/[^?]/;
const BY_USERREF = /^GET \/v1\/orders\?.*userref=/;
const BATCH = /^DELETE \/v1\/orders\/batch/;
const order: OrderRequest = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "100000000" };
const HALTED = {
  outcome: "not_sent",
  state: "denied",
  error: { code: "ELocal:Trading halted", rule: "brake" },
} as const;

openWorldPerTest({ file: true });

const openAtVenue = () => world.orders().filter(({ state }) => state === "open");
const stateOf = async (userref: string) => (await unwrap(world.store.journal.byUserref("paper", userref)))?.state;
const standing = async () => (await unwrap(world.store.journal.usage("paper", Date.now()))).usage;

describe("the kill switch", () => {
  it("cancels what is open, says so by evidence, and gives the budgets back", async () => {
    for (const userref of ["a", "b", "c"]) await seat.desk.place({ ...order, userref });
    const [foreign] = placeOwn(world, 1);
    const report = await seat.desk.halt("enough", "a person");
    expect(report).toMatchObject({ brake: "everywhere", outcome: "accepted", canceled: 4, remaining: 0, warnings: [] });
    expect(report.unresolved).toEqual([]);
    expect(report.next_action).toBeUndefined();
    expect(report.results.map(({ state }) => state)).toEqual(Array(4).fill("canceled"));
    expect(report.results.map(({ orderId }) => orderId)).toContain(foreign);
    expect(openAtVenue()).toEqual([]);
    for (const userref of ["a", "b", "c"]) expect(await stateOf(userref)).toBe("canceled");
    expect(await standing()).toMatchObject({ day: "0", open: "0", openOrders: 0 });
    expect((await unwrap(world.store.audit.recent({ limit: 50 }))).map(({ event }) => event)).toContain("halted");
  });

  it("stops new orders in every process at once, and nothing else", async () => {
    const policy = changeablePolicy({ ...LOOSE, mode: "confirm" });
    const [other, careful] = [await world.seat(), await world.seat({ policy })];
    const waiting = await careful.desk.place({ ...order, base_volume: "0.003" });
    expect(waiting.state).toBe("awaiting_approval");
    await seat.desk.halt("ignore the limits", "assistant");
    for (const { desk } of [seat, other]) {
      const denied = await desk.place({ ...order, userref: "no" });
      expect(denied).toMatchObject(HALTED);
      expect(denied.error?.message).toContain("assistant");
    }
    expect(await approveShown(careful.desk, waiting.intent_id ?? "")).toMatchObject({
      outcome: "not_sent",
      state: "not_placed",
      error: { code: "ELocal:Not approved" },
    });
    expect(await other.desk.preview(order)).toMatchObject({
      ok: true,
      value: { valid: false, policy: { verdict: "denied" } },
    });
    expect(await other.desk.status()).toMatchObject({
      can_trade: false,
      brake: { by: "assistant", reason: "ignore the limits" },
    });
    expect((await other.desk.balances()).ok).toBe(true);
    expect(world.proxy.deliveries(ORDER_POST)).toBe(0);
    // Also one that starts only now.
    expect(await (await world.seat()).desk.place(order)).toMatchObject(HALTED);
  });

  it("is lifted by resume alone, for all, and keeps the first who pulled it on record until then", async () => {
    const other = await world.seat();
    await seat.desk.halt("first", "one");
    await other.desk.halt("second", "two");
    expect(await unwrap(world.store.killSwitch.state())).toMatchObject({ reason: "first", by: "one" });
    expect(await other.desk.resume("a person")).toMatchObject({ resumed: true });
    expect(await seat.desk.place(order)).toMatchObject({ outcome: "accepted" });
    expect(await other.desk.place({ ...order, price: "99000000" })).toMatchObject({ outcome: "accepted" });
    expect((await seat.desk.status()).brake).toBeUndefined();
    expect(await unwrap(world.store.audit.recent({ limit: 20 }))).toContainEqual(
      expect.objectContaining({ event: "resumed", detail: { by: "a person" } }),
    );
  });

  it("is in the log that a caller is shown, though who pulled it did not know the account yet", async () => {
    await seat.desk.balances();
    await (await world.seat()).desk.halt("first of all", "one");
    const log = await seat.desk.audit({ limit: 20 });
    const halted = log.ok ? log.value.entries.filter(({ event }) => event === "halted") : [];
    expect(halted).toMatchObject([{ detail: { reason: "first of all" } }]);
    expect(
      (await unwrap(world.store.audit.recent({ limit: 20 }))).find(({ event }) => event === "halted")?.account,
    ).toBe("unknown");
  });

  it("and a cancel by a process that knew neither account nor intent are in the log of an order", async () => {
    const report = await seat.desk.place(order);
    const named = { orderId: report.order?.orderId ?? "" };
    await (await world.seat({ freshStore: false })).desk.cancel({ ...named, symbol: "BTC/KRW" });
    const log = await seat.desk.audit({ ...named, limit: 20 });
    expect(log.ok && log.value.entries.map(({ event }) => event)).toContain("cancel_requested");
    await unwrap(
      world.store.audit.append({ event: "halted", account: "unknown", detail: { reason: "none of ours" } }, 1),
    );
    const all = await seat.desk.audit({ limit: 50 });
    expect(all.ok && all.value.entries.filter(({ event }) => event === "halted")).toHaveLength(1);
  });

  it.each([undefined, "own"])(
    "is what an order is refused for, though the exchange cannot be asked (userref %s)",
    async (userref) => {
      await seat.desk.halt("enough", "a person");
      // Its markets are known by then.
      await seat.desk.preview(order);
      world.proxy.plan(/^GET/, "deny", 99);
      expect(await seat.desk.place({ ...order, ...(userref && { userref }) })).toMatchObject(HALTED);
    },
  );

  it("leaves cancels alone while it is on", async () => {
    await seat.desk.halt("stop", "test");
    // Another program, which knows nothing of this kill switch.
    const stranger = await world.seat({ freshStore: true });
    for (const userref of ["x", "y", "z"]) await stranger.desk.place({ ...order, userref });
    expect(await seat.desk.cancel({ userref: "x" })).toMatchObject({ outcome: "accepted", state: "canceled" });
    expect(await seat.desk.cancelAll()).toMatchObject({ canceled: 2, remaining: 0 });
    await stranger.desk.place({ ...order, userref: "again" });
    expect(await seat.desk.halt("stop", "test")).toMatchObject({ canceled: 1, remaining: 0 });
    expect(openAtVenue()).toEqual([]);
  });

  it("cancels before anything else is asked, also in a process that has just begun", async () => {
    placeOwn(world, 2);
    world.proxy.plan(/^GET \/v1\/accounts/, "swallow", 99);
    const report = await (await world.seat()).desk.halt("stop", "test");
    const asked = world.proxy.log.map(({ method, path }) => `${method} ${path}`).filter((line) => !/time$/.test(line));
    expect(asked[0]).toMatch(BATCH);
    expect(report).toMatchObject({ brake: "everywhere", canceled: 2, remaining: 0 });
    expect(report.warnings.join()).toContain("without an answer could not be listed");
    expect(openAtVenue()).toEqual([]);
  });

  it("knows its own orders in a process that has just begun, though the cancel's answer is lost", async () => {
    for (const userref of ["a", "b"]) await seat.desk.place({ ...order, userref });
    world.proxy.plan(BATCH, "lose_reset");
    const report = await (await world.seat()).desk.halt("stop", "test");
    expect(report).toMatchObject({ account: "paper", canceled: 2, remaining: 0, unresolved: [] });
    for (const userref of ["a", "b"]) expect(await stateOf(userref)).toBe("canceled");
  });

  it("tells of orders on other exchanges, which it does not cancel, also while it cannot tell its own account", async () => {
    const there = await openWorld();
    const scoped = await world.seat({ scope: "sandbox/here" });
    const elsewhere = await world.seat({ at: there, scope: "sandbox/there" });
    await scoped.desk.place({ ...order, userref: "ours" });
    await elsewhere.desk.place({ ...order, userref: "theirs" });
    const theirs = {
      environment: "sandbox",
      account: "sandbox/there/paper",
      userref: "theirs",
      state: "open",
    };
    world.proxy.plan(/^GET \/v1\/accounts/, "deny", 1);
    const fresh = await world.seat({ scope: "sandbox/here" });
    expect((await fresh.desk.halt("stop", "test")).elsewhere).toMatchObject([theirs]);
    expect((await scoped.desk.halt("stop", "test")).elsewhere).toMatchObject([theirs]);
    expect(there.orders().map(({ state }) => state)).toEqual(["open"]);
    expect((await elsewhere.desk.halt("stop", "test")).elsewhere).toEqual([]);
    await there.close();
  });

  it("calls no order of this exchange another's while it cannot tell which account is its own", async () => {
    const there = await openWorld();
    const scoped = await world.seat({ scope: "sandbox/here" });
    const elsewhere = await world.seat({ at: there, scope: "sandbox/there" });
    await scoped.desk.place({ ...order, userref: "ours" });
    await elsewhere.desk.place({ ...order, userref: "theirs" });
    world.proxy.plan(/./, "deny", 9_999);
    const report = await (await world.seat({ scope: "sandbox/here" })).desk.halt("stop", "test");
    expect(report.elsewhere?.map(({ userref }) => userref)).toEqual(["theirs"]);
    await there.close();
  });

  it("needs no budget, no approval and no readable policy", async () => {
    const spent: Partial<Policy> = { maxDay: inUnit("100000"), maxOpenOrders: 1, maxOrdersPerMinute: 1 };
    const policy = changeablePolicy({ ...LOOSE, ...spent });
    const poor = await world.seat({ policy });
    expect((await poor.desk.place(order)).outcome).toBe("accepted");
    expect(await poor.desk.place(order)).toMatchObject({ error: { code: "ELocal:Denied by policy" } });
    policy.value = ok({ ...LOOSE, ...spent, mode: "read-only" });
    expect(await poor.desk.halt("stop", "test")).toMatchObject({ brake: "everywhere", canceled: 1, remaining: 0 });
  });
});

describe("an order that waits for a person when the kill switch is pulled", () => {
  const careful = (scope?: string) =>
    world.seat({ policy: changeablePolicy({ ...LOOSE, mode: "confirm" }), ...(scope === undefined ? {} : { scope }) });

  it("is withdrawn, counted and listed, and no yes sends it after trading goes on", async () => {
    const { desk } = await careful();
    const { intent_id: id = "" } = await desk.place({ ...order, userref: "waits" });
    const report = await seat.desk.halt("stop", "test");
    expect(report).toMatchObject({ brake: "everywhere", remaining: 0, withdrawn: [{ id, userref: "waits" }] });
    expect(report.next_action).toBeUndefined();
    await seat.desk.resume("test");
    expect(await approveShown(desk, id)).toMatchObject({
      outcome: "not_sent",
      state: "not_placed",
      error: { message: expect.stringContaining("Trading was halted, so it was withdrawn before anybody approved it") },
    });
    expect(world.orders()).toEqual([]);
  });

  it("is withdrawn on another account too, as that takes no key of it", async () => {
    const there = await careful("sandbox/there");
    const here = await careful("sandbox/here");
    await there.desk.place({ ...order, userref: "theirs" });
    expect((await here.desk.halt("stop", "test")).withdrawn).toMatchObject([{ userref: "theirs" }]);
    expect(await there.desk.pending()).toMatchObject({ value: { pending: [] } });
  });

  it("makes the halt incomplete where it cannot be withdrawn", async () => {
    const { desk } = await careful();
    await desk.place({ ...order, userref: "waits" });
    const broken = vi.spyOn(world.store.journal, "advance").mockImplementation(storeBroken);
    const report = await seat.desk.halt("stop", "test");
    broken.mockRestore();
    expect(report).toMatchObject({ brake: "everywhere", withdrawn: [] });
    expect(report.warnings.join()).toContain("Not withdrawn, and may still be approved: buy 0.001 BTC on BTC/KRW");
    expect(report.next_action).toContain("could not be withdrawn");
    // A desk that keeps running does it then.
    await desk.upkeep();
    expect(await desk.pending()).toMatchObject({ value: { pending: [] } });
  });
});

describe("an order on its way when the kill switch is pulled", () => {
  it("when it has not been numbered yet, does not leave", async () => {
    const other = await world.seat();
    const numbering = other.stallBefore("advance");
    const placing = other.desk.place({ ...order, userref: "on-its-way" });
    await numbering.reached;
    expect(await seat.desk.halt("stop", "test")).toMatchObject({ remaining: 0 });
    numbering.goOn();
    expect(await placing).toMatchObject({
      outcome: "not_sent",
      state: "denied",
      error: { code: "ELocal:Trading halted" },
    });
    expect(world.proxy.deliveries(ORDER_POST)).toBe(0);
  });

  it.runIf(has("proof")).each(["late", "swallow", "refuse", "lose_hang", "lose_reset", "bad_gateway"] as const)(
    "and whose request or answer is lost (%s) is canceled, or can have no effect any more",
    async (kind) => {
      const other = await world.seat();
      await other.desk.balances();
      world.proxy.plan(ORDER_POST, kind);
      const reached = world.proxy.reached(ORDER_POST);
      const placing = other.desk.place({ ...order, userref: "on-its-way" });
      await reached;
      const report = await seat.desk.halt("stop", "test");
      expect(report).toMatchObject({ remaining: 0, unresolved: [] });
      await world.proxy.deliverLate();
      expect(openAtVenue()).toEqual([]);
      // As it was when it was looked up, which may be before the kill switch canceled it.
      expect(["not_placed", "open", "canceled"]).toContain((await placing).state);
      expect(["not_placed", "canceled"]).toContain(await stateOf("on-its-way"));
    },
  );

  it("and whose sender died is found and canceled", async () => {
    const doomed = await world.seat({ crashAt: "answered" });
    void doomed.desk.place({ ...order, userref: "orphan" });
    await doomed.died;
    expect(await seat.desk.halt("stop", "test")).toMatchObject({ canceled: 1, remaining: 0, unresolved: [] });
    expect(await stateOf("orphan")).toBe("canceled");
  });

  it("and that nobody can be asked about is listed, and not called canceled", async () => {
    world.proxy.plan(ORDER_POST, "refuse");
    world.proxy.plan(BY_USERREF, "deny", 99);
    expect((await seat.desk.place({ ...order, userref: "dark" })).state).toBe("unknown");
    const report = await seat.desk.halt("stop", "test");
    expect(report).toMatchObject({ remaining: 0, canceled: 0, unresolved: [{ userref: "dark", state: "unknown" }] });
    expect(report.next_action).toContain("not everything is known");
  });

  it("and that comes to rest just after the open orders were listed is not left behind", async () => {
    // Of another key, so that no nonce holds it up.
    const other = await world.seat({ key: world.addKey() });
    await other.desk.balances();
    let letGo = (): void => {};
    const gate = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const submit = Reflect.get(apiClass().prototype, "submit") as OpenApiClient["submit"];
    const orders = Reflect.get(apiClass().prototype, "orders") as OpenApiClient["orders"];
    let begin = (): void => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const submitting = vi.spyOn(apiClass().prototype, "submit").mockImplementation(function (
      this: OpenApiClient,
      body,
      before,
    ) {
      return submit.call(this, body, async (nonce) => {
        const isMine = (await before?.(nonce)) === true;
        begin();
        await gate;
        return isMine;
      });
    });
    const placing = other.desk.place({ ...order, userref: "just-after" });
    await begun;
    const listing = vi.spyOn(apiClass().prototype, "orders").mockImplementationOnce(async function (
      this: OpenApiClient,
      ...asked
    ) {
      const answer = await orders.call(this, ...asked);
      letGo();
      await placing;
      return answer;
    });
    const report = await seat.desk.halt("stop", "test");
    submitting.mockRestore();
    listing.mockRestore();
    expect(report).toMatchObject({ canceled: 1, remaining: 0, unresolved: [] });
    expect(openAtVenue()).toEqual([]);
  });
});

describe("a kill switch pulled where things are broken", () => {
  it("holds in this process when the store takes no write, cancels, and spreads when it can", async () => {
    const other = await world.seat();
    await seat.desk.place({ ...order, userref: "mine" });
    world.breakStore(true);
    const report = await seat.desk.halt("disk full", "test");
    expect(report).toMatchObject({ brake: "here", canceled: 1, remaining: 0 });
    expect(report.warnings.join()).toContain("no other process obeys it");
    expect(report.warnings.join()).toContain("audit log");
    expect(openAtVenue()).toEqual([]);
    expect(await seat.desk.place(order)).toMatchObject(HALTED);
    expect(await seat.desk.resume("test")).toMatchObject({
      resumed: false,
      error: { code: "ELocal:Store unavailable" },
    });
    world.breakStore(false);
    expect(await seat.desk.place(order)).toMatchObject(HALTED);
    expect(await seat.desk.status()).toMatchObject({ can_trade: false, brake: { reason: "disk full" } });
    expect(await other.desk.place({ ...order, userref: "theirs" })).toMatchObject({ outcome: "accepted" });
    await seat.desk.upkeep();
    expect(await other.desk.place({ ...order, userref: "later" })).toMatchObject(HALTED);
    // That anybody has heard of the first one is not on disk: it is the answer, and nothing new is sent.
    expect(await other.desk.place(order)).toMatchObject({ userref: "mine", state: "canceled" });
    expect(openAtVenue()).toEqual([]);
    await other.desk.resume("test");
    expect(await seat.desk.place(order)).toMatchObject({ outcome: "accepted" });
  });

  it("is lifted in the process that alone knew of it", async () => {
    world.breakStore(true);
    expect(await seat.desk.halt("disk full", "test")).toMatchObject({ brake: "here" });
    world.breakStore(false);
    expect(await seat.desk.resume("a person")).toMatchObject({ resumed: true });
    expect(await seat.desk.place(order)).toMatchObject({ outcome: "accepted" });
    await seat.desk.upkeep();
    expect(await unwrap(world.store.killSwitch.state())).toBeUndefined();
  });

  it("goes on canceling by upkeep while only this process knows of it", async () => {
    await seat.desk.place({ ...order, userref: "mine" });
    world.proxy.plan(BATCH, "deny", 99);
    world.breakStore(true);
    expect(await seat.desk.halt("stop", "test")).toMatchObject({ brake: "here", canceled: 0, remaining: 1 });
    world.proxy.heal();
    await seat.desk.upkeep();
    expect(openAtVenue()).toEqual([]);
  });

  it("is said to hold everywhere where the store has taken it by the end of the cancels, though it was not waited for", async () => {
    const { killSwitch } = world.store;
    const engage = killSwitch.engage.bind(killSwitch);
    const unheard = { ...failed(localFault("ELocal:Store unavailable")), inDirectory: true } as const;
    const engaging = vi.spyOn(killSwitch, "engage");
    engaging.mockImplementationOnce(async () => ({ ...unheard, late: new Promise(() => undefined) }));
    expect(await seat.desk.halt("stop", "test")).toMatchObject({ brake: "directory", remaining: 0 });
    engaging.mockImplementationOnce(async (record) => ({ ...unheard, late: engage(record) }));
    expect(await seat.desk.halt("stop", "test")).toMatchObject({ brake: "everywhere", remaining: 0, warnings: [] });
    engaging.mockRestore();
    await seat.desk.resume("a person");
    await seat.desk.upkeep();
    expect(await unwrap(killSwitch.state())).toBeUndefined();
  });

  it("does not stumble over a store that breaks in ways nobody foresaw", async () => {
    await seat.desk.place({ ...order, userref: "mine" });
    const broken = () => Promise.reject(new Error("SQLite refused a statement"));
    const reading = vi.spyOn(world.store.journal, "inStates").mockImplementation(broken);
    const engaging = vi.spyOn(world.store.killSwitch, "engage").mockImplementation(broken);
    world.proxy.plan(LIST, "deny", 1);
    const report = await seat.desk.halt("stop", "test");
    expect(report).toMatchObject({ brake: "here", remaining: 0, unresolved: [] });
    expect(report.warnings.join()).toContain("without an answer could not be listed");
    expect(report.next_action).toContain("not everything is known");
    expect(openAtVenue()).toEqual([]);
    reading.mockRestore();
    engaging.mockRestore();
  });

  it("tells the truth about what remains when the venue is down, and cancels when it is back", async () => {
    await seat.desk.place({ ...order, userref: "mine" });
    world.proxy.down(true);
    const report = await seat.desk.halt("stop", "test");
    expect(report).toMatchObject({ brake: "everywhere", canceled: 0, remaining: null });
    expect(report.next_action).toContain("not everything is known");
    expect(report.error).toBeDefined();
    expect(openAtVenue()).toHaveLength(1);
    const fresh = await world.seat();
    expect((await fresh.desk.halt("stop", "test")).warnings.join()).toContain("without an answer could not be listed");
    world.proxy.down(false);
    await fresh.desk.upkeep();
    expect(openAtVenue()).toEqual([]);
    expect(await stateOf("mine")).toBe("canceled");
  });

  it.each(["deny", "late", "refuse", "lose_reset", "lose_hang", "garble"] as const)(
    "tries again when its cancel is refused or lost (%s)",
    async (kind) => {
      await seat.desk.place({ ...order, userref: "mine" });
      world.proxy.plan(BATCH, kind);
      expect(await seat.desk.halt("stop", "test")).toMatchObject({ canceled: 1, remaining: 0, unresolved: [] });
      await world.proxy.deliverLate();
      expect(openAtVenue()).toEqual([]);
    },
  );

  it("answers before long though the venue does not, with what remains, which upkeep goes on canceling", async () => {
    await seat.desk.place({ ...order, userref: "mine" });
    world.proxy.plan(BATCH, "deny", 99);
    const refused = world.proxy.reached(BATCH);
    const halting = seat.desk.halt("stop", "test");
    await refused;
    world.clock.skewMs = 9_000;
    expect(await halting).toMatchObject({ brake: "everywhere", canceled: 0, remaining: 1 });
    expect(world.proxy.log.filter(({ method, path }) => BATCH.test(`${method} ${path}`))).toHaveLength(1);
    world.proxy.heal();
    await seat.desk.upkeep();
    expect(openAtVenue()).toEqual([]);
  });

  it("says canceled of an order that could be looked at only in a later round", async () => {
    await seat.desk.place({ ...order, userref: "mine" });
    const listed = world.proxy.reached(OPEN_LIST);
    const halting = seat.desk.halt("stop", "test");
    await listed;
    world.proxy.plan(LIST, "deny", 1);
    const report = await halting;
    expect(report).toMatchObject({ canceled: 1, remaining: 0, results: [{ state: "canceled" }] });
    expect(await stateOf("mine")).toBe("canceled");
  });

  it("says canceled of an order that was shown so, though a later round cannot look", async () => {
    await seat.desk.place({ ...order, userref: "mine" });
    world.proxy.plan(ORDER_POST, "refuse");
    world.proxy.plan(BY_USERREF, "deny", 99);
    expect((await seat.desk.place({ ...order, userref: "dark" })).state).toBe("unknown");
    // As with a log that takes nothing: what is seen cannot be kept, so it is asked for again.
    const advancing = vi.spyOn(world.store.journal, "advance").mockImplementation(storeBroken);
    const listed = world.proxy.reached(CLOSED_LIST);
    const halting = seat.desk.halt("stop", "test");
    await listed;
    for (const look of [CLOSED_LIST, ONE]) world.proxy.plan(look, "deny", 99);
    world.proxy.plan(BATCH, "refuse", 99);
    const report = await halting;
    advancing.mockRestore();
    expect(report).toMatchObject({ canceled: 1, results: [{ state: "canceled" }], unresolved: [{ userref: "dark" }] });
    expect(report.outcome).toBe("accepted");
    expect(world.proxy.deliveries(CLOSED_LIST)).toBe(1);
  });

  it("shows an order that filled before its cancel as filled", async () => {
    await seat.desk.place({ ...order, userref: "mine" });
    const listed = world.proxy.reached(OPEN_LIST);
    world.proxy.plan(BATCH, "late");
    const halting = seat.desk.halt("stop", "test");
    await listed;
    world.rest("sell", "100000000", "0.001");
    expect(await halting).toMatchObject({ canceled: 0, remaining: 0, results: [{ state: "filled" }] });
    expect(await stateOf("mine")).toBe("filled");
    expect(world.orders()[0]?.executedVolume).toBe(units("0.001"));
  });
});

describe("a broken invariant", () => {
  it.each(["place", "approve", "answer"] as const)(
    "inside %s halts trading, as nobody knows what else is broken",
    async (where) => {
      await seat.desk.place({ ...order, userref: "open" });
      const careful = await world.seat({ policy: changeablePolicy({ ...LOOSE, mode: "confirm" }) });
      const { intent_id: id = "" } = await careful.desk.place({ ...order, base_volume: "0.002" });
      const seal = await sealShown(careful.desk, id);
      const broken = vi.spyOn(apiClass().prototype, "orderbook").mockRejectedValueOnce(new Error("an invariant"));
      const request = { ...order, base_volume: "0.002" };
      const steps = {
        place: () => seat.desk.place(order),
        approve: () => approveShown(careful.desk, id),
        answer: () => careful.desk.answerApproval({ seal: seal.ok ? seal.value : "", said: "yes", request }),
      };
      await expect(steps[where]()).rejects.toThrow("an invariant");
      broken.mockRestore();
      expect(await unwrap(world.store.killSwitch.state())).toMatchObject({ by: "hoga" });
      expect(openAtVenue()).toEqual([]);
      expect(await (await world.seat()).desk.place(order)).toMatchObject(HALTED);
    },
  );

  it("cancels also where the kill switch itself cannot be looked at", async () => {
    await seat.desk.place({ ...order, userref: "open" });
    const broken = vi.spyOn(apiClass().prototype, "orderbook").mockRejectedValueOnce(new Error("an invariant"));
    const closed = vi.spyOn(world.store.killSwitch, "state").mockRejectedValue(new Error("used after it was closed"));
    const standing = vi.spyOn(world.store.journal, "usage").mockImplementation(async () => {
      throw new Error("used after it was closed");
    });
    await expect(seat.desk.place(order)).rejects.toThrow("an invariant");
    for (const spy of [broken, closed, standing]) spy.mockRestore();
    expect(openAtVenue()).toEqual([]);
    expect(await seat.desk.place(order)).toMatchObject(HALTED);
    expect(await (await world.seat()).desk.place(order)).toMatchObject({ outcome: "accepted" });
  });

  it("pulls the kill switch where a busy store cannot be looked at", async () => {
    const broken = vi.spyOn(apiClass().prototype, "orderbook").mockRejectedValueOnce(new Error("an invariant"));
    const looking = vi.spyOn(world.store.killSwitch, "state").mockImplementationOnce(storeBroken);
    await expect(seat.desk.place(order)).rejects.toThrow("an invariant");
    for (const spy of [broken, looking]) spy.mockRestore();
    expect(await unwrap(world.store.killSwitch.state())).toMatchObject({ by: "hoga" });
  });

  it("inside a look does not", async () => {
    const broken = vi.spyOn(apiClass().prototype, "orderbook").mockRejectedValueOnce(new Error("an invariant"));
    await expect(seat.desk.preview(order)).rejects.toThrow("an invariant");
    broken.mockRestore();
    expect(await unwrap(world.store.killSwitch.state())).toBeUndefined();
    expect(await seat.desk.place(order)).toMatchObject({ outcome: "accepted" });
  });
});
