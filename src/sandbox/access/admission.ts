/**
 * Owns what every signed and numbered call passes before it is carried out, in the one order the checks have on every family
 * (decisions §2, §6): key → nonce form → signature → nonce → permission → what the family adds → rate.
 *
 * Invariant: a call runs from its nonce to its effect without a pause, so calls take effect in the order of their nonces,
 * whichever family they belong to.
 */
import type { Permission } from "../../contract/index.ts";
import { type Fault, fault, type Outcome, rateExceeded } from "../http/outcome.ts";
import type { KeyRecord } from "../model/index.ts";
import type { CallState } from "../service/call-limit.ts";
import type { Service } from "../service/service.ts";
import { authenticate, type SignedRequest } from "./authentication.ts";

export interface CallResult {
  readonly outcome: Outcome;
  /** What is left of the caller's limits, once it is known who calls. */
  readonly calls?: CallState;
}

export interface AdmissionRules {
  readonly permission: Permission | "none";
  readonly weight: number;
  /** Where the call has another limit than the exchange's. */
  readonly callsPerSecond?: number;
  /** What the family refuses it for. */
  readonly refusal?: Fault | undefined;
}

/** @param act carries the call out, once nothing stands against it */
export function whenAdmitted(
  service: Service,
  request: SignedRequest,
  { permission, weight, callsPerSecond = service.limits.callsPerSecond, refusal }: AdmissionRules,
  act: (key: KeyRecord) => Outcome,
): CallResult {
  const { key, refused } = authenticate(service, request);
  if (key === undefined) return { outcome: refused };
  const budget = service.calls.budget(key.tier, callsPerSecond);
  const log = service.calls.log(key.keyId);
  const at = service.now();
  const withState = (outcome: Outcome): CallResult => ({ outcome, calls: log.state(budget, at) });

  if (refused !== undefined) return withState(refused);
  if (permission !== "none" && !key.permissions.includes(permission))
    return withState(fault("EGeneral:Permission denied", `this key lacks the permission "${permission}"`));
  if (refusal !== undefined) return withState(refusal);
  const wait = log.enter(budget, weight, at);
  return withState(wait === undefined ? act(key) : rateExceeded(wait));
}
