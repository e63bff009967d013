/**
 * The version a caller requests, and what older versions lack. Entry points: `requestedVersion`, `callsPerSecondFor`, `showsFee`,
 * `isLaterField`. Source: service.md#version-header, service.md#older-versions, service.md#change-history.
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

/** A text that sorts as versions do; undefined for what is not a version of the major that is served. */
function rankOf(version: string): string | undefined {
  const parts = VERSION.exec(version)?.slice(1);
  return parts === undefined || parts[0] !== MAJOR ? undefined : parts.map((part) => part.padStart(9, "0")).join(".");
}

const VERSION = /^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})$/;
const MAJOR = OPEN_API_VERSION.split(".", 1)[0];
const NEWEST = rankOf(OPEN_API_VERSION) ?? "";

/**
 * The version in which a request is answered: the newest listed one that is not newer than the `API-Version` header; without the
 * header the newest of all.
 */
export function requestedVersion(
  header: string | undefined,
): { readonly ok: true; readonly version: ApiVersion } | Fault {
  if (header === undefined) return { ok: true, version: OPEN_API_VERSION };
  const requested = rankOf(header);
  const found =
    requested === undefined || requested > NEWEST
      ? undefined
      : VERSIONS.find(({ version }) => (rankOf(version) ?? "") <= requested);
  if (found !== undefined) return { ok: true, version: found.version };
  return badArgument(VERSION_HEADER, `supported versions are ${OLDEST} to ${OPEN_API_VERSION}`);
}

/** Calls per second rose with 1.1.0. */
export function callsPerSecondFor(
  version: ApiVersion,
  limits: { readonly callsPerSecond: number; readonly callsPerSecondBefore110: number },
): number {
  return versionAtLeast(version, "1.1.0") ? limits.callsPerSecond : limits.callsPerSecondBefore110;
}

/** Tells whether fills show `fee` and `fee_currency`. */
export function showsFee(version: ApiVersion): boolean {
  return versionAtLeast(version, FIELD_ADDED_IN.fee);
}

export function isLaterField(name: string, version: ApiVersion): boolean {
  return name === "amount" && !versionAtLeast(version, FIELD_ADDED_IN.amount);
}
