/** A reference exchange, as simple as possible: one list of orders, scanned for every match. It has limit and market orders by volume only. */
import { ONE, type PlaceCommand } from "../../../src/sandbox/model/index.ts";

export interface NaiveOrder {
  readonly command: PlaceCommand;
  left: bigint;
  state: string;
}

export class NaiveExchange {
  readonly orders: NaiveOrder[] = [];

  /** For commands the engine accepted. */
  place(command: PlaceCommand): void {
    const incoming: NaiveOrder = { command, left: command.volume ?? 0n, state: "open" };
    const before = this.orders.map(({ left, state }) => ({ left, state }));
    let meetsSelf = false;
    while (incoming.left > 0n) {
      const maker = this.#nextFor(command);
      meetsSelf = maker?.command.accountId === command.accountId;
      if (maker === undefined || meetsSelf) break;
      const part = maker.left < incoming.left ? maker.left : incoming.left;
      maker.left -= part;
      incoming.left -= part;
      if (maker.left === 0n) maker.state = "filled";
    }
    if (command.timeInForce === "FOK" && incoming.left > 0n) {
      this.orders.forEach((order, index) => void Object.assign(order, before[index]));
      incoming.left = command.volume ?? 0n;
    }
    if (incoming.left === 0n) incoming.state = "filled";
    else if (meetsSelf) incoming.state = "canceled";
    else if (command.timeInForce !== "GTC") incoming.state = "expired";
    this.orders.push(incoming);
  }

  cancel(orderId: string): void {
    const order = this.orders.find(({ command }) => command.orderId === orderId);
    if (order !== undefined) order.state = "canceled";
  }

  open(): NaiveOrder[] {
    return this.orders.filter(({ state }) => state === "open");
  }

  /** What the open orders of an account must have locked, at the higher of the fee rates. */
  locked(accountId: string, asset: string, rate: bigint): bigint {
    let sum = 0n;
    for (const { command, left } of this.open()) {
      if (command.accountId !== accountId) continue;
      const value = ((command.price ?? 0n) * left) / ONE;
      if (command.side === "sell" && command.symbol === `${asset}/KRW`) sum += left;
      if (command.side === "buy" && asset === "KRW") sum += value + (value * rate) / ONE;
    }
    return sum;
  }

  /** The order with the best price, of those the earliest: the list is in order of arrival. */
  #nextFor({ symbol, side, price }: PlaceCommand): NaiveOrder | undefined {
    let best: NaiveOrder | undefined;
    for (const order of this.open()) {
      const theirs = order.command.price ?? 0n;
      if (order.command.symbol !== symbol || order.command.side === side) continue;
      if (price !== null && (side === "buy" ? theirs > price : theirs < price)) continue;
      const bestPrice = best?.command.price ?? 0n;
      if (best === undefined || (side === "buy" ? theirs < bestPrice : theirs > bestPrice)) best = order;
    }
    return best;
  }
}
