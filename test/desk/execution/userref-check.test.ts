/** When the exchange is asked for a userref before it is sent, and when that is not worth ten times an order's weight. */
import { afterEach, describe, expect, it, vi } from "vitest";
import type { OpenApiClient } from "../../../src/venues/index.ts";
import { apiClass, has, type Seat, type SeatOptions } from "../../fixture/desk-over-sandbox.ts";
import { ORDER_POST } from "../../fixture/fault-proxy.ts";
import { LIMIT_BUY } from "../../fixture/order-sample.ts";
import { approveShown } from "../../fixture/person.ts";
import { changeablePolicy, LOOSE } from "../../fixture/policy.ts";
import { unwrap } from "../../fixture/result.ts";
import { openWorldPerTest, world } from "../../fixture/world-per-test.ts";

openWorldPerTest();
afterEach(() => {
  vi.restoreAllMocks();
});

const HOUR_MS = 3_600_000;
const BOOK = /^GET \/v1\/orderbook/;
const questions = () => world.proxy.log.filter(({ path }) => path.startsWith("/v1/orders-before-sending")).length;
const sent = () => world.proxy.deliveries(ORDER_POST);
/** A desk whose journal is known to have forgotten nothing for so long. */
const vouchedFor = (hours: number, more: SeatOptions = {}): Promise<Seat> =>
  world.seat({ patient: true, ...more, vouchedSinceMs: () => world.clock.skewMs + Date.now() - hours * HOUR_MS });

describe("a userref that the caller gives", () => {
  it("is not asked for where the journal has forgotten nothing of what may be asked for again", async () => {
    const { desk } = await vouchedFor(24);
    expect(await desk.place({ ...LIMIT_BUY, userref: "mine" })).toMatchObject({ state: "open" });
    expect([questions(), sent()]).toEqual([0, 1]);
    expect(await desk.place({ ...LIMIT_BUY, userref: "mine" })).toMatchObject({ state: "open" });
    expect([questions(), sent()]).toEqual([0, 1]);
  });

  it.each([
    ["a day has not passed", 23.9],
    ["the clock was set back", -1],
  ])("is asked for while %s", async (_, hours) => {
    const { desk } = await vouchedFor(hours);
    expect(await desk.place({ ...LIMIT_BUY, userref: "mine" })).toMatchObject({ state: "open" });
    expect([questions(), sent()]).toEqual([1, 1]);
  });

  it.each([
    ["is not known", async () => undefined],
    ["cannot be told", () => Promise.reject(new Error("the store is gone"))],
  ])("is asked for where that %s", async (_, vouchedSinceMs) => {
    const { desk } = await world.seat({ patient: true, vouchedSinceMs: vouchedSinceMs as () => Promise<undefined> });
    expect(await desk.place({ ...LIMIT_BUY, userref: "mine" })).toMatchObject({ state: "open" });
    expect([questions(), sent()]).toEqual([1, 1]);
  });

  it.runIf(has("proof"))("is asked for where the journal knows it as not placed", async () => {
    const { desk } = await vouchedFor(48);
    world.proxy.plan(ORDER_POST, "refuse");
    expect(await desk.place({ ...LIMIT_BUY, userref: "mine" })).toMatchObject({ state: "not_placed" });
    expect(await desk.place({ ...LIMIT_BUY, userref: "mine" })).toMatchObject({ state: "open" });
    expect(questions()).toBe(1);
  });

  it.runIf(has("names"))("is not seen as another program's, which has an order under it", async () => {
    const other = await world.seat({ freshStore: true, patient: true });
    await other.desk.place({ ...LIMIT_BUY, userref: "theirs", base_volume: "0.002" });
    const { desk } = await vouchedFor(24);
    expect(await desk.place({ ...LIMIT_BUY, userref: "theirs" })).toMatchObject({ state: "open" });
    expect(world.orders().filter(({ userref }) => userref === "theirs")).toHaveLength(2);
  });
});

describe("what was written down before is always asked for", () => {
  it("a draft", async () => {
    const { desk } = await vouchedFor(48);
    const { draft_id = "" } = await unwrap(desk.preview({ ...LIMIT_BUY, userref: "mine" }));
    expect(await desk.place({ draft_id })).toMatchObject({ state: "open" });
    expect(questions()).toBe(1);
  });

  it("a yes", async () => {
    const policy = changeablePolicy({ ...LOOSE, mode: "confirm", approveBy: ["pin"] });
    const { desk } = await vouchedFor(48, { policy });
    const { intent_id = "" } = await desk.place({ ...LIMIT_BUY, userref: "mine" });
    expect(questions()).toBe(0);
    expect(await approveShown(desk, intent_id)).toMatchObject({ state: "open" });
    expect(questions()).toBe(1);
  });

  it("what another process left", async () => {
    const doomed = await vouchedFor(48, { crashAt: "recorded" });
    void doomed.desk.place({ ...LIMIT_BUY, userref: "mine" });
    await doomed.died;
    const { desk } = await vouchedFor(48);
    expect(await desk.place({ ...LIMIT_BUY, userref: "mine" })).toMatchObject({ state: "open" });
    expect([questions(), sent()]).toEqual([1, 1]);
  });

  it("a move", async () => {
    const { desk } = await vouchedFor(48);
    await desk.place({ ...LIMIT_BUY, userref: "mine", price: "50000000" });
    expect(await desk.replace({ userref: "mine", price: "49000000" })).toMatchObject({ state: "open" });
    expect(questions()).toBe(1);
  });
});

it("an order that waited for its turn for longer than a book may be old gets a new book, in its turn", async () => {
  const policy = changeablePolicy({ ...LOOSE, bookMaxAgeMs: 3_000 });
  // Of the desk alone: the turn in the lane goes on.
  const late = { ms: 0 };
  const now = () => Date.now() + late.ms;
  const clock = { now, rising: now, sleep: (ms: number, by?: AbortSignal) => world.clock.sleep(ms, by) };
  const { desk } = await world.seat({ policy, clock, patient: true });
  const submit = Reflect.get(apiClass().prototype, "submit") as OpenApiClient["submit"];
  let turns = 0;
  vi.spyOn(apiClass().prototype, "submit").mockImplementation(function (this: OpenApiClient, order, beforeSend) {
    return submit.call(this, order, async (nonce) => {
      turns++;
      late.ms += 10_000;
      return beforeSend?.(nonce) ?? true;
    });
  });
  expect(await desk.place(LIMIT_BUY)).toMatchObject({ outcome: "accepted", state: "open" });
  expect([turns, world.proxy.deliveries(BOOK), sent()]).toEqual([1, 2, 1]);
  // Where there is none, the order is denied as before.
  world.proxy.plan(BOOK, (body) => body);
  world.proxy.plan(BOOK, "deny", 9);
  expect(await desk.place({ ...LIMIT_BUY, base_volume: "0.003" })).toMatchObject({ outcome: "not_sent" });
  expect(sent()).toBe(1);
});
