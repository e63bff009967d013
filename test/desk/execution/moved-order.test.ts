/** An order that was moved keeps its names: whoever looks, waits or cancels by the first one means what rests now. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { ok } from "../../../src/contract/index.ts";
import type { OpenApiClient } from "../../../src/venues/index.ts";
import { apiClass, has } from "../../fixture/desk-over-sandbox.ts";
import { ORDER_POST } from "../../fixture/fault-proxy.ts";
import { sealShown } from "../../fixture/person.ts";
import { LOOSE } from "../../fixture/policy.ts";
import { unwrap } from "../../fixture/result.ts";
import {
  atVenue,
  cancels,
  fill,
  open,
  openDeskPerTest,
  placed,
  policy,
  replace,
  seat,
  sent,
  set,
  world,
} from "./changed-orders.ts";

openDeskPerTest({ patient: true });
afterEach(() => {
  vi.restoreAllMocks();
});

const LIST = /^GET \/v1\/orders\?/;
const PRICES = ["49000000", "48000000", "47000000"];

/** The first order, and those in its place, one after the other. */
async function chain(prices: readonly string[] = PRICES): Promise<readonly string[]> {
  const first = await placed({ userref: "mine" });
  const ids = [first.orderId];
  for (const price of prices) {
    const { order } = await replace({ orderId: ids.at(-1) ?? "", price });
    ids.push(order?.orderId ?? "");
  }
  return ids;
}

/** The change is sent, and nobody can tell what became of it. */
async function loseMove(): Promise<string> {
  const { orderId } = await placed({ userref: "mine" });
  world.proxy.plan(LIST, "deny", 50);
  world.proxy.plan(ORDER_POST, "lose_reset");
  expect(await replace({ orderId, price: "49000000" })).toMatchObject({ outcome: "unknown" });
  world.proxy.heal();
  return orderId;
}

describe("to look at it by its first name", () => {
  it("shows it, and what stands in its place, however often it was moved", async () => {
    const ids = await chain();
    for (const name of [{ userref: "mine" }, { orderId: ids[0] ?? "" }, { orderId: ids[1] ?? "" }]) {
      const view = await unwrap(seat.desk.order(name));
      expect(view).toMatchObject({ state: "canceled", moved_to: { state: "open", price: "47000000" } });
      expect(view.moved_to?.orderId).toBe(ids.at(-1));
    }
    const last = await unwrap(seat.desk.order({ orderId: ids.at(-1) ?? "" }));
    expect(last).toMatchObject({ state: "open" });
    expect(last).not.toHaveProperty("moved_to");
  });

  it.runIf(has("words"))("shows it alone where the new one was refused, or never sent", async () => {
    const { orderId } = await placed({ userref: "mine" });
    world.proxy.plan(ORDER_POST, "deny");
    expect(await replace({ orderId, price: "49000000" })).toMatchObject({ state: "rejected" });
    const view = await unwrap(seat.desk.order({ userref: "mine" }));
    expect(view.state).toBe("canceled");
    expect(view).not.toHaveProperty("moved_to");
  });

  it("says where it has no answer yet what it is called", async () => {
    await loseMove();
    world.proxy.plan(LIST, "deny", 50);
    const view = await unwrap(seat.desk.order({ userref: "mine" }));
    expect(view).toMatchObject({ state: "canceled", next_action: expect.stringMatching(/was moved.*userref hg/) });
    expect(view).not.toHaveProperty("moved_to");
  });

  it("settles what became of the move", async () => {
    await loseMove();
    const view = await unwrap(seat.desk.order({ userref: "mine" }));
    expect(view).toMatchObject({ state: "canceled", moved_to: { state: "open", price: "49000000" } });
    expect([sent(), open().length]).toEqual([2, 1]);
  });

  it("works for an order of another program, by its id", async () => {
    const other = await world.seat({ freshStore: true, policy, patient: true });
    const { order } = await other.desk.place({
      ...{ symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.004", price: "50000000" },
    });
    const orderId = order?.orderId ?? "";
    await replace({ orderId, price: "49000000" });
    expect(await unwrap(seat.desk.order({ orderId }))).toMatchObject({ moved_to: { price: "49000000" } });
  });
});

describe("to cancel it by its first name", () => {
  it.each(["userref", "id"])("cancels what rests now, before any query (%s)", async (by) => {
    const ids = await chain();
    const before = cancels();
    const report = await seat.desk.cancel(by === "id" ? { orderId: ids[0] ?? "" } : { userref: "mine" });
    expect(report).toMatchObject({ outcome: "accepted", state: "canceled", order: { price: "47000000" } });
    expect(report.warnings.join()).toContain("was moved");
    expect([cancels() - before, open().length]).toEqual([1, 0]);
  });

  it("does so in a process that has just started", async () => {
    await chain();
    const { desk } = await world.seat({ policy, patient: true });
    expect(await desk.cancel({ userref: "mine" })).toMatchObject({ outcome: "accepted", order: { price: "47000000" } });
    expect(open()).toHaveLength(0);
  });

  it("finds out first whether the new one was placed", async () => {
    await loseMove();
    expect(await seat.desk.cancel({ userref: "mine" })).toMatchObject({
      outcome: "accepted",
      state: "canceled",
      order: { price: "49000000" },
    });
    expect(open()).toHaveLength(0);
  });

  it("takes back a move that is about to be placed: nothing stands then", async () => {
    const { orderId } = await placed({ userref: "mine" });
    const other = await world.seat({ policy, patient: true });
    await other.desk.status();
    const cancel = Reflect.get(apiClass().prototype, "cancel") as (
      ...named: unknown[]
    ) => ReturnType<OpenApiClient["cancel"]>;
    let report: Awaited<ReturnType<typeof other.desk.cancel>> | undefined;
    vi.spyOn(apiClass().prototype, "cancel").mockImplementationOnce(async function (this: OpenApiClient, ...named) {
      const answer = await cancel.apply(this, named);
      report = await other.desk.cancel({ userref: "mine" });
      return answer;
    });
    expect(await replace({ orderId, price: "49000000" })).toMatchObject({ outcome: "not_sent", state: "not_placed" });
    expect(report).toMatchObject({ outcome: "accepted", state: "canceled", order: { orderId } });
    expect(report).not.toHaveProperty("error");
    expect([sent(), open().length]).toEqual([1, 0]);
  });
});

describe("to wait for it by its first name", () => {
  it("follows while it is moved, and reaches what the last one reaches", async () => {
    const { orderId } = await placed({ userref: "mine" });
    const waiting = seat.desk.awaitOrder({ userref: "mine", until: "filled", timeoutMs: 10_000 });
    const { order } = await replace({ orderId, price: "49000000" });
    await replace({ orderId: order?.orderId ?? "", price: "48000000" });
    fill("0.004", "48000000");
    expect(await unwrap(waiting)).toMatchObject({ reached: true, moved_to: { state: "filled" } });
  });

  it("counts what it executed before it was moved as a first fill", async () => {
    const { orderId } = await placed({ userref: "mine" });
    fill("0.001");
    const { order } = await replace({ orderId, price: "49000000" });
    await replace({ orderId: order?.orderId ?? "", price: "48000000" });
    for (const name of [{ userref: "mine" }, { orderId }]) {
      const report = await unwrap(seat.desk.awaitOrder({ ...name, until: "any_fill", timeoutMs: 5_000 }));
      expect(report).toMatchObject({ reached: true, moved_to: { state: "open" } });
    }
  });

  it("says that it is still open when the time is over", async () => {
    const { orderId } = await placed({ userref: "mine" });
    await replace({ orderId, price: "49000000" });
    const report = await unwrap(seat.desk.awaitOrder({ userref: "mine", until: "closed", timeoutMs: 50 }));
    expect(report).toMatchObject({ reached: false, next_action: expect.stringContaining("still open") });
  });
});

describe("to change it by its first name", () => {
  it("changes what rests now; the same change asked for again is answered with what became of it", async () => {
    await placed({ userref: "mine" });
    const moves = [];
    for (const price of PRICES) moves.push(await replace({ userref: "mine", price }));
    expect(moves.map(({ order }) => order?.price)).toEqual(PRICES);
    expect([sent(), open().length]).toEqual([4, 1]);
    const again = await replace({ userref: "mine", price: "47000000" });
    expect(again.order?.orderId).toBe(moves[2]?.order?.orderId);
    expect(await replace({ userref: "mine", price: "48000000" })).toMatchObject({ state: "canceled" });
    expect([sent(), open().length]).toEqual([4, 1]);
  });

  it("asks a person, whose answer comes back with that name", async () => {
    const [first = ""] = await chain(["49000000"]);
    set({ mode: "confirm" });
    policy.value = ok({ ...LOOSE, mode: "confirm", approveBy: ["client"] });
    for (const name of [{ userref: "mine" }, { orderId: first }]) {
      const asked = await seat.desk.replace({ ...name, price: "48000000" }, "chat");
      expect(asked.state).toBe("awaiting_approval");
      const call = { replace: { ...name, price: "48000000" } };
      const seal = await unwrap(sealShown(seat.desk, asked.intent_id ?? "", call, "chat"));
      const other = { replace: { ...name, price: "47000000" } };
      expect(await seat.desk.answerApproval({ seal, said: "yes", request: other, session: "chat" })).toMatchObject({
        outcome: "not_sent",
      });
      if ("orderId" in name) continue;
      expect(await seat.desk.answerApproval({ seal, said: "no", request: call, session: "chat" })).toMatchObject({
        state: "denied",
      });
    }
    expect(open()).toHaveLength(1);
  });
});

describe("what is known of it by its first name", () => {
  it("the log has the steps of all that stood in its place", async () => {
    const ids = await chain();
    const whole = await unwrap(seat.desk.audit({ userref: "mine", limit: 100 }));
    const seen = new Set(whole.entries.map(({ orderId }) => orderId));
    for (const id of ids) expect(seen.has(id)).toBe(true);
    const seqs = whole.entries.map(({ seq }) => seq);
    expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => b - a));
    const few = await unwrap(seat.desk.audit({ orderId: ids[0] ?? "", limit: 3 }));
    expect(few.entries.map(({ seq }) => seq)).toEqual(seqs.slice(0, 3));
    const paged = [...few.entries];
    for (let cursor = few.next_cursor; cursor !== null; ) {
      const page = await unwrap(seat.desk.audit({ orderId: ids[0] ?? "", limit: 3, cursor }));
      paged.push(...page.entries);
      cursor = page.next_cursor;
    }
    expect(paged.map(({ seq }) => seq)).toEqual(seqs);
  });

  it("a person's word is about the move that has no answer", async () => {
    const orderId = await loseMove();
    world.clock.skewMs = 60_000;
    const placedNow = open().find((each) => each.orderId !== orderId)?.orderId ?? "";
    const settled = await unwrap(seat.desk.settle("mine", { placed: true, orderId: placedNow, by: "a person" }));
    expect(settled).toMatchObject({ order: { orderId: placedNow } });
    expect(atVenue(placedNow)?.state).toBe("open");
  });
});
