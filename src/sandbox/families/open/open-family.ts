/**
 * The Open API (`/v1/`) as a family. Entry point: `openFamily`.
 *
 * Invariants: every reply states the version; a failure has the form of the error body.
 * Source: service.md#open-api, service.md#version-header, service.md#error-body.
 */
import { AUTH_HEADERS, OPEN_API_VERSION, VERSION_HEADER } from "../../../contract/index.ts";
import type { CallResult } from "../../access/admission.ts";
import { callFamily } from "../../access/call-family.ts";
import type { Family, Reply } from "../../http/family.ts";
import { errorBodyOf } from "../../http/outcome.ts";
import { jsonReply } from "../../http/reply.ts";
import type { Service } from "../../service/service.ts";
import { answerOpenCall } from "./open-pipeline.ts";

export function openFamily(service: Service): Family {
  return callFamily({
    service,
    prefix: "/v1/",
    keyHeader: AUTH_HEADERS.key,
    answer: (head, body) => answerOpenCall(service, head, body),
    faultOf: (refused) => refused,
    replyOf: (result) => openReply(service, result),
  });
}

function openReply(service: Service, { outcome, calls }: CallResult): Reply {
  const retryAfterMs = outcome.ok ? undefined : outcome.retryAfterMs;
  const body = outcome.ok ? outcome.body : errorBodyOf(outcome, service.nextRequestId());
  const reply = jsonReply(outcome.status, body, { calls, retryAfterMs });
  reply.headers.push(VERSION_HEADER, OPEN_API_VERSION);
  return reply;
}
