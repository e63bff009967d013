/**
 * Owns how a person shows to be one at the console: by the PIN, or a passkey.
 *
 * Invariant: a try of the PIN is counted by the store before it is looked at, for its session and for all of the console, and locks no terminal.
 *
 * Source: architecture.md#rule-2, decision 0072.
 */
import { z } from "zod";
import type { Result } from "../../contract/index.ts";
import type { ApprovalWay, PasskeyAssertion } from "../../desk/index.ts";
import { type PinTrouble, pinRefusal, type Words } from "../../words/index.ts";
import type { BegunPasskey, ChallengeRequest, ChallengeView, PasskeyView, Proof } from "./console-api.ts";
import { ofFault, type Refusal, refused } from "./console-request.ts";
import type { ConsoleSession } from "./console-session.ts";

/** The store's. */
export interface ConsolePin {
  isSet(): Promise<boolean>;
  /** @param session whose try it is */
  checkAtConsole(
    pin: string,
    atMs: number,
    session: string,
  ): Promise<{ readonly ok: true } | ({ readonly ok: false } & PinTrouble)>;
}

/** Passkeys of the owner; every request of them is of one session. */
export interface ConsolePasskeys {
  /** At which they work, given that of the page that asks; null where they cannot. */
  originAt(origin: string): string | null;
  list(): Promise<Result<readonly PasskeyView[]>>;
  challenge(request: ChallengeRequest, at: PasskeyPlace): Promise<Result<ChallengeView>>;
  /** Tells what the answer to a challenge for this very purpose proves; a fault where it proves nothing. */
  check(answer: unknown, purpose: ChallengeRequest, at: PasskeyPlace): Promise<Result<Proven>>;
  /** @param voucher what was shown for it; undefined where there was nothing that could have been */
  begin(name: string, at: PasskeyPlace, voucher: Proven | undefined): Promise<Result<BegunPasskey>>;
  finish(response: unknown, at: PasskeyPlace): Promise<Result<PasskeyView>>;
  remove(id: string): Promise<Result<void>>;
}

/** That a person is there, and how they have shown it. */
export interface Proven {
  readonly way: ApprovalWay;
  /** Comes from a passkey, over the digest of what is approved. */
  readonly assertion?: PasskeyAssertion;
  /** Tells of a passkey, for anything else, whether it counts for real money. */
  readonly isProven?: boolean;
}

/** Tells where a challenge was given out, and is to come back from. */
export interface PasskeyPlace {
  readonly origin: string;
  /** No other session has it. */
  readonly session: ConsoleSession;
}

export interface ProofParts {
  readonly pin: ConsolePin;
  readonly passkeys: ConsolePasskeys | undefined;
  readonly words: Words;
  /** The whole command line of `hoga pin`. */
  readonly pinCommand: string;
  /** Unix milliseconds. */
  readonly now: () => number;
}

export const proof: z.ZodType<Proof> = z.union([
  z.strictObject({ pin: z.string().max(1_000) }),
  z.strictObject({ passkey: z.unknown() }),
]);

/** @returns a refusal where nothing was shown */
export async function prove(
  given: Proof,
  purpose: ChallengeRequest,
  at: PasskeyPlace,
  { pin, passkeys, words, pinCommand, now }: ProofParts,
): Promise<Proven | { readonly refusal: Refusal }> {
  if ("passkey" in given) {
    if (passkeys === undefined) return { refusal: notAvailable() };
    const checked = await passkeys.check(given.passkey, purpose, at);
    return checked.ok ? checked.value : { refusal: { ...ofFault(checked.fault, words), status: 403 } };
  }
  const verdict = await pin.checkAtConsole(given.pin, now(), at.session.id);
  return verdict.ok ? { way: "pin" } : { refusal: pinRefused(verdict, { words, pinCommand, now }) };
}

export function notAvailable(): Refusal {
  return refused(501, "not_available", "Passkeys are not available here.");
}

function pinRefused(
  trouble: PinTrouble,
  { words, pinCommand, now }: Pick<ProofParts, "words" | "pinCommand" | "now">,
): Refusal {
  const [message, next_action] = pinRefusal(trouble, words, pinCommand);
  if (!("untilMs" in trouble)) return refused(403, `pin_${trouble.why}`, message, { next_action });
  const retry_after_ms = Math.max(0, trouble.untilMs - now());
  const failure = { error: { code: `pin_${trouble.why}`, message, retry_after_ms }, next_action };
  return { status: 429, failure, retryAfterMs: retry_after_ms };
}
