/**
 * What a family remembers of orders besides the exchange: terms that the exchange has no word for, orders that are hidden or late on purpose. It
 * is in memory, and a restart forgets it. Entry point: `OrderMemory`.
 */
import type { Millis, OrderRecord, PlaceCommand } from "../model/index.ts";

interface Hidden {
  readonly until: Millis;
  readonly inListsOnly: boolean;
}

interface LateOrder {
  readonly command: PlaceCommand;
  order: OrderRecord;
  timer: NodeJS.Timeout | undefined;
}

type Apply = (command: PlaceCommand) => { readonly ok: boolean };

/** @typeParam Note the terms of an order */
export class OrderMemory<Note extends object> {
  readonly #notes = new Map<string, Partial<Note>>();
  readonly #hidden = new Map<string, Hidden>();
  readonly #late = new Map<string, LateOrder>();

  note(orderId: string, note: Partial<Note>): void {
    if (Object.keys(note).length === 0) return;
    this.#notes.set(orderId, { ...this.#notes.get(orderId), ...note });
  }

  noteOf(orderId: string): Partial<Note> {
    return this.#notes.get(orderId) ?? {};
  }

  hide(orderId: string, until: Millis, { inListsOnly }: { readonly inListsOnly: boolean }): void {
    this.#hidden.set(orderId, { until, inListsOnly });
  }

  isHidden(orderId: string, at: Millis, inList: boolean): boolean {
    const hidden = this.#hidden.get(orderId);
    return hidden !== undefined && hidden.until > at && (inList || !hidden.inListsOnly);
  }

  /** Holds an order back from the exchange; until then it is shown as open. */
  postpone(command: PlaceCommand, at: Millis, ms: Millis, apply: Apply): OrderRecord {
    const order = acceptedOrder(command, at);
    const late: LateOrder = { command, order, timer: undefined };
    this.#late.set(command.orderId, late);
    late.timer = setTimeout(() => {
      if (apply(command).ok) this.#late.delete(command.orderId);
      else late.order = { ...late.order, state: "canceled" };
    }, ms);
    late.timer.unref();
    return order;
  }

  lateOrders(accountId: string): readonly OrderRecord[] {
    return [...this.#late.values()].map(({ order }) => order).filter((order) => order.accountId === accountId);
  }

  /** Cancels an order that is not at the exchange yet. @returns false when it is none of those */
  cancelLate(orderId: string): boolean {
    const late = this.#late.get(orderId);
    if (late === undefined || late.order.state !== "open") return false;
    clearTimeout(late.timer);
    late.order = { ...late.order, state: "canceled" };
    return true;
  }

  close(): void {
    for (const { timer } of this.#late.values()) clearTimeout(timer);
  }
}

/** The order as it is the moment it is taken. */
export function acceptedOrder(command: PlaceCommand, at: Millis): OrderRecord {
  const { orderId, accountId, keyId, symbol, side, orderType, price, volume, amount } = command;
  const { timeInForce, postOnly, userref, settlementMode } = command;
  return {
    ...{ orderId, accountId, keyId, symbol, side, orderType, price, volume, amount },
    ...{ timeInForce, postOnly, userref, settlementMode },
    ...{ createdAt: at, updatedAt: at, executedVolume: 0n, executedValue: 0n, fee: 0n },
    ...{ state: "open", reason: null },
  };
}
