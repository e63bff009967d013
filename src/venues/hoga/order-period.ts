/**
 * Lists orders of a period, also at a venue that refuses one on its list of orders: there the list is read without it, newest first,
 * down to the beginning of the period. Entry point: `OrderListing`.
 *
 * Invariant: an answer has orders of the period only, and its cursor leads to the rest of them.
 * Source: service.md#period-refused.
 */
import { type Fault, type Order, type OrderPage, type OrdersRequest, ok, type Result } from "../../contract/index.ts";

type Read = (request: OrdersRequest) => Promise<Result<OrderPage>>;

export class OrderListing {
  /** Until the venue says otherwise. */
  #takesPeriod = true;

  /** @param read one page of the venue's list */
  async page(request: OrdersRequest, read: Read): Promise<Result<OrderPage>> {
    const { fromMs = 0, toMs = Number.POSITIVE_INFINITY } = request;
    const hasPeriod = request.fromMs !== undefined || request.toMs !== undefined;
    if (this.#takesPeriod || !hasPeriod) {
      const page = await read(request);
      if (page.ok || !hasPeriod || fromMs > toMs || !refusesPeriod(page.fault)) return page;
      this.#takesPeriod = false;
    }
    return withoutPeriod(request, read);
  }
}

function refusesPeriod({ code, field }: Fault): boolean {
  return code === "EGeneral:Invalid arguments" && (field === undefined || field === "from" || field === "to");
}

async function withoutPeriod(request: OrdersRequest, read: Read): Promise<Result<OrderPage>> {
  const { fromMs = 0, toMs = Number.POSITIVE_INFINITY, ...rest } = request;
  const timeOf = ({ created_at: at }: Order): number => Date.parse(at);
  for (let position = rest; ; ) {
    const page = await read(position);
    if (!page.ok) return page;
    const { orders, next_cursor: cursor } = page.value;
    const found = orders.filter((order) => timeOf(order) >= fromMs && timeOf(order) <= toMs);
    if (cursor === null || orders.some((order) => timeOf(order) < fromMs))
      return ok({ orders: found, next_cursor: null });
    // Pages newer than the period have none of it.
    if (found.length > 0) return ok({ orders: found, next_cursor: cursor });
    position = { ...rest, cursor };
  }
}
