/**
 * Owns how the exchange's events become webhook events. Entry points: `eventContentsOf`, `bodyOf`.
 *
 * Source: service.md#webhook-types, service.md#webhook-body.
 */
import type { WebhookEvent, WebhookEventOf, WebhookType } from "../../contract/index.ts";
import type { Exchange, ExchangeEvent, Millis, OrderChange, SettlementRecord } from "../model/index.ts";
import { decimalText } from "../wire/decimal-text.ts";
import { timeText } from "../wire/market-view.ts";
import { balanceView, orderView, type Settling } from "../wire/order-view.ts";

/** A webhook event without its id and time. */
export interface EventContent {
  readonly accountId: string;
  readonly type: WebhookType;
  readonly data: WebhookEvent["data"];
}

const ORDER_TYPES = {
  created: "order.created",
  executed: "order.partially_filled",
  filled: "order.filled",
  canceled: "order.canceled",
  expired: "order.expired",
} as const satisfies Record<OrderChange, WebhookType>;

/** The exchange right after the events: for their markets and accounts. */
export type Directory = Pick<Exchange, "market" | "account"> & Settling;

/** In the order of the events; most of them are not for partners. */
export function eventContentsOf(events: readonly ExchangeEvent[], directory: Directory): readonly EventContent[] {
  return events.flatMap((event): readonly EventContent[] => {
    switch (event.kind) {
      case "order": {
        const { accountId, symbol } = event.order;
        const quote = directory.market(symbol)?.quote;
        if (quote === undefined) return [];
        const krwAccountLinked = directory.account(accountId)?.krwAccountLinked === true;
        const order = orderView(event.order, { quote, krwAccountLinked, exchange: directory });
        return [{ accountId, type: ORDER_TYPES[event.cause], data: { account_id: accountId, order } }];
      }
      case "settlement":
        return settlementOf(event.settlement);
      case "balance": {
        const { accountId } = event;
        const data = { account_id: accountId, balance: balanceView(event) };
        return [{ accountId, type: "balance.changed", data }];
      }
      case "payment": {
        const { accountId, paymentId, state } = event.payment;
        return [{ accountId, type: `payment.${state}`, data: { account_id: accountId, payment_id: paymentId, state } }];
      }
      case "remittance": {
        const { accountId, remittanceId, state } = event.remittance;
        const data = { account_id: accountId, remittance_id: remittanceId, state };
        return [{ accountId, type: `remittance.${state}`, data }];
      }
      case "book":
      case "trade":
      case "fill":
      case "market":
      case "key":
        return [];
      default:
        return event satisfies never;
    }
  });
}

function settlementOf(settlement: SettlementRecord): readonly EventContent[] {
  const { accountId, orderId, tradeSeq, symbol, mode, asset, amount, state, dueAt, endedAt } = settlement;
  if (state === "pending" || endedAt === null) return [];
  const data: WebhookEventOf<"settlement.settled">["data"] = {
    account_id: accountId,
    settlement: {
      orderId,
      trade_id: String(tradeSeq),
      ...{ symbol, mode, asset, amount: decimalText(amount), state },
      due_at: timeText(dueAt),
      ended_at: timeText(endedAt),
    },
  };
  return [{ accountId, type: `settlement.${state}`, data }];
}

/** The text that is sent. */
export function bodyOf(id: string, { type, data }: EventContent, at: Millis): string {
  return JSON.stringify({ type, id, created_at: timeText(at), data });
}
