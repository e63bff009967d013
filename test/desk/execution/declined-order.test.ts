/** What comes of an answer out of the client's form that is no yes. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import { failed, localFault } from "../../../src/contract/index.ts";
import type { OrderRequest } from "../../../src/desk/index.ts";
import type { Seat, World } from "../../fixture/desk-over-sandbox.ts";
import { ORDER_POST } from "../../fixture/fault-proxy.ts";
import { approveShown, sealShown } from "../../fixture/person.ts";
import { changeablePolicy, LOOSE } from "../../fixture/policy.ts";
import { unwrap } from "../../fixture/result.ts";
import { openWorldPerTest } from "../../fixture/world-per-test.ts";

const UNAVAILABLE = localFault("ELocal:Store unavailable");
const order: OrderRequest = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "100000000" };
const mismatch = { outcome: "not_sent", state: "denied", error: { code: "ELocal:Approval mismatch" } } as const;

let world: World;
let seat: Seat;
openWorldPerTest({}, (opened) => {
  world = opened;
});
beforeEach(async () => {
  seat = await world.seat({ policy: changeablePolicy({ ...LOOSE, mode: "confirm" }) });
});
const stateOf = async (id: string) => (await unwrap(world.store.journal.byId(id)))?.state;
const sent = () => world.proxy.deliveries(ORDER_POST);

/** An order that waits, and the seal of its question. */
async function sealed() {
  const { intent_id: id = "", userref = "" } = await seat.desk.place(order);
  const seal = await sealShown(seat.desk, id);
  if (!seal.ok) throw new Error(seal.fault.message);
  return { id, userref, seal: seal.value };
}

describe("an answer out of the client's form", () => {
  it("when it is a no, withdraws the order for good, and a yes that comes later finds nothing", async () => {
    const { id, seal } = await sealed();
    const report = await seat.desk.answerApproval({ seal, said: "no", request: order });
    const denied = { outcome: "not_sent", state: "denied", intent_id: id, error: { code: "ELocal:Not approved" } };
    expect(report).toMatchObject(denied);
    expect(await stateOf(id)).toBe("denied");
    const events = (await unwrap(world.store.audit.recent({ intentId: id, limit: 2 }))).map(({ event }) => event);
    expect(events).toContain("approval_declined");
    expect(await seat.desk.answerApproval({ seal, said: "yes", request: order })).toMatchObject(denied);
    expect(await approveShown(seat.desk, id)).toMatchObject(denied);
    expect(sent()).toBe(0);
  });

  it("when it is a no without the seal, or for another order, withdraws nothing", async () => {
    const { id, seal } = await sealed();
    expect(await seat.desk.answerApproval({ seal: "x", said: "no", request: order })).toMatchObject(mismatch);
    const other = { ...order, base_volume: "0.002" };
    expect(await seat.desk.answerApproval({ seal, said: "no", request: other })).toMatchObject(mismatch);
    expect(await stateOf(id)).toBe("awaiting_approval");
  });

  it.each(["dismissed", "unreadable"] as const)(
    "when it is none (%s), leaves the order waiting, and says how to withdraw it",
    async (said) => {
      const { id, userref, seal } = await sealed();
      const report = await seat.desk.answerApproval({ seal, said, request: order });
      expect(report).toMatchObject({ outcome: "not_sent", state: "awaiting_approval", intent_id: id });
      expect(report.warnings.join()).toContain(`cancel_order with userref ${userref}`);
      expect(await approveShown(seat.desk, id)).toMatchObject({ outcome: "accepted" });
    },
  );

  it("when it is a no that cannot be recorded, leaves the order waiting, and says so", async () => {
    const { id, seal } = await sealed();
    const broken = vi.spyOn(world.store.journal, "advance").mockResolvedValue(failed(UNAVAILABLE));
    const report = await seat.desk.answerApproval({ seal, said: "no", request: order });
    broken.mockRestore();
    expect(report).toMatchObject({ outcome: "not_sent", state: "awaiting_approval", intent_id: id });
    expect(report.error?.message).toContain("The no could not be recorded.");
    expect(await stateOf(id)).toBe("awaiting_approval");
  });
});
