/**
 * Owns the alias endpoints (`/api/v3/`) as a family: which paths are theirs, the form of a failure, the headers.
 * Entry point: `aliasFamily`.
 *
 * Invariant: every failure is `{ code, msg }` in the dialect's numbers; every answer to a known caller tells what is left of the
 * limits in the service's headers and what is used of them in the dialect's.
 */
import { ALIAS_HEADERS, ALIAS_PREFIX } from "../../contract/index.ts";
import { checkAddress } from "../access/authentication.ts";
import { type Family, headerOf, type Reply } from "../http/family.ts";
import { jsonReply } from "../http/reply.ts";
import type { SecretCache, Service } from "../service/service.ts";
import { type AliasOutcome, fault, faultOfWire } from "./alias-outcome.ts";
import { type AliasResult, answerAliasCall } from "./alias-pipeline.ts";

const KEY = ALIAS_HEADERS.key.toLowerCase();

export function aliasFamily(service: Service): Family {
  const secrets: SecretCache = new Map();
  return {
    serves: (path) => path.startsWith(ALIAS_PREFIX),
    admit(head) {
      const refused = checkAddress(service, headerOf(head, KEY), head.address);
      return refused && aliasReply({ outcome: fault("EAPI:IP not allowed") });
    },
    answer(head, body) {
      const result = answerAliasCall(service, secrets, head, body);
      const reply = aliasReply(result);
      if (!result.outcome.ok || !result.outcome.changed) return { reply };
      return { reply, unsaved: () => aliasReply({ ...result, outcome: fault("EService:Unavailable") }) };
    },
    refuse: (wire) => aliasReply({ outcome: faultOfWire(wire) }),
  };
}

function aliasReply({ outcome, calls, usedWeight }: AliasResult): Reply {
  const limits = { calls, retryAfterMs: outcome.ok ? undefined : outcome.retryAfterMs };
  const reply = jsonReply(outcome.status, textOf(outcome), limits);
  if (usedWeight !== undefined) {
    const used = String(usedWeight);
    reply.headers.push(ALIAS_HEADERS.usedWeight, used, ALIAS_HEADERS.usedWeightMinute, used);
  }
  return reply;
}

function textOf(outcome: AliasOutcome): string {
  return JSON.stringify(outcome.ok ? outcome.body : { code: outcome.number, msg: outcome.msg });
}
