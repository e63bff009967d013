/** Orders leave memory however many stay before them, and however they are named. Source: decision 0027. */
import { describe, expect, it } from "vitest";
import type { Handle } from "../../../../src/sandbox/engine/memory/index.ts";
import { leaveToArchive } from "../../../../src/sandbox/engine/orders/archiving.ts";
import { addOrder, emptyState, openAccount } from "../../../../src/sandbox/engine/state/exchange-state.ts";
import type { OrderArchive } from "../../../../src/sandbox/engine/state/order-archive.ts";
import { BTC, place, testEngine } from "../exchange-kit.ts";

/** Never asked, as leaving only hands it over. */
const archive = {} as OrderArchive;
const engine = testEngine("ann");
const record = place(engine, { accountId: "ann", side: "buy", price: BTC.anchorPrice, volume: BTC.anchorPrice });

function placed(count: number, userrefOf: (index: number) => string | null) {
  const state = emptyState({ markets: [BTC], seed: 1, marketMaker: false });
  const account = openAccount(state, "ann", true);
  const orders = Array.from({ length: count }, (_, index) =>
    addOrder(state, { ...record, orderId: `order-${index}`, state: "filled", userref: userrefOf(index) }),
  );
  return { state, account, orders };
}

describe("leaving memory", () => {
  it("leaves any number of older orders where they are, as those with proceeds that are held", () => {
    const { state, account, orders } = placed(150_000, () => null);
    leaveToArchive(state, archive, orders.slice(140_000, 140_100));
    const staying = [...orders.slice(0, 140_000), ...orders.slice(140_100)];
    expect(account.history.length).toBe(staying.length);
    expect(account.history.every((handle, index) => handle === staying[index]?.handle)).toBe(true);
    expect(state.orders.size).toBe(149_900);
  });

  it("takes no longer where all orders have one userref", () => {
    const { state, account, orders } = placed(40_000, (index) => (index === 7 ? "other" : "bot"));
    const started = performance.now();
    for (let start = 0; start < 39_900; start += 100) leaveToArchive(state, archive, orders.slice(start, start + 100));
    // It took a hundred times as long when each of them was sought among all.
    expect(performance.now() - started).toBeLessThan(2_000);
    expect([...account.byUserref]).toEqual([
      ["bot", orders.slice(39_900).map(({ handle }) => handle)] satisfies [string, Handle[]],
    ]);
  });
});
