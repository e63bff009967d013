/**
 * Owns the drafts (`/v0.1/`) as a family: the Payment API and the Remittance API. Entry point: `draftsFamily`.
 *
 * Invariants: unless they are switched on nothing is there, and the answer says how to switch them on; what an answer says is on
 * disk before it leaves, as whoever looks up a request without an answer believes it.
 */

import { AUTH_HEADERS, TRANSFER_PREFIX } from "../../contract/index.ts";
import type { CallResult } from "../access/admission.ts";
import { checkAddress } from "../access/authentication.ts";
import { type Family, headerOf, type Reply } from "../http/family.ts";
import { errorBodyOf, type Fault, fault, unavailable } from "../http/outcome.ts";
import { jsonReply } from "../http/reply.ts";
import type { Service } from "../service/service.ts";
import { answerTransferCall } from "./transfer-pipeline.ts";

const KEY = AUTH_HEADERS.key.toLowerCase();

const OFF = fault(
  "EGeneral:Unknown method",
  "the Payment and Remittance APIs are drafts, and off here; switch them on with hoga sandbox --drafts, or drafts: true of startSandbox",
);

export function transferFamily(service: Service, isOn: boolean): Family {
  const replyOf = (result: CallResult): Reply => transferReply(service, result);
  return {
    serves: (path) => path.startsWith(TRANSFER_PREFIX),
    admit(head) {
      const refused = checkAddress(service, headerOf(head, KEY), head.address) ?? (isOn ? undefined : OFF);
      return refused && replyOf({ outcome: refused });
    },
    answer(head, body) {
      const result = answerTransferCall(service, head, body);
      const reply = replyOf(result);
      return result.outcome.ok
        ? { reply, unsaved: () => replyOf({ ...result, outcome: unavailable(503) }) }
        : { reply };
    },
    refuse: (outcome) => replyOf({ outcome }),
  };
}

function transferReply(service: Service, { outcome, calls }: CallResult): Reply {
  const retryAfterMs = outcome.ok ? undefined : outcome.retryAfterMs;
  const body = outcome.ok ? outcome.body : errorOf(outcome, service.nextRequestId());
  return jsonReply(outcome.status, JSON.stringify(body), { calls, retryAfterMs });
}

function errorOf(refused: Fault, requestId: string): object {
  const { error } = errorBodyOf(refused, requestId);
  return { error: refused.transferState === undefined ? error : { ...error, state: refused.transferState } };
}
