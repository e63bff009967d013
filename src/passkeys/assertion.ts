/**
 * Owns whether what a browser brings is a person's yes: a passkey that is known has signed this challenge, for a page of this address, with the person verified by
 * its PIN, finger or face.
 *
 * Invariants: everything is what it has to be, to the last byte, or nothing counts; the same bytes have one spelling. What is refused is told in words of ours: nothing
 * that came in is quoted.
 *
 * Source: decision 0045; Web Authentication Level 3, section 7.2.
 */
import { createHash } from "node:crypto";
import { z } from "zod";
import type { PasskeyAssertion } from "../desk/index.ts";
import type { Passkey } from "../store/index.ts";

/** Bytes as base64url, spelled in the one way that encoding them gives. */
export const bytes = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((text) => Buffer.from(text, "base64url").toString("base64url") === text);

/** Holds what answers of both kinds have. */
export const answer = {
  id: bytes(1_400),
  rawId: bytes(1_400),
  type: z.literal("public-key"),
  authenticatorAttachment: z.enum(["platform", "cross-platform"]).nullish(),
  clientExtensionResults: z.record(z.string().max(64), z.unknown()).optional(),
};

/** `AuthenticationResponseJSON`. */
const authentication = z.strictObject({
  ...answer,
  response: z.strictObject({
    authenticatorData: bytes(4_000),
    clientDataJSON: bytes(4_000),
    signature: bytes(2_000),
    userHandle: bytes(200).nullish(),
  }),
});

/** @returns undefined for what is no answer of a passkey */
export function readAssertion(given: unknown): PasskeyAssertion | undefined {
  const read = authentication.safeParse(given);
  if (!read.success || read.data.id !== read.data.rawId) return undefined;
  const { authenticatorData, clientDataJSON: clientDataJson, signature } = read.data.response;
  return { credentialId: read.data.id, authenticatorData, clientDataJson, signature };
}

/** @returns what it answers, base64url; "" where that cannot be read */
export function challengeOf({ clientDataJson }: PasskeyAssertion): string {
  return clientDataIn(clientDataJson)?.challenge ?? "";
}

/** @returns of which page it was given to; "" where that cannot be read */
export function originOf({ clientDataJson }: PasskeyAssertion): string {
  return clientDataIn(clientDataJson)?.origin ?? "";
}

export interface ExpectedAssertion {
  readonly passkey: Pick<Passkey, "credentialId" | "publicKey" | "counter" | "rpId">;
  /** base64url. */
  readonly challenge: string;
  readonly origin: string;
}

export type AssertionVerdict =
  | { readonly ok: true; readonly counter: number }
  /** A sentence. */
  | { readonly ok: false; readonly why: string };

const clientData = z.object({
  type: z.literal("webauthn.get"),
  challenge: z.string(),
  origin: z.string(),
  crossOrigin: z.literal(false).optional(),
  topOrigin: z.never().optional(),
});

const [PRESENT, VERIFIED] = [0x01, 0x04];
/** Hash of the relying party, flags, counter. */
const HEAD_BYTES = 37;

/** Pure: the counter is for the store to keep. */
export async function verifyAssertion(given: PasskeyAssertion, expected: ExpectedAssertion): Promise<AssertionVerdict> {
  const assertion = readAssertion(asJson(given));
  if (assertion === undefined) return refused("It is no answer of a passkey");
  const { passkey, challenge, origin } = expected;
  const data = clientDataIn(assertion.clientDataJson);
  const head = Buffer.from(assertion.authenticatorData, "base64url");
  if (data === undefined || head.length < HEAD_BYTES) return refused("It is no answer of a passkey");
  if (assertion.credentialId !== passkey.credentialId) return refused("It is of another passkey");
  if (data.challenge !== challenge) return refused("It was given to another question");
  if (data.origin !== origin) return refused(`It was given to a page of another address than ${origin}`);
  if (!head.subarray(0, 32).equals(createHash("sha256").update(passkey.rpId).digest()))
    return refused("The passkey is of another host");
  const flags = head.readUInt8(32);
  if ((flags & PRESENT) === 0) return refused("Nobody touched the passkey");
  if ((flags & VERIFIED) === 0) return refused("The passkey did not verify the person, by its PIN, finger or face");
  const counter = head.readUInt32BE(33);
  if ((counter > 0 || passkey.counter > 0) && counter <= passkey.counter)
    return refused("The passkey has signed more often than it says: it was answered before, or there is a copy of it");
  return (await isSigned(assertion, expected)) ? { ok: true, counter } : refused("The signature is not the passkey's");
}

async function isSigned(
  assertion: PasskeyAssertion,
  { passkey, challenge, origin }: ExpectedAssertion,
): Promise<boolean> {
  const { verifyAuthenticationResponse } = await import("@simplewebauthn/server");
  const { cose, decodeCredentialPublicKey } = await import("@simplewebauthn/server/helpers");
  const publicKey = new Uint8Array(Buffer.from(passkey.publicKey, "base64url"));
  try {
    const isOnCurve = cose.isCOSEPublicKeyEC2(decodeCredentialPublicKey(publicKey));
    if (isOnCurve && !isDer(Buffer.from(assertion.signature, "base64url"))) return false;
    const { verified } = await verifyAuthenticationResponse({
      response: { ...asJson(assertion), clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: passkey.rpId,
      requireUserVerification: true,
      credential: { id: passkey.credentialId, publicKey, counter: passkey.counter },
    });
    return verified;
  } catch {
    // It throws for all that is not as it has to be; what that is was told above, but for bytes that are no signature.
    return false;
  }
}

/** Two numbers in their one spelling: the library takes others for the same. */
function isDer(signature: Buffer): boolean {
  const [tag, length, , first = 0] = signature;
  if (tag !== 0x30 || length !== signature.length - 2) return false;
  return [signature.subarray(2, 4 + first), signature.subarray(4 + first)].every((number) => {
    const [kind, size, high = 0x80, next = 0] = number;
    return kind === 0x02 && size === number.length - 2 && high < 0x80 && (high > 0 || next >= 0x80);
  });
}

function asJson({ credentialId, authenticatorData, clientDataJson, signature }: PasskeyAssertion) {
  const response = { authenticatorData, clientDataJSON: clientDataJson, signature };
  return { id: credentialId, rawId: credentialId, type: "public-key" as const, response };
}

function clientDataIn(text: string): z.output<typeof clientData> | undefined {
  try {
    return clientData.safeParse(JSON.parse(Buffer.from(text, "base64url").toString("utf8"))).data;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

function refused(why: string): AssertionVerdict {
  return { ok: false, why: `${why}.` };
}
