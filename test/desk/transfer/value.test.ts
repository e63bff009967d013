/** What a transfer counts for in the limits of a policy, where the exchange's rate or the book is not to be trusted. */
import { describe, expect, it } from "vitest";
import { ok } from "../../../src/contract/index.ts";
import { inUnit, rate } from "../../../src/decimal/index.ts";
import { approve, FREELY, quotePayment, seat, send, transferWorldPerTest, world } from "./transfer-world.ts";

transferWorldPerTest();

const LITTLE = inUnit("100000");
const UP_TO_LITTLE = { max: LITTLE, maxDay: LITTLE, approvalOver: LITTLE };
const moves = () =>
  world.proxy.log.filter(({ method, path }) => method === "POST" && /(confirm|remittances)$/.test(path));
const pay = async (amount = "50000") =>
  seat.transfers.make({ kind: "confirm_payment", payment_id: await quotePayment(seat, { amount }) });

describe("a payment counts for what leaves,", () => {
  it("when a lone low bid makes the exchange's rate: no more than max_krw goes", async () => {
    world.policy.value = ok({ ...FREELY, payments: UP_TO_LITTLE });
    world.only("buy", "1000000");
    expect(await pay()).toMatchObject({ outcome: "not_sent", error: { rule: "size", figure: "5000050" } });
    expect(moves()).toEqual([]);
  });

  it("when the whole book has gone down, at what was traded last", async () => {
    world.policy.value = ok({ ...FREELY, payments: UP_TO_LITTLE });
    world.only("buy", "1000000");
    world.only("sell", "1001000");
    expect(await pay()).toMatchObject({ outcome: "not_sent", error: { rule: "size", figure: "5000000" } });
  });

  it("and a person is asked where that is further from the bill than the collar allows", async () => {
    world.policy.value = ok({ ...FREELY, priceCollar: rate("0.05") });
    expect(await pay()).toMatchObject({ outcome: "accepted" });
    world.only("buy", "95000000");
    const asked = await pay("60000");
    expect(asked).toMatchObject({ state: "awaiting_approval", approval: { value: "63159" } });
    expect(asked.approval?.why).toContain("₩63,159");
    expect(asked.approval?.why).toContain("price_collar_pct 5");
    expect(await approve(seat, asked.transfer_id ?? "")).toMatchObject({ state: "paid" });
  });

  it.each(["buy", "sell"] as const)(
    "and is denied where there is no price: nothing on one side of the book: %s",
    async (side) => {
      world.only(side);
      expect(await pay()).toMatchObject({ outcome: "not_sent", error: { rule: "size", figure: "unknown" } });
      expect(moves()).toEqual([]);
    },
  );
});

describe("a remittance in coins", () => {
  it("is not valued by a lone low bid", async () => {
    const { remittances } = FREELY;
    if (remittances === undefined) throw new Error("no section");
    world.policy.value = ok({ ...FREELY, remittances: { ...remittances, ...UP_TO_LITTLE } });
    world.only("buy", "1000000");
    world.only("sell");
    const body = { source_asset: "BTC", target_currency: "USD", amount: "0.1", destination_country: "US" };
    const quoted = await seat.transfers.quoteRemittance(body);
    expect(quoted).toMatchObject({ ok: true, value: { policy: "denied" } });
    const quote_id = (quoted.ok && quoted.value.quote?.quote_id) || "";
    expect(await send(seat, quote_id)).toMatchObject({
      outcome: "not_sent",
      error: { rule: "size", figure: "unknown" },
    });
    expect(moves()).toEqual([]);
  });
});
