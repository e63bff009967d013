/** An order that is to be changed, on a desk whose policy a test can change, and what the exchange saw of it. */
import { beforeEach } from "vitest";
import { type Order, ok } from "../../../src/contract/index.ts";
import type { OrderRequest, Policy, ReplaceRequest, WriteReport } from "../../../src/desk/index.ts";
import type { OrderRecord } from "../../../src/sandbox/model/index.ts";
import type { Seat, SeatOptions, World } from "../../fixture/desk-over-sandbox.ts";
import { ORDER_POST } from "../../fixture/fault-proxy.ts";
import { type ChangeablePolicy, changeablePolicy, LOOSE } from "../../fixture/policy.ts";
import { openWorldPerTest } from "../../fixture/world-per-test.ts";

export const BUY: OrderRequest = {
  symbol: "BTC/KRW",
  side: "buy",
  type: "limit",
  base_volume: "0.004",
  price: "50000000",
};
export const CANCEL = /^DELETE \/v1\/orders\/BTC/;

/** Of the test that runs: files that share this module run one after the other. */
export let world: World;
export let policy: ChangeablePolicy;
export let seat: Seat;

export function openDeskPerTest(options: Pick<SeatOptions, "patient"> = {}): void {
  openWorldPerTest({}, (opened) => {
    world = opened;
    policy = changeablePolicy();
  });
  beforeEach(async () => {
    seat = await world.seat({ policy, ...options });
  });
}

export const set = (change: Partial<Policy>): void => {
  policy.value = ok({ ...LOOSE, ...change });
};
export async function placed(request: Partial<OrderRequest> = {}): Promise<Order> {
  const { order, error } = await seat.desk.place({ ...BUY, ...request });
  if (order === undefined) throw new Error(JSON.stringify(error));
  return order;
}
export const replace = (request: ReplaceRequest, desk = seat.desk): Promise<WriteReport> => desk.replace(request);
export const atVenue = (orderId: string): OrderRecord | undefined =>
  world.orders().find((each) => each.orderId === orderId);
export const open = (): readonly OrderRecord[] => world.orders().filter(({ state }) => state === "open");
export const sent = (): number => world.proxy.deliveries(ORDER_POST);
export const cancels = (): number => world.proxy.deliveries(CANCEL);
/** What a market holds of an order executes, at its own price. */
export const fill = (volume: string, price = "50000000"): OrderRecord => world.rest("sell", price, volume);
