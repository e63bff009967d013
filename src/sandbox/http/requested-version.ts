/**
 * Owns the version a caller asks for, and what older versions lack (decisions §10).
 */
import {
  type ApiVersion,
  FIELD_ADDED_IN,
  OPEN_API_VERSION,
  VERSION_HEADER,
  VERSIONS,
  versionAtLeast,
} from "../../contract/index.ts";
import { badArgument, type Fault } from "./outcome.ts";

const OLDEST = VERSIONS.at(-1)?.version ?? OPEN_API_VERSION;

/** The version asked for by the `API-Version` header; the newest when there is none. */
export function requestedVersion(
  header: string | undefined,
): { readonly ok: true; readonly version: ApiVersion } | Fault {
  if (header === undefined) return { ok: true, version: OPEN_API_VERSION };
  const found = VERSIONS.find(({ version }) => version === header);
  if (found !== undefined) return { ok: true, version: found.version };
  const list = VERSIONS.map(({ version }) => version).join(", ");
  return badArgument(VERSION_HEADER, `supported versions are ${OLDEST} to ${OPEN_API_VERSION}: ${list}`);
}

/** Calls per second rose with 1.1.0. */
export function callsPerSecondFor(
  version: ApiVersion,
  limits: { readonly callsPerSecond: number; readonly callsPerSecondBefore110: number },
): number {
  return versionAtLeast(version, "1.1.0") ? limits.callsPerSecond : limits.callsPerSecondBefore110;
}

/** Whether fills show `fee` and `fee_currency`. */
export function showsFee(version: ApiVersion): boolean {
  return versionAtLeast(version, FIELD_ADDED_IN.fee);
}

/** Body fields the version does not know yet. */
export function isLaterField(name: string, version: ApiVersion): boolean {
  return name === "amount" && !versionAtLeast(version, FIELD_ADDED_IN.amount);
}
