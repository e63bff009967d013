/**
 * Admits calls: every signed call passes the same checks in the same order, whichever family it belongs to: key → form of the
 * nonce → signature → nonce → permission → what the family adds → rate; a public call passes the rate of its address. Entry points:
 * `admitSigned` for families whose calls are numbered by nonces, `admitCall` for a family with an authentication of its own,
 * `admitPublic`.
 *
 * Invariant: a call runs from its nonce to its effect without a pause, so calls take effect in the order of their nonces,
 * over all families. Source: service.md#check-order, service.md#public-limit.
 */
import type { Permission } from "../../contract/index.ts";
import { type Answer, type Fault, fault, rateExceeded, unavailable } from "../http/outcome.ts";
import type { KeyRecord, Millis } from "../model/index.ts";
import type { CallBudget, CallLog, CallState } from "../service/call-limit.ts";
import type { Service } from "../service/service.ts";
import { plainAddress } from "./address.ts";
import { type Authentication, authenticate, type SignedRequest } from "./authentication.ts";

/** @typeParam Refused a fault in the form of the family. */
export interface CallResult<Refused = Fault> {
  readonly outcome: Answer | Refused;
  /** Tells what is left of the caller's limits; undefined while the caller is unknown. */
  readonly calls?: CallState;
}

export interface AdmissionRules<Refused = Fault> {
  readonly permission: Permission | "none";
  readonly weight: number;
  /** Limits the call otherwise than the exchange does. */
  readonly callsPerSecond?: number;
  /** Why the family refuses the call. */
  readonly refusal?: Refused | undefined;
}

/** @param act carries out the call once it is admitted */
export function admitSigned(
  service: Service,
  request: SignedRequest,
  rules: AdmissionRules,
  act: (key: KeyRecord) => Answer | Fault,
): CallResult {
  return admitCall({ service, rules, act, faultOf: (refused) => refused }, authenticate(service, request));
}

interface Admission<Refused> {
  readonly service: Service;
  readonly rules: AdmissionRules<Refused>;
  readonly act: (key: KeyRecord) => Answer | Refused;
  readonly faultOf: (refused: Fault) => Refused;
}

export function admitCall<Refused>(
  { service, rules, act, faultOf }: Admission<Refused>,
  { key, refused }: Authentication<Refused>,
): CallResult<Refused> {
  if (key === undefined) return { outcome: refused };
  const { permission, weight, callsPerSecond = service.limits.callsPerSecond, refusal } = rules;
  const log = service.calls.log(key.keyId);
  const charge = { log, budget: service.calls.budget(key.tier, callsPerSecond), weight, at: service.now() };
  const denied =
    refused ??
    (permission !== "none" && !key.permissions.includes(permission)
      ? faultOf(fault("EGeneral:Permission denied", `this key lacks the permission "${permission}"`))
      : refusal);
  if (denied !== undefined) return { outcome: denied, calls: log.state(charge.budget, charge.at) };
  return chargeAndAct(service, charge, () => act(key), faultOf);
}

/** Admits a call that needs no key, by the address it comes from. @param weight of the call */
export function admitPublic<Refused>(
  service: Service,
  { address, weight }: { readonly address: string | undefined; readonly weight: number },
  act: () => Answer | Refused,
  faultOf: (refused: Fault) => Refused,
): CallResult<Refused> {
  const at = service.now();
  const log = service.calls.addressLog(plainAddress(address ?? ""), at);
  return chargeAndAct(service, { log, budget: service.calls.publicBudget, weight, at }, act, faultOf);
}

interface Charge {
  readonly log: CallLog;
  readonly budget: CallBudget;
  readonly weight: number;
  readonly at: Millis;
}

function chargeAndAct<Refused>(
  service: Service,
  { log, budget, weight, at }: Charge,
  act: () => Answer | Refused,
  faultOf: (refused: Fault) => Refused,
): CallResult<Refused> {
  const withState = (outcome: Answer | Refused): CallResult<Refused> => ({ outcome, calls: log.state(budget, at) });
  const waitMs = log.enter(budget, weight, at);
  if (waitMs !== undefined) return withState(faultOf(rateExceeded(waitMs)));
  try {
    return withState(act());
  } catch (error) {
    // The call was charged, so its answer says what is left, whatever went wrong.
    service.onDefect(error);
    return withState(faultOf(unavailable(500)));
  }
}
