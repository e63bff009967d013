/**
 * What the exchange's facts are as events for partners (decisions §8). Entry points: `happeningsOf`, `bodyOf`.
 */
import type { WebhookEvent, WebhookEventOf, WebhookType } from "../../contract/index.ts";
import type { Exchange, ExchangeEvent, Millis, OrderChange, SettlementRecord } from "../model/index.ts";
import { decimalText } from "../wire/decimal-text.ts";
import { timeText } from "../wire/market-view.ts";
import { balanceView, orderView } from "../wire/order-view.ts";

/** An event without its id. */
export interface Happening {
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

/** Where markets and accounts are looked up, as they are right after the facts. */
export type Directory = Pick<Exchange, "market" | "account">;

/** In the order of the facts; most of them tell partners nothing. */
export function happeningsOf(facts: readonly ExchangeEvent[], directory: Directory): readonly Happening[] {
  return facts.flatMap((fact): readonly Happening[] => {
    switch (fact.kind) {
      case "order": {
        const { accountId, symbol } = fact.order;
        const quote = directory.market(symbol)?.quote;
        if (quote === undefined) return [];
        const krwAccountLinked = directory.account(accountId)?.krwAccountLinked === true;
        const order = orderView(fact.order, { quote, krwAccountLinked });
        return [{ accountId, type: ORDER_TYPES[fact.cause], data: { account_id: accountId, order } }];
      }
      case "settlement":
        return settlementOf(fact.settlement);
      case "balance": {
        const { accountId } = fact;
        const data = { account_id: accountId, balance: balanceView(fact) };
        return [{ accountId, type: "balance.changed", data }];
      }
      case "payment": {
        const { accountId, paymentId, state } = fact.payment;
        return [{ accountId, type: `payment.${state}`, data: { account_id: accountId, payment_id: paymentId, state } }];
      }
      case "remittance": {
        const { accountId, remittanceId, state } = fact.remittance;
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
        return fact satisfies never;
    }
  });
}

function settlementOf(settlement: SettlementRecord): readonly Happening[] {
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
export function bodyOf(id: string, { type, data }: Happening, at: Millis): string {
  return JSON.stringify({ type, id, created_at: timeText(at), data });
}
