/**
 * Owns the Trading API (`/0/`) as a family: its envelope and its headers. Entry point: `tradingFamily`.
 *
 * Invariant: every reply is HTTP 200 with `{ error: [...], result }`, also for what is no operation; a failure has one entry
 * in `error`, the code alone, and an empty result. Source: specification, "Trading API", rule 1; decisions §4.
 */

import { AUTH_HEADERS } from "../../contract/index.ts";
import type { CallResult } from "../access/admission.ts";
import { checkAddress } from "../access/authentication.ts";
import { type Family, headerOf, type Reply } from "../http/family.ts";
import { type Outcome, unavailable } from "../http/outcome.ts";
import { jsonReply } from "../http/reply.ts";
import type { Service } from "../service/service.ts";
import { pairDirectory } from "./pair-directory.ts";
import { answerOperation } from "./trading-pipeline.ts";

const KEY = AUTH_HEADERS.key.toLowerCase();

export function tradingFamily(service: Service): Family {
  const parts = { service, pairs: pairDirectory(service.exchange, service.markets) };
  return {
    serves: (path) => path.startsWith("/0/"),
    admit(head) {
      const refused = checkAddress(service, headerOf(head, KEY), head.address);
      return refused && replyOf({ outcome: refused });
    },
    answer(head, body) {
      const result = answerOperation(parts, head, body);
      const reply = replyOf(result);
      if (!result.outcome.ok || !result.outcome.changed) return { reply };
      return { reply, unsaved: () => replyOf({ ...result, outcome: unavailable(503) }) };
    },
    refuse: (outcome) => replyOf({ outcome }),
  };
}

function replyOf({ outcome, calls }: CallResult): Reply {
  return jsonReply(200, JSON.stringify(envelopeOf(outcome)), {
    calls,
    retryAfterMs: outcome.ok ? undefined : outcome.retryAfterMs,
  });
}

function envelopeOf(outcome: Outcome): object {
  return outcome.ok ? { error: [], result: outcome.body } : { error: [outcome.code], result: {} };
}
