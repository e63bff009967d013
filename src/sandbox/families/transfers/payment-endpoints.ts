/**
 * The endpoints of the Payment API.
 *
 * Invariant: a call that changes the exchange does so in one command, under the request's idempotency key.
 * Source: service.md#payment-endpoints, service.md#idempotency-lookup.
 */
import type { PaymentList } from "../../../contract/index.ts";
import { answer, changedAnswer, type Outcome, unavailable } from "../../http/outcome.ts";
import { countOf, placeOf } from "../../http/query-value.ts";
import type { Millis, PaymentRecord, TransferCommand } from "../../model/index.ts";
import type { Service } from "../../service/service.ts";
import { cursorOf } from "../../wire/cursor.ts";
import { unitsOf } from "../../wire/decimal-text.ts";
import type { TransferCall, TransferHandlers } from "./transfer-call.ts";
import { transferFault, unknownTransfer } from "./transfer-refusal.ts";
import { paymentView } from "./transfer-view.ts";

type PaymentHandlers = TransferHandlers<
  "quotePayment" | "confirmPayment" | "cancelPayment" | "refundPayment" | "payment" | "payments"
>;

export const PAYMENT_HANDLERS: PaymentHandlers = {
  quotePayment: ({ service, at, key, body, idempotency }) =>
    apply(
      service,
      {
        type: "quotePayment",
        accountId: key.accountId,
        paymentId: service.nextOrderId(),
        amount: unitsOf(body.amount),
        payAsset: body.pay_asset,
        orderRef: body.order_ref,
        description: body.description ?? null,
        expiresInMs: body.expires_in_s === undefined ? null : body.expires_in_s * 1000,
        idempotency,
      },
      at,
      201,
    ),
  confirmPayment: (call) => step("confirmPayment", call),
  cancelPayment: (call) => step("cancelPayment", call),
  refundPayment: ({ service, at, key: { accountId }, params, body, idempotency }) => {
    const amount = body.amount === undefined ? null : unitsOf(body.amount);
    return apply(service, { type: "refundPayment", accountId, paymentId: params.id, idempotency, amount }, at);
  },
  payment: ({ service, key, params }) => {
    const found = service.exchange.payment(key.accountId, params.id);
    return found === undefined ? unknownTransfer("payment") : answer(paymentView(found));
  },
  payments,
};

function step(
  type: "confirmPayment" | "cancelPayment",
  { service, at, key, params, idempotency }: TransferCall<"confirmPayment"> | TransferCall<"cancelPayment">,
): Outcome {
  return apply(service, { type, accountId: key.accountId, paymentId: params.id, idempotency }, at);
}

function apply(service: Service, command: TransferCommand, at: Millis, status: 200 | 201 = 200): Outcome {
  const applied = service.journaled.applyUnwritten(command, at);
  if (!applied.ok) return transferFault(applied);
  return applied.kind === "payment" ? changedAnswer(paymentView(applied.payment), status) : unavailable(500);
}

function payments({ service, key, query }: TransferCall<"payments">): Outcome {
  const { accountId } = key;
  if (query.idempotency_key !== undefined) {
    const known = service.exchange.answerTo(accountId, query.idempotency_key);
    const found = known?.kind === "payment" ? service.exchange.payment(accountId, known.payment.paymentId) : undefined;
    return listed(found === undefined ? [] : [found], false);
  }
  const place = placeOf("payment", query.cursor);
  if (!place.ok) return place;
  const page = service.exchange.payments(accountId, {
    state: query.state,
    orderRef: query.order_ref,
    beforeId: place.before,
    limit: countOf(query.limit, service.limits.pageSizeDefault),
  });
  return listed(page.payments, page.more);
}

function listed(found: readonly PaymentRecord[], more: boolean): Outcome {
  const list: PaymentList = {
    draft: true,
    payments: found.map(paymentView),
    next_cursor: cursorOf("payment", more ? found.at(-1)?.paymentId : undefined),
  };
  return answer(list);
}
