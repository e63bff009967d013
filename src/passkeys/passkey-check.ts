/**
 * Owns verifying against what is enrolled, for the desk: the passkey is looked up, its signature verified, and counted once.
 *
 * Source: decision 0045.
 */
import { failed, localFault, ok, type Result } from "../contract/index.ts";
import type { PasskeyAssertion, PasskeyCheck, PasskeyQuestion } from "../desk/index.ts";
import type { Passkeys } from "../store/index.ts";
import { verifyAssertion } from "./assertion.ts";

export interface PasskeyCheckParts {
  readonly passkeys: Pick<Passkeys, "find" | "list" | "use">;
  /** Names the origin of the console's pages; undefined where this process has none at which passkeys work. */
  readonly origin: () => string | undefined;
}

export function passkeyCheck({ passkeys, origin: originOf }: PasskeyCheckParts): PasskeyCheck {
  return {
    isEnrolled: async (forRealMoney) => {
      const listed = await passkeys.list();
      return listed.ok ? ok(listed.value.some(({ isProven }) => isProven || !forRealMoney)) : listed;
    },
    verify: async (assertion: PasskeyAssertion, question: PasskeyQuestion): Promise<Result<void>> => {
      const { challenge, purpose, forRealMoney, nowMs } = question;
      const origin = originOf();
      if (origin === undefined) return noYes("Passkeys are taken in the console alone, at its own address.");
      const found = await passkeys.find(assertion.credentialId);
      if (!found.ok) return found;
      const passkey = found.value;
      if (passkey === undefined) return noYes("The passkey is not enrolled, or was removed.");
      if (forRealMoney && !passkey.isProven)
        return noYes("The passkey was enrolled without the PIN, and counts only where no real money is traded.");
      const expected = { passkey, origin, challenge: Buffer.from(challenge, "hex").toString("base64url") };
      const verdict = await verifyAssertion(assertion, expected);
      if (!verdict.ok) return noYes(verdict.why);
      const used = await passkeys.use(passkey.credentialId, { counter: verdict.counter, purpose }, nowMs);
      if (!used.ok) return used;
      return used.value ? ok(undefined) : noYes("The passkey was used or removed at this very moment.");
    },
  };
}

export function noYes(why: string): Result<never> {
  return failed(localFault("ELocal:Not approved", { message: `${why} Nothing was sent.` }));
}
