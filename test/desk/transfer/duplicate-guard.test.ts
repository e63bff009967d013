/** Two that are alike, asked for at the same moment or after an answer that nobody got: one of them moves money. */
import { describe, expect, it } from "vitest";
import type { TransferReport } from "../../../src/desk/index.ts";
import {
  quotePayment,
  seat,
  send,
  settledPayment,
  type TransferSeat,
  transferWorldPerTest,
  world,
} from "./transfer-world.ts";

transferWorldPerTest();

const confirm = (payment_id: string) => seat.transfers.make({ kind: "confirm_payment", payment_id });

async function quoteCoins({ transfers }: TransferSeat): Promise<string> {
  const body = { source_asset: "BTC", target_currency: "USD", amount: "0.002", destination_country: "US" };
  const quoted = await transfers.quoteRemittance(body);
  if (!quoted.ok) throw new Error(JSON.stringify(quoted.fault));
  return quoted.value.quote?.quote_id ?? "";
}

function expectOneMade(reports: readonly TransferReport[]): void {
  expect(reports.filter((each) => each.outcome === "accepted" && each.duplicate_of === undefined)).toHaveLength(1);
  const [other] = reports.filter(({ outcome, duplicate_of }) => outcome !== "accepted" || duplicate_of !== undefined);
  expect(other?.duplicate_of ?? other?.error?.code).toBeDefined();
  if (other?.duplicate_of === undefined) expect(other?.error?.code).toBe("ELocal:Twin unresolved");
}

describe("of two alike that are asked for at the same moment, though one is done and told before the other has looked, one is made:", () => {
  it.each(["one desk", "two"])("remittances of %s", async (desks) => {
    const other = desks === "two" ? world.seat() : seat;
    const [one, another] = [await quoteCoins(seat), await quoteCoins(other)];
    world.proxy.plan(/orderbook/, "swallow", 1);
    expectOneMade(await Promise.all([send(seat, one), send(other, another)]));
    const { exchange, accountId } = world.sandbox;
    expect(exchange.remittances(accountId, { limit: 9 }).remittances).toHaveLength(1);
  });

  it("payments of one bill", async () => {
    const [one, other] = [await quotePayment(seat), await quotePayment(seat)];
    world.proxy.plan(new RegExp(`^GET /v0.1/payments/${other}`), "swallow", 1);
    expectOneMade(await Promise.all([confirm(one), confirm(other)]));
    expect(await confirm(await quotePayment(seat))).toMatchObject({ outcome: "accepted" });
  });

  it("refunds of one payment, whatever they are named", async () => {
    const payment_id = await settledPayment(world, seat);
    const refund = { kind: "refund_payment", payment_id, amount: "20000" } as const;
    world.proxy.plan(new RegExp(`^GET /v0.1/payments/${payment_id}`), "swallow", 1);
    const reports = [seat.transfers.make(refund), seat.transfers.make({ ...refund, userref: "again" })];
    expectOneMade(await Promise.all(reports));
    expect(await seat.transfers.payment({ id: payment_id })).toMatchObject({
      value: { payment: { refunded_amount: "20000" } },
    });
  });
});

describe("what was sent and told", () => {
  it("is no duplicate of what is requested afterwards, on a clock that was set back either", async () => {
    expect(await confirm(await quotePayment(seat))).toMatchObject({ outcome: "accepted" });
    expect(await confirm(await quotePayment(seat))).toMatchObject({ outcome: "accepted" });
    world.clock.skewMs = -600_000;
    expect(await confirm(await quotePayment(seat))).toMatchObject({ outcome: "accepted" });
  });
});

describe("a look that fails", () => {
  it.each(["id", "transfer_id"] as const)(
    "has told nobody what became of a payment, so that it is not made again: by %s",
    async (by) => {
      const payment_id = await quotePayment(seat);
      world.proxy.plan(/^POST .*\/confirm$/, "lose_reset", 1);
      world.proxy.plan(/idempotency_key=/, "deny", 1);
      const lost = await confirm(payment_id);
      expect(lost).toMatchObject({ outcome: "unknown" });
      world.proxy.plan(new RegExp(`^GET /v0.1/payments/${payment_id}`), "deny", 1);
      const name = by === "id" ? { id: payment_id } : { transferId: lost.transfer_id ?? "" };
      expect(await seat.transfers.payment(name)).toMatchObject({ ok: false });
      const again = await confirm(await quotePayment(seat));
      expect(again).toMatchObject({ outcome: "accepted", duplicate_of: lost.transfer_id });
      expect(await seat.transfers.payment(name)).toMatchObject({ ok: true, value: { state: "paid" } });
      expect(await confirm(await quotePayment(seat))).toMatchObject({ outcome: "accepted" });
    },
  );
});
