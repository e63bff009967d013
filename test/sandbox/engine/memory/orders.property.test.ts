/** The memory of orders answers as a plain map of records does, whatever is added, changed and removed. Source: decision 0052. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OrderRows, WORD } from "../../../../src/sandbox/engine/memory/order-rows.ts";
import { Orders } from "../../../../src/sandbox/engine/memory/orders.ts";
import type { OrderRecord } from "../../../../src/sandbox/model/index.ts";
import { orderRecord } from "../exchange-kit.ts";

const ANN = { number: 0, house: false };

/** In which Ann has her number. */
function memory(): Orders {
  const orders = new Orders();
  expect(orders.accountNumber("ann")).toBe(ANN.number);
  return orders;
}

/** Ids of both kinds; most differ from a UUID, or from one another, in one character. */
const IDS: readonly string[] = [
  ...Array.from({ length: 24 }, (_, at) => `01999f3e-7a10-7c31-9a52-0000000000${String(at).padStart(2, "0")}`),
  "01999f3e-7a10-7c31-9a52-00000000000A",
  "01999f3e-7a10-7c31-9a52-00000000000g",
  "01999f3e-7a10-7c31-9a52-0000000000\uff10a",
  "01999f3e-7a10-7c31-9a52+000000000001",
  "01999f3e-7a10-7c31-9a52-0000000001",
  "ffffffff-ffff-ffff-ffff-ffffffffffff",
  "00000000-0000-0000-0000-000000000000",
  "house-1",
  "",
];

/** On both sides of what 63 bits hold, and far beyond. */
const amount = fc.constantFrom(0n, 1n, 2n ** 53n + 1n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n + 5n, 10n ** 30n);
const name = fc.constantFrom(null, "a", "b");

const record = (orderId: string): fc.Arbitrary<OrderRecord> =>
  fc
    .record({
      ...{ price: amount, volume: amount, byAmount: fc.boolean(), market: fc.boolean(), keyId: name, userref: name },
      ...{ side: fc.constantFrom("buy" as const, "sell" as const), postOnly: fc.boolean(), reason: name },
      ...{ timeInForce: fc.constantFrom("GTC" as const, "IOC" as const, "FOK" as const), executedVolume: amount },
      ...{ settlementMode: fc.constantFrom("INSTANT_KRW" as const, "STANDARD_KRW" as const), createdAt: fc.nat() },
      ...{ symbol: fc.constantFrom("BTC/KRW", "ETH/KRW"), executedValue: amount, fee: amount, updatedAt: fc.nat() },
      state: fc.constantFrom("open" as const, "filled" as const, "canceled" as const, "expired" as const),
    })
    .map(({ byAmount, market, price, volume, executedVolume, ...more }) =>
      orderRecord({
        ...{ orderId, ...more, orderType: market ? "market" : "limit", price: market ? null : price },
        // No more is executed of an order by volume than it has.
        executedVolume: byAmount || executedVolume <= volume ? executedVolume : volume,
        ...(byAmount ? { volume: null, amount: volume } : { volume, amount: null }),
      }),
    );

type Step =
  | { readonly kind: "add"; readonly record: OrderRecord }
  | { readonly kind: "remove" | "look"; readonly id: string }
  | { readonly kind: "execute"; readonly id: string; readonly by: bigint; readonly at: number }
  | { readonly kind: "end"; readonly id: string; readonly reason: string | null; readonly at: number };

const id = fc.constantFrom(...IDS);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: id.chain((each) => fc.record({ kind: fc.constant("add" as const), record: record(each) })) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom("remove" as const, "look" as const), id }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("execute" as const), id, by: amount, at: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("end" as const), id, reason: name, at: fc.nat() }) },
);

/** Takes the step in both; the map keeps the order of placing. */
function take(orders: Orders, plain: Map<string, OrderRecord>, step: Step): void {
  if (step.kind === "add") {
    const { orderId } = step.record;
    if (plain.has(orderId)) expect(() => orders.add(step.record, ANN, 0)).toThrow(`order ${orderId} exists`);
    else {
      orders.add(step.record, ANN, 0);
      plain.set(orderId, step.record);
    }
    return;
  }
  const [order, known] = [orders.get(step.id), plain.get(step.id)];
  expect(order?.record).toEqual(known);
  if (order === undefined || known === undefined) return;
  if (step.kind === "remove") {
    orders.remove(order);
    plain.delete(step.id);
  } else if (step.kind === "execute") {
    const { by, at } = step;
    order.execute(by, by, by, at);
    const [volume, value] = [known.executedVolume + by, known.executedValue + by];
    plain.set(step.id, { ...known, executedVolume: volume, executedValue: value, fee: known.fee + by, updatedAt: at });
  } else if (step.kind === "end") {
    order.end("canceled", step.reason, step.at);
    plain.set(step.id, { ...known, state: "canceled", reason: step.reason, updatedAt: step.at });
  }
  if (step.kind !== "remove") expect(order.record).toEqual(plain.get(step.id));
}

describe("the orders in memory", () => {
  // A refused id has broken the exchange: what stays in memory then is not looked at.
  const steps = fc
    .array(step, { maxLength: 120, size: "max" })
    .map((all) => all.filter((each, at) => each.kind !== "add" || !repeats(all.slice(0, at), each.record.orderId)));

  it("are those of a plain map, in order of placing", () => {
    fc.assert(
      fc.property(steps, (all) => {
        const [orders, plain] = [memory(), new Map<string, OrderRecord>()];
        for (const each of all) {
          take(orders, plain, each);
          expect(orders.size).toBe(plain.size);
        }
        expect([...orders].map((order) => order.record)).toEqual([...plain.values()]);
        for (const each of IDS) expect(orders.has(each)).toBe(plain.has(each));
      }),
      { numRuns: 300 },
    );
  });

  it("are in a copy as they were, whatever happens later", () => {
    fc.assert(
      fc.property(steps, fc.nat({ max: 120 }), (all, cut) => {
        const [orders, plain] = [memory(), new Map<string, OrderRecord>()];
        for (const each of all.slice(0, cut)) take(orders, plain, each);
        const [copy, then] = [orders.copy(), [...plain.values()]];
        for (const each of all.slice(cut)) take(orders, plain, each);
        expect(copy.length).toBe(then.length);
        expect(copy.between(0, copy.length).map((order) => order.record)).toEqual(then);
        expect(copy.between(1, 3).map((order) => order.record)).toEqual(then.slice(1, 3));
      }),
      { numRuns: 200 },
    );
  });

  it("are found among a hundred thousand, of which half have gone, and their rows are used again", () => {
    const orders = memory();
    const idOf = (at: number): string =>
      `${String(at % 1_000).padStart(8, "0")}-0000-7000-8000-${String(at).padStart(12, "0")}`;
    const all = Array.from({ length: 100_000 }, (_, at) => idOf(at));
    for (const orderId of all) orders.add(orderRecord({ orderId }), ANN, 0);
    const highest = Math.max(...[...orders].slice(-10).map(({ handle }) => handle));
    for (const [at, orderId] of all.entries()) {
      const order = orders.get(orderId);
      if (at % 2 === 0 && order !== undefined) orders.remove(order);
    }
    expect(all.filter((orderId) => orders.has(orderId))).toEqual(all.filter((_, at) => at % 2 === 1));
    for (let at = 0; at < 50_000; at += 1) orders.add(orderRecord({ orderId: `again-${at}` }), ANN, 0);
    expect(Math.max(...Array.from(orders, ({ handle }) => handle).filter((row) => row > highest), highest)).toBe(
      highest,
    );
    expect(orders.get(idOf(99_999))?.orderId).toBe(idOf(99_999));
  });

  it("have rows of their own, over pages that go when they are empty and come again", () => {
    const rows = new OrderRows();
    const inUse = new Set<number>();
    const take = (count: number) => {
      for (let each = 0; each < count; each += 1) {
        const row = rows.take();
        expect(inUse.has(row)).toBe(false);
        rows.setWord(row, WORD.position, row);
        inUse.add(row);
      }
    };
    const drop = (isDropped: (row: number) => boolean) => {
      for (const row of [...inUse].filter(isDropped)) {
        rows.drop(row);
        inUse.delete(row);
      }
    };
    take(20_000);
    drop((row) => row % 3 !== 0);
    take(5_000);
    // The first pages become empty.
    drop((row) => row < 12_288);
    take(15_000);
    expect(Math.max(...inUse)).toBeLessThan(24_576);
    expect([...inUse].every((row) => rows.word(row, WORD.position) === row)).toBe(true);
    drop(() => true);
    take(1);
  });

  it("refuse an id that is taken", () => {
    const orders = memory();
    for (const orderId of [IDS[0] ?? "", "house-1"]) {
      orders.add(orderRecord({ orderId }), ANN, 0);
      expect(() => orders.add(orderRecord({ orderId }), ANN, 0)).toThrow(`order ${orderId} exists`);
    }
  });
});

/** Whether the id may still be taken after these steps. */
function repeats(before: readonly Step[], orderId: string): boolean {
  const last = before.findLast(
    (each) =>
      (each.kind === "add" ? each.record.orderId : each.id) === orderId && ["add", "remove"].includes(each.kind),
  );
  return last?.kind === "add";
}
