import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answered, BTC, openCoinone, refusal } from "./coinone-client.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "hoga-coinone-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

describe("an exchange that is started again", () => {
  it("has the orders, the balances and the ids that it had", async () => {
    const first = await openCoinone({ dir });
    await first.maker.order({ side: "SELL", qty: "1" });
    await first.paper.order({ user_order_id: "filled" });
    expect(refusal(await first.paper.order({ user_order_id: "refused", qty: "1" }))).toBe("103");
    await first.paper.order({ user_order_id: "open", price: "80000000" });
    await first.paper.order({ user_order_id: "crossing", post_only: true });
    const now = first.venue.clock.now;
    const asked = async ({ paper }: typeof first) => ({
      balances: answered(await paper.post("account/balance/all")),
      active: answered(await paper.post("order/active_orders")),
      fills: answered(await paper.post("order/completed_orders/all", { size: 10, from_ts: now - 1_000, to_ts: now })),
      details: await Promise.all(
        ["filled", "open", "crossing"].map(async (user_order_id) => answered(await paper.detail({ user_order_id }))),
      ),
      book: answered(await paper.open("orderbook/KRW/BTC")).asks,
    });
    const before = await asked(first);
    expect(before).toMatchObject({
      active: { active_orders: [{ price: "80000000" }] },
      details: [{ order: { status: "FILLED" } }, { order: { status: "LIVE" } }, { order: { status: "CANCELED" } }],
    });
    await first.venue.sandbox.close();
    const second = await openCoinone({ dir });
    expect(await asked(second)).toEqual(before);
    for (const user_order_id of ["filled", "open", "crossing", "refused"])
      expect(refusal(await second.paper.order({ user_order_id }))).toBe("312");
    expect(answered(await second.paper.cancel({ user_order_id: "open" }))).toMatchObject({ side: "BUY" });
    expect(answered(await second.paper.post("order/active_orders", BTC)).active_orders).toEqual([]);
    await second.venue.sandbox.close();
  });
});
