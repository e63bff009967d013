/**
 * Owns the endpoints of the Remittance API, a draft (decisions §9).
 *
 * Invariant: whatever changes the exchange goes through one `apply`, under the request's idempotency key.
 */
import type { RemittanceList } from "../../contract/index.ts";
import { answer, badArgument, changedAnswer, type Outcome, unavailable } from "../http/outcome.ts";
import { countOf } from "../http/query-value.ts";
import type { Millis, RemittanceRecord, TransferCommand } from "../model/index.ts";
import type { Service } from "../service/service.ts";
import { cursorOf, cursorTarget } from "../wire/cursor.ts";
import { unitsOf } from "../wire/decimal-text.ts";
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
  cancelRemittance: ({ service, at, key, params, idempotency }) => {
    const named = { accountId: key.accountId, remittanceId: params.id, idempotency };
    return apply(service, { type: "cancelRemittance", ...named }, at, 200);
  },
};

function quoteRemittance({ service, at, key, body, idempotency }: TransferCall<"quoteRemittance">): Outcome {
  const { amount, target_amount: targetAmount } = body;
  const applied = service.journaled.apply(
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
  const applied = service.journaled.apply(command, at);
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
  const beforeId = query.cursor === undefined ? undefined : cursorTarget("remittance", query.cursor);
  if (query.cursor !== undefined && beforeId === undefined)
    return badArgument("cursor", "send next_cursor back unchanged");
  const page = exchange.remittances(accountId, {
    limit: countOf(query.limit, service.limits.pageSizeDefault),
    ...(query.state === undefined ? {} : { state: query.state }),
    ...(beforeId === undefined ? {} : { beforeId }),
  });
  return listed(page.remittances, page.more);
}

function listed(found: readonly RemittanceRecord[], more: boolean): Outcome {
  const last = more ? found.at(-1) : undefined;
  const list: RemittanceList = {
    draft: true,
    remittances: found.map(remittanceView),
    next_cursor: last === undefined ? null : cursorOf("remittance", last.remittanceId),
  };
  return answer(list);
}
