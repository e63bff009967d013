/**
 * The alias endpoints (`/api/v3/`) as a family. Entry point: `aliasFamily`.
 *
 * Invariant: every failure is `{ code, msg }` with the dialect's numbers; every reply to a known caller has what is left of the
 * caller's limits in the service's headers, and what is used of them in the dialect's.
 * Source: service.md#alias-endpoints, service.md#alias-errors; decision 0010.
 */
import { ALIAS_HEADERS, ALIAS_PREFIX } from "../../../contract/index.ts";
import type { CallResult } from "../../access/admission.ts";
import { callFamily } from "../../access/call-family.ts";
import type { Family, Reply } from "../../http/family.ts";
import { jsonReply } from "../../http/reply.ts";
import type { SecretCache, Service } from "../../service/service.ts";
import { type AliasFault, aliasFault } from "./alias-outcome.ts";
import { answerAliasCall } from "./alias-pipeline.ts";

export function aliasFamily(service: Service): Family {
  const secrets: SecretCache = new Map();
  return callFamily({
    service,
    prefix: ALIAS_PREFIX,
    keyHeader: ALIAS_HEADERS.key,
    answer: (head, body) => answerAliasCall(service, secrets, head, body),
    faultOf: aliasFault,
    replyOf: aliasReply,
  });
}

function aliasReply({ outcome, calls }: CallResult<AliasFault>): Reply {
  const retryAfterMs = outcome.ok ? undefined : outcome.retryAfterMs;
  const body = outcome.ok ? outcome.body : { code: outcome.number, msg: outcome.msg };
  const reply = jsonReply(outcome.status, body, { calls, retryAfterMs });
  if (calls !== undefined) {
    const used = String(calls.usedWeight);
    reply.headers.push(ALIAS_HEADERS.usedWeight, used, ALIAS_HEADERS.usedWeightMinute, used);
  }
  return reply;
}
