/**
 * The Trading API (`/0/`) as a family. Entry point: `tradingFamily`.
 *
 * Invariant: every reply is HTTP 200 with `{ error: [...], result }`, also to an unknown operation; a failure has one entry in
 * `error`, the code alone, and an empty result. Source: service.md#trading-envelope.
 */
import { AUTH_HEADERS } from "../../../contract/index.ts";
import type { CallResult } from "../../access/admission.ts";
import { callFamily } from "../../access/call-family.ts";
import type { Family, Reply } from "../../http/family.ts";
import { jsonReply } from "../../http/reply.ts";
import type { Service } from "../../service/service.ts";
import { pairDirectory } from "./pair-directory.ts";
import { answerOperation } from "./trading-pipeline.ts";

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
