/**
 * The alias endpoints (`/api/v3/`) as a family: address → operation → form of the parameters → key → signature → time → outage →
 * permission → rate → parameters → handler. Entry point: `aliasFamily`.
 *
 * Invariant: every failure is `{ code, msg }` with the dialect's numbers; every reply to a known caller has what is left of the
 * caller's limits in the service's headers, and what is used of them in the dialect's.
 * Source: service.md#alias-endpoints, service.md#alias-signing, service.md#alias-errors; decision 0010.
 */
import {
  ALIAS_ENDPOINT_IDS,
  ALIAS_ENDPOINTS,
  ALIAS_HEADERS,
  ALIAS_PREFIX,
  type AliasEndpoint,
  type AliasEndpointId,
  type Permission,
} from "../../../contract/index.ts";
import { admitCall, admitPublic, type CallResult } from "../../access/admission.ts";
import { callFamily } from "../../access/call-family.ts";
import { type Family, headerOf, type Reply, type RequestHead } from "../../http/family.ts";
import { jsonReply } from "../../http/reply.ts";
import type { KeyRecord } from "../../model/index.ts";
import type { SecretCache, Service } from "../../service/service.ts";
import { ALIAS_ACCOUNT_ENDPOINTS } from "./account-endpoints.ts";
import { authenticate } from "./alias-authentication.ts";
import type { AliasCall, AliasHandler, AliasHandlers } from "./alias-call.ts";
import { type AliasFault, type AliasOutcome, aliasFault, fault, problem } from "./alias-outcome.ts";
import { ALIAS_MARKET_ENDPOINTS } from "./market-endpoints.ts";
import { ALIAS_ORDER_ENDPOINTS } from "./order-endpoints.ts";
import { checkParameters } from "./parameter-fault.ts";
import { readParameters, type SentParameters } from "./parameters.ts";

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

type AliasResult = CallResult<AliasFault>;

const HANDLERS: AliasHandlers<AliasEndpointId> = {
  ...ALIAS_MARKET_ENDPOINTS,
  ...ALIAS_ORDER_ENDPOINTS,
  ...ALIAS_ACCOUNT_ENDPOINTS,
};

const ROUTES = new Map<string, AliasEndpointId>(
  ALIAS_ENDPOINT_IDS.map((id) => [`${ALIAS_ENDPOINTS[id].method} ${ALIAS_ENDPOINTS[id].path}`, id]),
);

function answerAliasCall(service: Service, secrets: SecretCache, head: RequestHead, body: Buffer): AliasResult {
  const id = ROUTES.get(`${head.method} ${head.path}`);
  if (id === undefined) return { outcome: fault("EGeneral:Unknown method") };
  if (!/^millisecond$/i.test(headerOf(head, ALIAS_HEADERS.timeUnit.toLowerCase()) ?? "millisecond"))
    return { outcome: problem("invalidTimeUnit") };
  const { auth, weight }: AliasEndpoint = ALIAS_ENDPOINTS[id];
  const { method, queryText } = head;
  const contentType = headerOf(head, "content-type");
  const sent = readParameters({ method, queryText, contentType, body }, auth !== "none");
  if (!sent.ok) return { outcome: sent };
  if (auth === "none")
    return admitPublic(
      service,
      { address: head.address, weight },
      () => perform(service, id, sent, undefined),
      aliasFault,
    );
  return answerSigned({ service, secrets, id, sent, keyId: headerOf(head, KEY) }, auth);
}

interface SignedCall {
  readonly service: Service;
  readonly secrets: SecretCache;
  readonly id: AliasEndpointId;
  readonly sent: SentParameters;
  readonly keyId: string | undefined;
}

function answerSigned({ service, secrets, id, sent, keyId }: SignedCall, permission: Permission): AliasResult {
  const rules = { permission, weight: ALIAS_ENDPOINTS[id].weight };
  const act = (key: KeyRecord): AliasOutcome => perform(service, id, sent, key);
  return admitCall({ service, rules, act, faultOf: aliasFault }, authenticate(service, secrets, keyId, sent));
}

function perform(
  service: Service,
  id: AliasEndpointId,
  { values, envelope }: SentParameters,
  key: KeyRecord | undefined,
): AliasOutcome {
  const endpoint: AliasEndpoint = ALIAS_ENDPOINTS[id];
  const checked = checkParameters(endpoint.parameters, values, Object.keys(envelope).length);
  if (!checked.ok) return checked;
  const { symbol: written } = values;
  const symbol = written === undefined ? undefined : service.markets.symbolOf(written);
  if (written !== undefined && symbol === undefined) return fault("EQuery:Unknown asset pair");
  // The table pairs each handler with the schema that was just applied; the compiler cannot follow that through `id`.
  const handle = HANDLERS[id] as AliasHandler<AliasEndpointId>;
  return handle({
    service,
    at: service.now(),
    key,
    parameters: checked.parameters,
    symbol,
  } as AliasCall<AliasEndpointId>);
}

const KEY = ALIAS_HEADERS.key.toLowerCase();
