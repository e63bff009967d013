/**
 * Owns the Open API (`/v1/`) as a family: its head, its text and its headers.
 * Entry point: `openFamily`.
 *
 * Invariant: every reply states the version, and a failure has the error form.
 */

import { AUTH_HEADERS, OPEN_API_VERSION, VERSION_HEADER } from "../../contract/index.ts";
import type { CallResult } from "../access/admission.ts";
import { checkAddress } from "../access/authentication.ts";
import { type Family, headerOf, type Reply, type RequestHead } from "../http/family.ts";
import { errorBodyOf, type Outcome, unavailable } from "../http/outcome.ts";
import { jsonReply } from "../http/reply.ts";
import type { Service } from "../service/service.ts";
import { answerCall, type OpenHead } from "./open-pipeline.ts";

const KEY = AUTH_HEADERS.key.toLowerCase();
const NONCE = AUTH_HEADERS.nonce.toLowerCase();
const SIGN = AUTH_HEADERS.sign.toLowerCase();
const VERSION = VERSION_HEADER.toLowerCase();

export function openFamily(service: Service): Family {
  const replyOf = (result: CallResult): Reply => openReply(service, result);
  return {
    serves: (path) => path.startsWith("/v1/"),
    admit(head) {
      const refused = checkAddress(service, headerOf(head, KEY), head.address);
      return refused && replyOf({ outcome: refused });
    },
    answer(head, body) {
      const result = answerCall(service, openHead(head), body);
      const reply = replyOf(result);
      if (!result.outcome.ok || !result.outcome.changed) return { reply };
      return { reply, unsaved: () => replyOf({ ...result, outcome: unavailable(503) }) };
    },
    refuse: (outcome) => replyOf({ outcome }),
  };
}

function openHead(head: RequestHead): OpenHead {
  const { method, target, path, queryText } = head;
  return {
    method,
    target,
    path,
    queryText,
    keyId: headerOf(head, KEY),
    nonce: headerOf(head, NONCE),
    signature: headerOf(head, SIGN),
    version: headerOf(head, VERSION),
    contentType: headerOf(head, "content-type"),
  };
}

function openReply(service: Service, { outcome, calls }: CallResult): Reply {
  const limits = { calls, retryAfterMs: outcome.ok ? undefined : outcome.retryAfterMs };
  const reply = jsonReply(outcome.status, textOf(service, outcome), limits);
  reply.headers.push(VERSION_HEADER, OPEN_API_VERSION);
  return reply;
}

function textOf(service: Service, outcome: Outcome): string {
  return JSON.stringify(outcome.ok ? outcome.body : errorBodyOf(outcome, service.nextRequestId()));
}
