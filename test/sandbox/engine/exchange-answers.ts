/** What an exchange answers about an account's orders and fills, to every kind of question, for comparing two exchanges. */
import fc from "fast-check";
import type { Exchange, FillFilter, OrderFilter } from "../../../src/sandbox/model/index.ts";

const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 2 });

/** Cursors are numbers, of which `questionsOf` makes ids and numbers of trades that exist. */
export const questions = fc.record({
  symbol: maybe(fc.constantFrom("BTC/KRW", "ETH/KRW")),
  states: maybe(fc.constantFrom(["open" as const], ["filled" as const, "expired" as const], ["canceled" as const])),
  userref: maybe(fc.constantFrom("a", "b")),
  by: maybe(fc.constantFrom("created" as const, "updated" as const, "either" as const)),
  from: maybe(fc.nat()),
  to: maybe(fc.nat()),
  before: maybe(fc.nat()),
  until: maybe(fc.nat()),
  after: maybe(fc.nat()),
  since: maybe(fc.nat()),
  oldestFirst: fc.boolean(),
  skip: maybe(fc.nat({ max: 6 })),
  limit: fc.integer({ min: 1, max: 7 }),
});

type Question = typeof questions extends fc.Arbitrary<infer Q> ? Q : never;

/** All the exchange says about an account, page by page, order by order. */
export function answersOf(exchange: Exchange, accountId: string, asked: readonly Question[]): object {
  const { orders } = exchange.orders(accountId, { limit: ALL });
  return {
    ...listsOf(exchange, accountId, asked),
    pages: [pagesOf(exchange, accountId, {}), pagesOf(exchange, accountId, { states: ["filled", "canceled"] })],
    each: orders.map(({ orderId }) => [
      exchange.order(accountId, orderId),
      exchange.fillsOf(accountId, orderId),
      exchange.settlementState(accountId, orderId),
      exchange.settlements(accountId, orderId),
      exchange.order("nobody", orderId) ?? exchange.fillsOf("nobody", orderId).length,
    ]),
  };
}

/** Of it the lists, which take less time. */
export function listsOf(exchange: Exchange, accountId: string, asked: readonly Question[]): object {
  const { orders } = exchange.orders(accountId, { limit: ALL });
  const { fills } = exchange.fills(accountId, { limit: ALL });
  const at = <T>(list: readonly T[], index: number | undefined): T | undefined =>
    index === undefined || list.length === 0 ? undefined : list[index % list.length];
  return {
    orders,
    fills,
    states: fills.map((fill) => exchange.fillSettlement(fill)),
    settlements: exchange.settlements(accountId),
    balances: exchange.balances(accountId),
    asked: asked.map(({ from, to, before, until, after, since, ...rest }) => {
      const times = { from: at(orders, from)?.createdAt, to: at(orders, to)?.updatedAt };
      const cursors = [before, until, after, since].map((index) => at(orders, index)?.orderId);
      const [beforeId, untilId, afterId, sinceId] = cursors;
      const [beforeSeq, afterSeq] = [before, after].map((index) => at(fills, index)?.tradeSeq);
      const order: OrderFilter = { ...rest, ...times, beforeId, untilId, afterId, sinceId };
      const fill: FillFilter = { ...rest, ...times, beforeSeq, afterSeq };
      // A cursor of an order that the exchange does not know.
      const unknown: OrderFilter = { ...rest, beforeId: `${beforeId ?? "order"}0`, sinceId: `${sinceId ?? ""}0` };
      return [
        [exchange.orders(accountId, order), exchange.countOrders(accountId, order)],
        [exchange.fills(accountId, fill), exchange.countFills(accountId, fill)],
        [exchange.orders(accountId, unknown), exchange.countOrders(accountId, unknown)],
      ];
    }),
  };
}

const ALL = 1_000_000;

/** The ids of all matches, page by page. */
function pagesOf(exchange: Exchange, accountId: string, filter: Pick<OrderFilter, "states">): string[] {
  const ids: string[] = [];
  for (let beforeId: string | undefined; ; beforeId = ids.at(-1)) {
    const { orders, more } = exchange.orders(accountId, { ...filter, beforeId, limit: 7 });
    ids.push(...orders.map(({ orderId }) => orderId));
    if (!more) return ids;
  }
}
