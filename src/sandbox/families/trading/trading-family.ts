/**
 * The Trading API (`/0/`) as a family: address → admission → fields → handler. Entry point: `tradingFamily`.
 *
 * Invariant: every reply is HTTP 200 with `{ error: [...], result }`, also to an unknown operation; a failure has one entry in
 * `error`, the code alone, and an empty result. Source: service.md#check-order, service.md#trading-requests,
 * service.md#trading-envelope.
 */
import {
  AUTH_HEADERS,
  type Permission,
  TRADING_OPERATION_IDS,
  TRADING_OPERATIONS,
  type TradingOperation,
  type TradingOperationId,
  tradingPath,
} from "../../../contract/index.ts";
import { admitPublic, admitSigned, type CallResult } from "../../access/admission.ts";
import { callFamily } from "../../access/call-family.ts";
import { type Family, headerOf, type Reply, type RequestHead } from "../../http/family.ts";
import { badArgument, type Fault, fault, type Outcome } from "../../http/outcome.ts";
import { type Query, readQuery } from "../../http/query-string.ts";
import { jsonReply } from "../../http/reply.ts";
import type { KeyRecord } from "../../model/index.ts";
import type { Service } from "../../service/service.ts";
import { ACCOUNT_OPERATIONS } from "./account-operations.ts";
import { HISTORY_OPERATIONS } from "./history-operations.ts";
import { MARKET_OPERATIONS } from "./market-operations.ts";
import { ORDER_OPERATIONS } from "./order-operations.ts";
import { type PairDirectory, pairDirectory } from "./pair-directory.ts";
import { checkRequest, type Fields, nonceIn, readForm } from "./request-form.ts";
import type { OperationCall, OperationHandler, OperationHandlers } from "./trading-call.ts";

export function tradingFamily(service: Service): Family {
  const parts = { service, pairs: pairDirectory(service.exchange, service.markets) };
  return callFamily({
    service,
    prefix: "/0/",
    keyHeader: AUTH_HEADERS.key,
    answer: (head, body) => answerOperation(parts, head, body),
    faultOf: (refused) => refused,
    replyOf: tradingReply,
  });
}

function tradingReply({ outcome, calls }: CallResult): Reply {
  const retryAfterMs = outcome.ok ? undefined : outcome.retryAfterMs;
  const envelope = outcome.ok ? { error: [], result: outcome.body } : { error: [outcome.code], result: {} };
  return jsonReply(200, envelope, { calls, retryAfterMs });
}

interface TradingParts {
  readonly service: Service;
  readonly pairs: PairDirectory;
}

const HANDLERS: OperationHandlers<TradingOperationId> = {
  ...MARKET_OPERATIONS,
  ...ORDER_OPERATIONS,
  ...HISTORY_OPERATIONS,
  ...ACCOUNT_OPERATIONS,
};

const KEY = AUTH_HEADERS.key.toLowerCase();
const SIGN = AUTH_HEADERS.sign.toLowerCase();
const BY_PATH = new Map(TRADING_OPERATION_IDS.map((id) => [tradingPath(id), id]));

function answerOperation(parts: TradingParts, head: RequestHead, body: Buffer): CallResult {
  const id = BY_PATH.get(head.path);
  if (id === undefined) return { outcome: unknownMethod() };
  const operation: TradingOperation = TRADING_OPERATIONS[id];
  if (operation.auth === "none") {
    const caller = { address: head.address, weight: operation.weight };
    return admitPublic(
      parts.service,
      caller,
      () => answerPublic(parts, id, head, body),
      (refused) => refused,
    );
  }
  return head.method === "POST"
    ? answerPrivate(parts, { id, operation, permission: operation.auth }, head, body)
    : { outcome: unknownMethod() };
}

/** Clients of the dialect send `nonce` with public calls too; nothing is signed there, so it is left out unread. */
function answerPublic(parts: TradingParts, id: TradingOperationId, head: RequestHead, body: Buffer): Outcome {
  const fields = publicFields(head, body);
  if (!fields.ok) return fields;
  const { nonce: _nonce, ...request } = fields.query;
  return perform(parts, id, request, undefined);
}

/** A GET has its fields in the query; a POST, which some clients use for every operation, in its form. */
function publicFields(head: RequestHead, body: Buffer): Fields {
  if (head.method === "GET")
    return body.length === 0 ? readQuery(head.queryText) : badArgument("body", "a GET takes no body");
  return head.method === "POST" ? postedFields(head, body) : unknownMethod();
}

function postedFields(head: RequestHead, body: Buffer): Fields {
  if (head.queryText !== "") return badArgument("query", "a POST has its fields in the form");
  return readForm(headerOf(head, "content-type"), body);
}

interface PrivateOperation {
  readonly id: TradingOperationId;
  readonly operation: TradingOperation;
  readonly permission: Permission;
}

function answerPrivate(
  parts: TradingParts,
  { id, operation, permission }: PrivateOperation,
  head: RequestHead,
  body: Buffer,
): CallResult {
  const { service } = parts;
  const signed = {
    keyId: headerOf(head, KEY),
    nonce: nonceIn(body),
    signature: headerOf(head, SIGN),
    prefix: head.path,
    body,
  };
  return admitSigned(service, signed, { permission, weight: operation.weight }, (key) => {
    const fields = postedFields(head, body);
    if (!fields.ok) return fields;
    const { nonce: _nonce, ...request } = fields.query;
    return perform(parts, id, request, key);
  });
}

function perform(
  { service, pairs }: TradingParts,
  id: TradingOperationId,
  fields: Query,
  key: KeyRecord | undefined,
): Outcome {
  const checked = checkRequest(TRADING_OPERATIONS[id].request, fields);
  if (!checked.ok) return checked;
  // The table pairs each handler with the schema that was just applied; the compiler cannot follow that through `id`.
  const handle = HANDLERS[id] as OperationHandler<TradingOperationId>;
  return handle({
    service,
    pairs,
    at: service.now(),
    key,
    request: checked.request,
  } as OperationCall<TradingOperationId>);
}

function unknownMethod(): Fault {
  return fault("EGeneral:Unknown method", "there is no such operation");
}
