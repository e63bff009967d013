import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LiveOrder } from "../../../../src/sandbox/engine/memory/index.ts";
import {
  countFills,
  countOrders,
  findFills,
  findOrders,
  type History,
} from "../../../../src/sandbox/engine/orders/order-history.ts";
import type { Account } from "../../../../src/sandbox/engine/state/account-state.ts";
import { addOrder, emptyState, openAccount } from "../../../../src/sandbox/engine/state/exchange-state.ts";
import type { FillFilter, FillRecord, OrderFilter, OrderRecord } from "../../../../src/sandbox/model/index.ts";
import { BTC, orderRecord } from "../exchange-kit.ts";

const STATES = ["open", "filled", "canceled", "expired"] as const;

interface Terms {
  readonly state: (typeof STATES)[number];
  readonly symbol: string;
  readonly userref: string | null;
  readonly waited: number;
  readonly lasted: number;
}

const terms: fc.Arbitrary<Terms> = fc.record({
  state: fc.constantFrom(...STATES),
  symbol: fc.constantFrom("BTC/KRW", "ETH/KRW"),
  userref: fc.constantFrom("a", "b", null),
  waited: fc.nat({ max: 3 }),
  lasted: fc.nat({ max: 9 }),
});

/** An account whose orders were placed one after the other, each with a fill. */
function accountWith(all: readonly Terms[]) {
  const state = emptyState({ markets: [BTC], seed: 1, marketMaker: false });
  const account = openAccount(state, "ann", true);
  let at = 0;
  for (const [index, { waited, lasted, ...more }] of all.entries()) {
    at += waited;
    addOrder(state, orderRecord({ orderId: idOf(index), ...more, createdAt: at, updatedAt: at + lasted }));
    account.fills.push({ tradeSeq: index * 2 + 1, symbol: more.symbol, time: at } as FillRecord);
  }
  const history: History = { account, orders: state.orders, archive: null };
  return { account, history, own: (orderId: string) => state.orders.get(orderId) };
}

/** Ids whose order does not follow the order of placing. */
const idOf = (index: number): string => `order-${(index * 7) % 101}`;

const period = {
  from: fc.option(fc.nat({ max: 60 }), { nil: undefined }),
  to: fc.option(fc.nat({ max: 60 }), { nil: undefined }),
};
const name = fc.option(fc.nat({ max: 39 }), { nil: undefined });
const cut = { skip: fc.option(fc.nat({ max: 9 }), { nil: undefined }), limit: fc.integer({ min: 1, max: 12 }) };
const wanted = {
  symbol: fc.constantFrom(undefined, "BTC/KRW"),
  states: fc.constantFrom(undefined, ["open"], ["filled", "expired"]),
  userref: fc.constantFrom(undefined, "a"),
  by: fc.constantFrom(undefined, "created", "updated", "either"),
};

/** The reference: applies the filter to every record. */
function naively({ account, orders }: History, filter: OrderFilter): readonly OrderRecord[] {
  const newest = account.history.map((row) => orders.at(row).record).toReversed();
  const placeOf = (id: string | undefined): number => newest.findIndex(({ orderId }) => orderId === id);
  const { symbol, states, userref, from = 0, to = 1_000, by = "created", beforeId, untilId, afterId } = filter;
  return newest.filter((record, index) => {
    const times = { created: [record.createdAt], updated: [record.updatedAt] };
    const chosen = by === "either" ? [...times.created, ...times.updated] : times[by];
    return (
      (symbol === undefined || record.symbol === symbol) &&
      (states === undefined || states.includes(record.state)) &&
      (userref === undefined || record.userref === userref) &&
      chosen.some((time) => time >= from && time <= to) &&
      (beforeId === undefined || index > placeOf(beforeId)) &&
      (untilId === undefined || index >= placeOf(untilId)) &&
      (afterId === undefined || index < placeOf(afterId))
    );
  });
}

const given = <Filter extends object>(fields: Filter): Filter =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Filter;

describe("the history of an account", () => {
  it("finds and counts orders by any filter, page by page", () => {
    const filters = fc.record({ ...wanted, ...period, ...cut, before: name, until: name, after: name });
    fc.assert(
      fc.property(
        fc.array(terms, { minLength: 40, maxLength: 40 }),
        filters,
        (all, { before, until, after, ...rest }) => {
          const { history, own } = accountWith(all);
          const [beforeId, untilId, afterId] = [before, until, after].map((each) =>
            each === undefined ? undefined : idOf(each),
          );
          const filter = given({ ...rest, beforeId, untilId, afterId }) as OrderFilter;
          const expected = naively(history, filter);
          const { skip = 0, limit } = filter;
          expect(findOrders(history, filter, own)).toEqual({
            orders: expected.slice(skip, skip + limit),
            more: expected.length > skip + limit,
          });
          expect(countOrders(history, filter, own)).toBe(expected.length);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("finds and counts fills by any filter, page by page", () => {
    const filters = fc.record({ symbol: wanted.symbol, ...period, ...cut, beforeSeq: name, afterSeq: name });
    fc.assert(
      fc.property(fc.array(terms, { minLength: 20, maxLength: 20 }), filters, (all, fields) => {
        const { account, history } = accountWith(all);
        const filter = given(fields) as FillFilter;
        const { symbol, from = 0, to = 1_000, beforeSeq = 1_000, afterSeq = 0, skip = 0, limit } = filter;
        const expected = account.fills
          .filter(
            (fill) =>
              (symbol === undefined || fill.symbol === symbol) &&
              fill.time >= from &&
              fill.time <= to &&
              fill.tradeSeq < beforeSeq &&
              fill.tradeSeq > afterSeq,
          )
          .toReversed();
        expect(findFills(history, filter)).toEqual({
          fills: expected.slice(skip, skip + limit),
          more: expected.length > skip + limit,
        });
        expect(countFills(history, filter)).toBe(expected.length);
      }),
      { numRuns: 300 },
    );
  });

  it("reads no more than a page needs, wherever the page begins", () => {
    const term: Terms = { state: "filled", symbol: "BTC/KRW", userref: "a", waited: 1, lasted: 0 };
    const { account, history, own } = accountWith(Array.from({ length: 101 }, () => term));
    let looks = 0;
    const watched = <Item>(list: Item[]): Item[] =>
      new Proxy(list, {
        get(target, key) {
          if (/^\d+$/.test(String(key))) looks += 1;
          return Reflect.get(target, key);
        },
      });
    const seen: Account = {
      ...account,
      history: watched(account.history),
      fills: watched(account.fills),
      byUserref: new Map([["a", watched(account.byUserref.get("a") ?? [])]]),
    };
    const watchedHistory: History = { ...history, account: seen };
    const looksAt = (read: () => unknown): number => {
      looks = 0;
      read();
      return looks;
    };
    // One record after the page shows whether there are more; the binary search reads seven.
    const most = 5 + 1 + 7;
    const middle = idOf(50);
    const filters: readonly Omit<OrderFilter, "limit">[] = [
      {},
      { beforeId: middle },
      { untilId: middle },
      { beforeId: middle, userref: "a" },
      { to: 50 },
      { from: 48, to: 50 },
      { untilId: middle, afterId: idOf(48) },
    ];
    for (const filter of filters)
      expect(looksAt(() => findOrders(watchedHistory, { ...filter, limit: 5 }, own))).toBeLessThanOrEqual(most);
    for (const filter of [{}, { beforeSeq: 100 }, { to: 50 }, { beforeSeq: 100, afterSeq: 96 }])
      expect(looksAt(() => findFills(watchedHistory, { ...filter, limit: 5 }))).toBeLessThanOrEqual(most);
    expect(looksAt(() => findOrders(watchedHistory, { userref: "a", states: ["open"], limit: 5 }, own))).toBe(0);
  });

  it("keeps the orders of a userref in one list, which is not copied for a new order", () => {
    const state = emptyState({ markets: [BTC], seed: 1, marketMaker: false });
    const account = openAccount(state, "ann", true);
    const admitted = (orderId: string): LiveOrder => addOrder(state, orderRecord({ orderId, userref: "grid" }));
    const first = admitted("order-1");
    const list = account.byUserref.get("grid");
    const second = admitted("order-2");
    expect(account.byUserref.get("grid")).toBe(list);
    expect(list).toEqual([first.handle, second.handle]);
  });
});
