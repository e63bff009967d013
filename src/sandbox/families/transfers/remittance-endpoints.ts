/**
 * The endpoints of the Remittance API.
 *
 * Invariant: a call that changes the exchange does so in one command, under the request's idempotency key.
 * Source: service.md#remittance-endpoints, service.md#idempotency-lookup.
 */
import type { RemittanceList } from "../../../contract/index.ts";
import { answer, changedAnswer, type Outcome, unavailable } from "../../http/outcome.ts";
import { countOf, placeOf } from "../../http/query-value.ts";
import type { Millis, RemittanceRecord, TransferCommand } from "../../model/index.ts";
import type { Service } from "../../service/service.ts";
import { cursorOf } from "../../wire/cursor.ts";
import { unitsOf } from "../../wire/decimal-text.ts";
import type { TransferCall, TransferHandlers } from "./transfer-call.ts";
import { transferFault, unknownTransfer } from "./transfer-refusal.ts";
import { quoteView, remittanceView } from "./transfer-view.ts";

type RemittanceHandlers = TransferHandlers<
  "quoteRemittance" | "remittanceQuote" | "createRemittance" | "remittance" | "remittances" | "cancelRemittance"
>;

export const REMITTANCE_HANDLERS: RemittanceHandlers = {
  quoteRemittance,
  remittanceQuote: ({ service, at, key, params }) => {
    const found = service.exchange.remittanceQuote(key.accountId, params.id);
    return found === undefined || at >= found.expiresAt ? unknownTransfer("quote") : answer(quoteView(found));
  },
  createRemittance,
  remittance: ({ service, key, params }) => {
    const found = service.exchange.remittance(key.accountId, params.id);
    return found === undefined ? unknownTransfer("remittance") : answer(remittanceView(found));
  },
  remittances,
  cancelRemittance: ({ service, at, key: { accountId }, params, idempotency }) =>
    apply(service, { type: "cancelRemittance", accountId, remittanceId: params.id, idempotency }, at, 200),
};

function quoteRemittance({ service, at, key, body, idempotency }: TransferCall<"quoteRemittance">): Outcome {
  const { amount, target_amount: targetAmount } = body;
  const applied = service.journaled.applyUnwritten(
    {
      type: "quoteRemittance",
      accountId: key.accountId,
      quoteId: service.nextOrderId(),
      sourceAsset: body.source_asset,
      targetCurrency: body.target_currency,
      amount: amount === undefined ? null : unitsOf(amount),
      targetAmount: targetAmount === undefined ? null : unitsOf(targetAmount),
      destinationCountry: body.destination_country,
      idempotency,
    },
    at,
  );
  if (!applied.ok) return transferFault(applied);
  return applied.kind === "remittanceQuote" ? changedAnswer(quoteView(applied.quote), 201) : unavailable(500);
}

function createRemittance({ service, at, key, body, idempotency }: TransferCall<"createRemittance">): Outcome {
  const { name, account, bank_code: bankCode, country } = body.beneficiary;
  return apply(
    service,
    {
      type: "createRemittance",
      accountId: key.accountId,
      remittanceId: service.nextOrderId(),
      quoteId: body.quote_id,
      beneficiary: { name, account, bankCode, country },
      originatorVaspId: body.originator_vasp_id,
      beneficiaryVaspId: body.beneficiary_vasp_id ?? null,
      purposeCode: body.purpose_code,
      idempotency,
    },
    at,
    201,
  );
}

function apply(service: Service, command: TransferCommand, at: Millis, status: 200 | 201): Outcome {
  const applied = service.journaled.applyUnwritten(command, at);
  if (!applied.ok) return transferFault(applied);
  return applied.kind === "remittance" ? changedAnswer(remittanceView(applied.remittance), status) : unavailable(500);
}

function remittances({ service, key, query }: TransferCall<"remittances">): Outcome {
  const { accountId } = key;
  const { exchange } = service;
  if (query.idempotency_key !== undefined) {
    const known = exchange.answerTo(accountId, query.idempotency_key);
    const id = known?.kind === "remittance" ? known.remittance.remittanceId : undefined;
    const found = id === undefined ? undefined : exchange.remittance(accountId, id);
    return listed(found === undefined ? [] : [found], false);
  }
  const place = placeOf("remittance", query.cursor);
  if (!place.ok) return place;
  const page = exchange.remittances(accountId, {
    state: query.state,
    beforeId: place.before,
    limit: countOf(query.limit, service.limits.pageSizeDefault),
  });
  return listed(page.remittances, page.more);
}

function listed(found: readonly RemittanceRecord[], more: boolean): Outcome {
  const list: RemittanceList = {
    draft: true,
    remittances: found.map(remittanceView),
    next_cursor: cursorOf("remittance", more ? found.at(-1)?.remittanceId : undefined),
  };
  return answer(list);
}
