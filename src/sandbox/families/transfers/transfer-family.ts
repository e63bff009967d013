/**
 * Transfers (`/v0.1/`) as a family: the Payment API and the Remittance API, which are drafts. Entry point: `transferFamily`.
 *
 * Invariants: while they are off every request is refused, with how to switch them on; every answer, reads included, leaves after
 * what it says is on disk, as callers rely on it to find out what became of a request without an answer.
 * Source: service.md#transfers-off, service.md#transfers-durable, service.md#transfer-errors.
 */
import { AUTH_HEADERS, TRANSFER_PREFIX } from "../../../contract/index.ts";
import type { CallResult } from "../../access/admission.ts";
import { callFamily } from "../../access/call-family.ts";
import type { Family, Reply } from "../../http/family.ts";
import { errorBodyOf, type Fault, fault } from "../../http/outcome.ts";
import { jsonReply } from "../../http/reply.ts";
import type { Service } from "../../service/service.ts";
import { answerTransferCall } from "./transfer-pipeline.ts";

const OFF = fault(
  "EGeneral:Unknown method",
  "the Payment and Remittance APIs are drafts, and off here; switch them on with hoga sandbox --drafts, or drafts: true of startSandbox",
);

export function transferFamily(service: Service, isOn: boolean): Family {
  return callFamily({
    service,
    prefix: TRANSFER_PREFIX,
    keyHeader: AUTH_HEADERS.key,
    off: isOn ? undefined : OFF,
    answer: (head, body) => answerTransferCall(service, head, body),
    faultOf: (refused) => refused,
    replyOf: (result) => transferReply(service, result),
    waitsForDisk: () => true,
  });
}

function transferReply(service: Service, { outcome, calls }: CallResult): Reply {
  const retryAfterMs = outcome.ok ? undefined : outcome.retryAfterMs;
  const body = outcome.ok ? outcome.body : errorOf(outcome, service.nextRequestId());
  return jsonReply(outcome.status, body, { calls, retryAfterMs });
}

function errorOf(refused: Fault, requestId: string): object {
  const { error } = errorBodyOf(refused, requestId);
  return { error: refused.transferState === undefined ? error : { ...error, state: refused.transferState } };
}
