/**
 * Answers an alias call: address → operation → form of the parameters → key → signature → time → outage → permission → rate →
 * parameters → handler. Entry point: `answerAliasCall`, which is called after the address was checked.
 * Source: service.md#alias-endpoints, service.md#alias-signing; decision 0010.
 */
import {
  ALIAS_ENDPOINT_IDS,
  ALIAS_ENDPOINTS,
  ALIAS_HEADERS,
  type AliasEndpoint,
  type AliasEndpointId,
  type Permission,
} from "../../../contract/index.ts";
import { admitCall, admitPublic, type CallResult } from "../../access/admission.ts";
import { headerOf, type RequestHead } from "../../http/family.ts";
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

type AliasResult = CallResult<AliasFault>;

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
  // The table pairs each handler with the schema that was just applied; the compiler cannot follow that through `id`.
  const handle = HANDLERS[id] as AliasHandler<AliasEndpointId>;
  return handle({ service, at: service.now(), key, parameters: checked.parameters } as AliasCall<AliasEndpointId>);
}

const KEY = ALIAS_HEADERS.key.toLowerCase();
