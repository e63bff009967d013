/** Two questions that stood under one id, one after the other: what was read, or found out, of the first is nothing for the second. */
import { beforeEach, describe, expect, it } from "vitest";
import type { OrderRequest, Policy } from "../../../src/desk/index.ts";
import { createClock, has, type Seat, type World } from "../../fixture/desk-over-sandbox.ts";
import { ORDER_POST } from "../../fixture/fault-proxy.ts";
import { type ChangeablePolicy, changeablePolicy, LOOSE } from "../../fixture/policy.ts";
import { unwrap } from "../../fixture/result.ts";
import { openWorldPerTest } from "../../fixture/world-per-test.ts";

const CONFIRM: Policy = { ...LOOSE, mode: "confirm" };
const order: OrderRequest = {
  symbol: "BTC/KRW",
  side: "buy",
  type: "limit",
  base_volume: "0.001",
  price: "100000000",
  userref: "it",
};
/** So long an order that was approved may be about to be sent. */
const GIVEN_UP_MS = 40_000;

let world: World;
let policy: ChangeablePolicy;
openWorldPerTest({}, (opened) => {
  world = opened;
});
beforeEach(() => {
  policy = changeablePolicy(CONFIRM);
});

const stateOf = async (id: string) => (await unwrap(world.store.journal.byId(id)))?.state;
const sent = () => world.proxy.deliveries(ORDER_POST);

interface Question {
  readonly id: string;
  readonly digest: string;
}

async function asked(by: Seat): Promise<Question> {
  expect(await by.desk.place(order)).toMatchObject({ outcome: "not_sent", state: "awaiting_approval" });
  const { pending } = await unwrap(by.desk.pending());
  return { id: pending[0]?.intent_id ?? "", digest: pending[0]?.digest ?? "" };
}

/** A process takes a yes to the question, dies before it sends, and the order is asked for once more. */
async function diedAndAskedAgain(first: Question): Promise<Question> {
  const taker = await world.seat({ policy });
  const approved = taker.stallBefore("advance");
  void taker.desk.approve(first.id, "pin", first.digest);
  await approved.reached;
  const numbered = taker.stallBefore("advance");
  approved.goOn();
  await numbered.reached;
  taker.kill();
  expect(await stateOf(first.id)).toBe("approved");
  world.clock.skewMs += GIVEN_UP_MS;
  const next = await world.seat({ policy });
  expect(await next.desk.reconcile()).toMatchObject({ not_placed: 1 });
  const second = await asked(next);
  expect(second.id).toBe(first.id);
  expect(second.digest).not.toBe(first.digest);
  return second;
}

describe("approve", () => {
  it.runIf(has("patient"))(
    "sends nothing on a yes to the question before, held by a process that was slow",
    async () => {
      const slow = await world.seat({ policy });
      const first = await asked(slow);
      const move = slow.stallBefore("advance");
      const report = slow.desk.approve(first.id, "pin", first.digest);
      await move.reached;
      const second = await diedAndAskedAgain(first);
      move.goOn();
      expect(await report).not.toMatchObject({ outcome: "accepted" });
      expect(sent()).toBe(0);
      expect(await stateOf(second.id)).toBe("awaiting_approval");
      expect(await slow.desk.approve(second.id, "pin", second.digest)).toMatchObject({ outcome: "accepted" });
      expect(sent()).toBe(1);
    },
  );

  it("does not end a later question for what holds of the one before", async () => {
    const clock = createClock();
    const ahead = await world.seat({ policy, clock });
    const first = await asked(ahead);
    // By its own clock the time of the first question is over.
    clock.skewMs = 10 * 60_000;
    const move = ahead.stallBefore("advance");
    const looked = ahead.desk.pending();
    await move.reached;
    const second = await diedAndAskedAgain(first);
    move.goOn();
    await looked;
    expect(await stateOf(second.id)).toBe("awaiting_approval");
  });
});

describe("sealApproval", () => {
  it("seals no question but the one that was put", async () => {
    const seat = await world.seat({ policy });
    const first = await asked(seat);
    const second = await diedAndAskedAgain(first);
    expect(await seat.desk.sealApproval(first.id, first.digest)).toMatchObject({
      ok: false,
      fault: { code: "ELocal:Approval mismatch" },
    });
    expect(await seat.desk.sealApproval(second.id, second.digest)).toMatchObject({ ok: true });
  });
});
