/**
 * Owns the way of an alias call from its head to an outcome, in the one order the checks have: address → operation → form of the
 * parameters → key → signature → time → outage → permission → rate → parameters → exchange.
 * Entry point: `answerAliasCall`; the address was checked before the body was read.
 */
import {
  ALIAS_ENDPOINT_IDS,
  ALIAS_ENDPOINTS,
  ALIAS_HEADERS,
  type AliasEndpoint,
  type AliasEndpointId,
  type Permission,
} from "../../contract/index.ts";
import { headerOf, type RequestHead } from "../http/family.ts";
import type { KeyRecord } from "../model/index.ts";
import type { CallState } from "../service/call-limit.ts";
import type { SecretCache, Service } from "../service/service.ts";
import { ALIAS_ACCOUNT_ENDPOINTS } from "./account-endpoints.ts";
import { authenticate } from "./alias-authentication.ts";
import type { AliasCall, AliasHandler, AliasHandlers } from "./alias-call.ts";
import { type AliasOutcome, fault, problem, rateExceeded } from "./alias-outcome.ts";
import { ALIAS_MARKET_ENDPOINTS } from "./market-endpoints.ts";
import { ALIAS_ORDER_ENDPOINTS } from "./order-endpoints.ts";
import { fitParameters } from "./parameter-fault.ts";
import { readParameters, type SentParameters } from "./parameters.ts";

export interface AliasResult {
  readonly outcome: AliasOutcome;
  /** What is left of the caller's limits and what is used of them, once it is known who calls. */
  readonly calls?: CallState;
  readonly usedWeight?: number;
}

const HANDLERS: AliasHandlers<AliasEndpointId> = {
  ...ALIAS_MARKET_ENDPOINTS,
  ...ALIAS_ORDER_ENDPOINTS,
  ...ALIAS_ACCOUNT_ENDPOINTS,
};

const ROUTES = new Map<string, AliasEndpointId>(
  ALIAS_ENDPOINT_IDS.map((id) => [`${ALIAS_ENDPOINTS[id].method} ${ALIAS_ENDPOINTS[id].path}`, id]),
);

export function answerAliasCall(service: Service, secrets: SecretCache, head: RequestHead, body: Buffer): AliasResult {
  const id = ROUTES.get(`${head.method} ${head.path}`);
  if (id === undefined) return { outcome: fault("EGeneral:Unknown method") };
  if (!/^millisecond$/i.test(headerOf(head, ALIAS_HEADERS.timeUnit.toLowerCase()) ?? "millisecond"))
    return { outcome: problem("invalidTimeUnit") };
  const { auth }: AliasEndpoint = ALIAS_ENDPOINTS[id];
  const { method, queryText } = head;
  const contentType = headerOf(head, "content-type");
  const sent = readParameters({ method, queryText, contentType, body }, auth !== "none");
  if (!sent.ok) return { outcome: sent };
  if (auth === "none") return { outcome: perform(service, id, sent, undefined) };
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
  const { key, refused } = authenticate(service, secrets, keyId, sent);
  if (key === undefined) return { outcome: refused };
  const budget = service.calls.budget(key.tier, service.limits.callsPerSecond);
  const log = service.calls.log(key.keyId);
  const at = service.now();
  const withState = (outcome: AliasOutcome): AliasResult => ({
    outcome,
    calls: log.state(budget, at),
    usedWeight: log.weightUsed(at),
  });

  if (refused !== undefined) return withState(refused);
  // Also a read: no nonce fails to be written here, and it would show what a restart may not know.
  if (service.journaled.failed !== undefined) return withState(fault("EService:Unavailable"));
  if (!key.permissions.includes(permission)) return withState(fault("EGeneral:Permission denied"));
  const wait = log.enter(budget, ALIAS_ENDPOINTS[id].weight, at);
  if (wait !== undefined) return withState(rateExceeded(wait));
  return withState(perform(service, id, sent, key));
}

function perform(
  service: Service,
  id: AliasEndpointId,
  { values, envelope }: SentParameters,
  key: KeyRecord | undefined,
): AliasOutcome {
  const endpoint: AliasEndpoint = ALIAS_ENDPOINTS[id];
  const fitting = fitParameters(endpoint.parameters, values, Object.keys(envelope).length);
  if (!fitting.ok) return fitting;
  // The table pairs each handler with the schema that was just applied; the compiler cannot follow that through `id`.
  const handle = HANDLERS[id] as AliasHandler<AliasEndpointId>;
  return handle({ service, at: service.now(), key, parameters: fitting.parameters } as AliasCall<AliasEndpointId>);
}

const KEY = ALIAS_HEADERS.key.toLowerCase();
