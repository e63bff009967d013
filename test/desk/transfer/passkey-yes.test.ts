/** A yes by touch to a payment: over exactly that one, and in the log without what names a person. */
import { expect, it } from "vitest";
import { ok } from "../../../src/contract/index.ts";
import { approvalDigest } from "../../../src/desk/index.ts";
import { verifyTouches } from "../../../src/passkeys/index.ts";
import { softwarePasskey } from "../../fixture/passkey.ts";
import { unwrap } from "../../fixture/result.ts";
import { ASKING, quotePayment, seat, transferWorldPerTest, world } from "./transfer-world.ts";

transferWorldPerTest();

it("pays what was signed, once, and nothing else; the log proves it", async () => {
  world.policy.value = ok(ASKING);
  const passkey = softwarePasskey();
  await unwrap(world.store.passkeys.enrol(passkey.enrolled, "the PIN"));
  const [one, two] = await Promise.all(
    [0, 1].map(async () => {
      const payment_id = await quotePayment(seat);
      const { transfer_id: id = "" } = await seat.transfers.make({ kind: "confirm_payment", payment_id });
      return id;
    }),
  );
  const pending = await unwrap(seat.transfers.pending());
  const digestOf = (id = "") => pending.find(({ asked }) => asked.transfer_id === id)?.digest ?? "";
  const assertion = passkey.sign({ challenge: digestOf(one) });
  const approve = (id = "") => seat.transfers.approve(id, "passkey", digestOf(id), assertion);
  const other = await approve(two);
  expect(other).toMatchObject({ outcome: "not_sent", state: "awaiting_approval" });
  expect(other.error?.message).toContain("another question");
  expect(await approve(one)).toMatchObject({ outcome: "accepted", state: "paid" });
  expect((await approve(one)).warnings.join()).toContain("nothing was sent now");
  const log = await unwrap(world.store.audit.recent({ limit: 50 }));
  const approved = log.filter(({ detail }) => detail["to"] === "approved");
  expect(approved.map(({ detail }) => detail["approval"])).toEqual([{ digest: digestOf(one), assertion }]);
  expect(log.filter(({ event }) => event === "approval_refused")).toHaveLength(1);
  expect(await verifyTouches(world.store.audit, approvalDigest)).toEqual({ ok: true, count: 1 });
});
