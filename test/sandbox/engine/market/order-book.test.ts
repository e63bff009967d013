import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InvariantError } from "../../../../src/sandbox/engine/core/invariant.ts";
import { Book } from "../../../../src/sandbox/engine/market/order-book.ts";
import { type LiveOrder, Orders } from "../../../../src/sandbox/engine/memory/index.ts";
import { orderRecord } from "../exchange-kit.ts";

type Side = LiveOrder["side"];

/** What a book reads of an order. */
type Resting = Pick<LiveOrder, "orderId" | "side" | "price" | "remaining">;

function resting(orderId: string, side: Side, price: bigint, remaining = 1n): Resting {
  return { orderId, side, price, remaining };
}

/** Adds an order to a memory of orders; it rests nowhere yet. */
function added(orders: Orders, { orderId, side, price, remaining }: Resting): LiveOrder {
  return orders.add(orderRecord({ orderId, side, price, volume: remaining }), { number: 0, house: false }, 0);
}

/** A book in which these orders rest. */
function bookOf(...resting: readonly Resting[]) {
  const orders = new Orders();
  const rows = resting.map((order) => added(orders, order));
  return { orders, rows, book: new Book(orders, rows) };
}

/** In the order in which they would be filled. */
function walk(book: Book | ListBook, side: Side): Resting[] {
  return book instanceof ListBook ? book.walk(side) : walkRows(book, side);
}

function walkRows(book: Book, side: Side): LiveOrder[] {
  const orders: LiveOrder[] = [];
  for (let order = book.first(side); order !== undefined; order = book.next(order)) orders.push(order);
  return orders;
}

const idsOf = (book: Book, side: Side) => walk(book, side).map(({ orderId }) => orderId);

/** A reference book: one list in order of arrival, which sorts and sums on every query. */
class ListBook {
  orders: { readonly orderId: string; readonly side: Side; readonly price: bigint; remaining: bigint }[] = [];

  /** Best price first; the sort is stable, so the older of two at one price stays first. */
  walk(side: Side): Resting[] {
    const better = (a: Resting, b: Resting) => (side === "buy" ? b.price - a.price : a.price - b.price);
    return this.orders.filter((order) => order.side === side).sort((a, b) => Number(better(a, b))); // not money: a sign
  }

  depth(side: Side, levels: number): (readonly [bigint, bigint])[] {
    const sums = new Map<bigint, bigint>();
    for (const { price, remaining } of this.walk(side)) sums.set(price, (sums.get(price) ?? 0n) + remaining);
    return [...sums].slice(0, levels);
  }

  best(side: Side): bigint | undefined {
    return this.walk(side)[0]?.price;
  }
}

type Change =
  | { readonly kind: "add"; readonly side: Side; readonly price: bigint; readonly volume: bigint }
  | { readonly kind: "reduce"; readonly pick: number; readonly by: bigint }
  | { readonly kind: "remove"; readonly pick: number };

/** The last three are one float. */
const PRICES = [1n, 2n, 3n, 4n, 2n ** 60n, 2n ** 60n + 1n, 2n ** 60n + 2n];
const pick = fc.nat({ max: 50 });
const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("add" as const),
      side: fc.constantFrom<Side>("buy", "sell"),
      price: fc.constantFrom(...PRICES),
      volume: fc.bigInt(1n, 5n),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("reduce" as const), pick, by: fc.bigInt(1n, 5n) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("remove" as const), pick }) },
);

/** Makes the change in both books; a change that picks an order does nothing while there is none. */
function make({ orders, book }: ReturnType<typeof bookOf>, list: ListBook, each: Change, index: number): void {
  if (each.kind === "add") {
    const order = resting(`o-${index}`, each.side, each.price, each.volume);
    book.add(added(orders, order));
    list.orders.push({ ...order });
    return;
  }
  const known = list.orders[each.pick % (list.orders.length || 1)];
  const rests = [...walkRows(book, "buy"), ...walkRows(book, "sell")].find(({ orderId }) => orderId === known?.orderId);
  if (known === undefined || rests === undefined) return;
  const by = each.kind === "remove" || each.by > known.remaining ? known.remaining : each.by;
  if (each.kind === "remove") book.remove(rests);
  else book.reduce(rests, by);
  known.remaining -= by;
  list.orders = list.orders.filter(({ remaining }) => remaining > 0n);
}

/** The results of all queries of a book. */
function shown(book: Book | ListBook): unknown {
  return (["buy", "sell"] as const).map((side) => ({
    orders: walk(book, side).map(({ orderId, price, remaining }) => [orderId, price, remaining]),
    best: book.best(side),
    depths: [0, 1, 3, 100].map((levels) => book.depth(side, levels)),
  }));
}

describe("a book", () => {
  it("equals a plain list of the same orders after any changes", () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
        const tested = bookOf();
        const list = new ListBook();
        changes.forEach((each, index) => {
          make(tested, list, each, index);
          expect(shown(tested.book)).toEqual(shown(list));
        });
        // A book created from the resting orders is equal too.
        expect(shown(bookOf(...list.orders).book)).toEqual(shown(list));
      }),
    );
  });

  it("keeps a thousand prices in order, in whatever order they come and go", () => {
    const shuffled = Array.from({ length: 1_000 }, (_, at) => BigInt(((at * 377) % 1_000) + 1));
    const { book, rows } = bookOf(
      ...shuffled.flatMap((price) => [resting(`b-${price}`, "buy", price), resting(`s-${price}`, "sell", price)]),
    );
    const sorted = shuffled.toSorted((a, b) => (a < b ? -1 : 1));
    const prices = (side: Side) => book.depth(side, 2_000).map(([price]) => price);
    expect([prices("buy"), prices("sell")]).toEqual([sorted.toReversed(), sorted]);
    for (const order of rows) if (order.price % 3n !== 0n) book.remove(order);
    const left = sorted.filter((price) => price % 3n === 0n);
    expect([prices("buy"), prices("sell")]).toEqual([left.toReversed(), left]);
  });

  it("gives the best price first, and at one price the oldest order, on both sides", () => {
    const { book } = bookOf(
      resting("a", "buy", 10n),
      resting("b", "buy", 12n),
      resting("c", "buy", 12n),
      resting("d", "sell", 15n),
      resting("e", "sell", 14n),
      resting("f", "sell", 14n),
    );
    expect([book.best("buy"), book.best("sell")]).toEqual([12n, 14n]);
    expect([idsOf(book, "buy"), idsOf(book, "sell")]).toEqual([
      ["b", "c", "a"],
      ["e", "f", "d"],
    ]);
    expect([book.depth("buy", 1), book.depth("sell", 9)]).toEqual([
      [[12n, 2n]],
      [
        [14n, 2n],
        [15n, 1n],
      ],
    ]);
  });

  it("keeps an order's place when it is partly filled, and removes it when it is filled", () => {
    const { book, rows } = bookOf(resting("a", "sell", 10n, 3n), resting("b", "sell", 10n, 2n));
    const [first, second] = rows as [LiveOrder, LiveOrder];
    book.reduce(first, 2n);
    expect(first.remaining).toBe(1n);
    expect([idsOf(book, "sell"), book.depth("sell", 9)]).toEqual([["a", "b"], [[10n, 3n]]]);
    book.reduce(first, 1n);
    expect([idsOf(book, "sell"), book.depth("sell", 9)]).toEqual([["b"], [[10n, 2n]]]);
    book.remove(second);
    expect([idsOf(book, "sell"), book.depth("sell", 9), book.best("sell")]).toEqual([[], [], undefined]);
  });
});

describe("a book refuses", () => {
  const broken = (message: string) => expect.objectContaining({ name: InvariantError.name, message });
  type Change = (book: Book, one: LiveOrder, other: (order: Resting) => LiveOrder) => void;
  const refusals: readonly [string, Change, string][] = [
    [
      "an order with nothing left",
      (book, _, other) => book.add(other(resting("b", "buy", 10n, 0n))),
      "order b has nothing to rest",
    ],
    ["an order that rests already", (book, one) => book.add(one), "order a rests twice"],
    ["to take nothing", (book, one) => book.reduce(one, 0n), "order a has not 0 left"],
    ["to take more than is left", (book, one) => book.reduce(one, 3n), "order a has not 3 left"],
    [
      "to take from a stranger",
      (book, _, other) => book.reduce(other(resting("b", "buy", 10n)), 1n),
      "order b does not rest",
    ],
    [
      "to remove a stranger",
      (book, _, other) => book.remove(other(resting("b", "sell", 10n))),
      "order b does not rest",
    ],
    [
      "another order of the same name",
      (book) => book.remove(added(new Orders(), resting("a", "buy", 10n, 2n))),
      "order a does not rest",
    ],
  ];

  it.each(refusals)("%s, and is unchanged", (_, change, message) => {
    const { book, rows, orders } = bookOf(resting("a", "buy", 10n, 2n));
    const [one] = rows as [LiveOrder];
    expect(() => change(book, one, (order) => added(orders, order))).toThrow(broken(message));
    expect([book.depth("buy", 9), book.depth("sell", 9), idsOf(book, "buy")]).toEqual([[[10n, 2n]], [], ["a"]]);
  });

  it("a removal of a level whose volume does not add up", () => {
    const { book, rows } = bookOf(resting("a", "buy", 10n, 2n));
    const [order] = rows as [LiveOrder];
    // Something other than the book has changed the order.
    order.remaining = 1n;
    expect(() => book.remove(order)).toThrow(broken("level 10 is empty but has volume"));
  });
});
