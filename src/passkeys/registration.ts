/**
 * Owns what a new passkey brings: its key, for this challenge, from a page of this address, made after the person was verified.
 *
 * Invariants: what vouches for the device's maker is neither asked for nor looked at, so that nothing is fetched for a certificate that somebody sends.
 *
 * Source: decision 0045; Web Authentication Level 3, section 7.1.
 */
import { z } from "zod";
import type { Passkey } from "../store/index.ts";
import { answer, bytes } from "./assertion.ts";

/** `RegistrationResponseJSON`. */
const registration = z.strictObject({
  ...answer,
  response: z.strictObject({
    attestationObject: bytes(32_000),
    clientDataJSON: bytes(4_000),
    transports: z
      .array(z.string().regex(/^[a-z-]{1,32}$/))
      .max(16)
      .optional(),
    // The same as in the attestation object, from where they are read.
    authenticatorData: bytes(8_000).optional(),
    publicKey: bytes(4_000).nullish(),
    publicKeyAlgorithm: z.number().optional(),
  }),
});
type Registration = z.output<typeof registration>;

const clientData = z.object({
  challenge: z.string(),
  crossOrigin: z.literal(false).optional(),
  topOrigin: z.never().optional(),
});

/** EdDSA, ES256, RS256. */
export const ALGORITHMS = [-8, -7, -257];

export interface ReadRegistration {
  readonly registration: Registration;
  /** base64url; whether it was asked is not looked at yet. */
  readonly challenge: string;
}

/** @returns undefined for what is no new passkey */
export function readRegistration(given: unknown): ReadRegistration | undefined {
  const read = registration.safeParse(given);
  if (!read.success) return undefined;
  const data = clientData.safeParse(jsonIn(read.data.response.clientDataJSON));
  return data.success ? { registration: read.data, challenge: data.data.challenge } : undefined;
}

/** Tells what is enrolled of it; undefined where it is not what it has to be. */
export async function verifyRegistration(
  { registration: given, challenge }: ReadRegistration,
  { origin, rpId }: { readonly origin: string; readonly rpId: string },
): Promise<Pick<Passkey, "credentialId" | "publicKey" | "counter" | "transports"> | undefined> {
  const { verifyRegistrationResponse } = await import("@simplewebauthn/server");
  const { decodeAttestationObject } = await import("@simplewebauthn/server/helpers");
  const { response } = given;
  try {
    const made = decodeAttestationObject(new Uint8Array(Buffer.from(response.attestationObject, "base64url")));
    const isPlain = made.get("fmt") === "none" || (made.get("fmt") === "packed" && !made.get("attStmt").get("x5c"));
    if (!isPlain) return undefined;
    const verdict = await verifyRegistrationResponse({
      response: {
        ...{ id: given.id, rawId: given.rawId, type: given.type, clientExtensionResults: {} },
        response: { attestationObject: response.attestationObject, clientDataJSON: response.clientDataJSON },
      },
      ...{ expectedChallenge: challenge, expectedOrigin: origin, expectedRPID: rpId },
      ...{ requireUserVerification: true, supportedAlgorithmIDs: ALGORITHMS },
    });
    if (!verdict.verified) return undefined;
    const { id: credentialId, publicKey, counter } = verdict.registrationInfo.credential;
    const key = Buffer.from(publicKey).toString("base64url");
    return { credentialId, publicKey: key, counter, transports: response.transports ?? [] };
  } catch {
    // It throws for all that is not as it has to be.
    return undefined;
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}
