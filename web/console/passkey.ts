/** Owns the browser's part of passkeys: whether they can be used here, signing what the server asks, and making one. */
import type { ChallengeRequest, ConsoleSession, Proof } from "../../src/serve/console/console-api.ts";
import type { Failed } from "./request.ts";
import type { Console } from "./state/console.ts";

type Authentication = Parameters<typeof import("@simplewebauthn/browser").startAuthentication>[0]["optionsJSON"];
type Registration = Parameters<typeof import("@simplewebauthn/browser").startRegistration>[0]["optionsJSON"];

/** A passkey belongs to one origin: at any other address of the same server the browser does not offer it. */
export function isPasskeyOrigin({ passkey_origin }: ConsoleSession): boolean {
  return passkey_origin === location.origin && "PublicKeyCredential" in window;
}

/** By what a person can show to be one, for this. An order is approved by what the policy names. */
export function waysOf(session: ConsoleSession, { purpose }: ChallengeRequest): { pin: boolean; passkey: boolean } {
  const counts = (way: "pin" | "passkey"): boolean => purpose !== "approve" || session.approve_by.includes(way);
  return {
    pin: session.pin_set !== false && counts("pin"),
    passkey: isPasskeyOrigin(session) && session.passkeys.length > 0 && counts("passkey"),
  };
}

/** @returns "dismissed" where the person closed the browser's question, or it found no passkey */
export async function signWithPasskey(
  { write }: Console,
  request: ChallengeRequest,
): Promise<Proof | Failed | "dismissed"> {
  const challenge = await write("challenge", request);
  if (!challenge.ok) return challenge;
  const { startAuthentication } = await import("@simplewebauthn/browser");
  try {
    return { passkey: await startAuthentication({ optionsJSON: challenge.value.options as Authentication }) };
  } catch {
    return "dismissed";
  }
}

/** Makes a passkey. @returns undefined where it is made */
export async function enrolPasskey(
  { write }: Console,
  name: string,
  proof: Proof | undefined,
): Promise<Failed | "dismissed" | undefined> {
  const begun = await write("passkeys/begin", proof === undefined ? { name } : { name, proof });
  if (!begun.ok) return begun;
  const { startRegistration } = await import("@simplewebauthn/browser");
  let response: unknown;
  try {
    response = await startRegistration({ optionsJSON: begun.value.options as Registration });
  } catch {
    return "dismissed";
  }
  const finished = await write("passkeys/finish", { response });
  return finished.ok ? undefined : finished;
}
