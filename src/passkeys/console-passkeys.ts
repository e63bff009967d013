/**
 * Owns passkeys as a console uses them: asking one for a person's yes, enrolling and removing them.
 *
 * Invariants: an approval is asked for by its own digest, and what comes back is verified by the desk; every other question is random, for one purpose and one
 * session, and answered once. A passkey is as good as what vouched for it: proven by the PIN, or by one that is proven; the others are for practice, and neither lift
 * the brake, which stands for every profile, nor remove one that is proven.
 *
 * Source: decision 0045.
 */
import { randomBytes } from "node:crypto";
import { failed, localFault, ok, type Result, visibleLine } from "../contract/index.ts";
import type { ApprovalWay, PasskeyAssertion, PasskeyCheck } from "../desk/index.ts";
import type { Passkey, Passkeys } from "../store/index.ts";
import { challengeOf, readAssertion } from "./assertion.ts";
import { CHALLENGE_MS, Challenges } from "./challenges.ts";
import type { ConsoleAddress } from "./console-address.ts";
import { noYes } from "./passkey-check.ts";
import { ALGORITHMS, readRegistration, verifyRegistration } from "./registration.ts";

export type PasskeyPurpose =
  | { readonly purpose: "approve"; readonly id: string; readonly digest: string }
  | { readonly purpose: "resume"; readonly shown?: string | undefined }
  | { readonly purpose: "plan"; readonly plan_id: string; readonly action: string }
  | { readonly purpose: "remove"; readonly passkey_id: string }
  | { readonly purpose: "enrol" };

/** Tells where the page is that asks, and whose session it has. */
export interface PagePlace {
  readonly origin: string;
  readonly session: object;
}

export interface PasskeyAnswer {
  readonly way: "passkey";
  /** To an approval: what the desk has to verify. */
  readonly assertion?: PasskeyAssertion;
  /** To anything else, verified: whether it is proven. */
  readonly isProven?: boolean;
}

/** Tells what was shown for a new passkey. */
export interface Voucher {
  readonly way: ApprovalWay;
  readonly isProven?: boolean;
}

export interface ShownPasskey {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
  /** Counts for real money. */
  readonly proven: boolean;
}

export interface ConsolePasskeysParts {
  readonly passkeys: Passkeys;
  readonly check: PasskeyCheck;
  readonly address: ConsoleAddress;
  /** Tells whether it is known that no real money is traded. */
  readonly isPractice: () => boolean;
  /** The whole command line that sets the PIN. */
  readonly pinCommand: string;
  /** Unix milliseconds. */
  readonly clock: { now(): number };
  /** Milliseconds that only rise. */
  readonly rising: () => number;
}

interface Enrolling {
  readonly enrols: { readonly name: string; readonly isProven: boolean; readonly by: string };
}

const NAME_MAX = 60;
const DIGEST = /^[0-9a-f]{64}$/;

export class ConsolePasskeys {
  readonly #parts: ConsolePasskeysParts;
  readonly #challenges: Challenges<Exclude<PasskeyPurpose, { purpose: "approve" }> | Enrolling>;

  constructor(parts: ConsolePasskeysParts) {
    this.#parts = parts;
    this.#challenges = new Challenges(parts.rising);
  }

  /** At which passkeys work, wherever the page is; null where they cannot. */
  originAt(): string | null {
    return this.#parts.address.origin ?? null;
  }

  async list(): Promise<Result<readonly ShownPasskey[]>> {
    const found = await this.#parts.passkeys.list();
    return found.ok ? ok(found.value.map(shown)) : found;
  }

  /** @returns `PublicKeyCredentialRequestOptionsJSON` */
  async challenge(purpose: PasskeyPurpose, at: PagePlace): Promise<Result<{ readonly options: object }>> {
    const rpId = this.#rpId(at);
    if (!rpId.ok) return rpId;
    if (purpose.purpose === "approve" && !DIGEST.test(purpose.digest)) return noYes("Nothing of this name waits.");
    const needsProven = await this.#needsProven(purpose);
    if (!needsProven.ok) return needsProven;
    const found = await this.#parts.passkeys.list();
    if (!found.ok) return found;
    const able = found.value.filter(
      (passkey) => passkey.rpId === rpId.value && (passkey.isProven || !needsProven.value),
    );
    if (able.length === 0)
      return noYes(`No passkey is enrolled ${needsProven.value ? "with the PIN " : ""}for this address.`);
    const challenge =
      purpose.purpose === "approve" ? Buffer.from(purpose.digest, "hex") : this.#challenges.ask(purpose, at.session);
    const { generateAuthenticationOptions } = await import("@simplewebauthn/server");
    const options = await generateAuthenticationOptions({
      ...{
        rpID: rpId.value,
        challenge: new Uint8Array(challenge),
        timeout: CHALLENGE_MS,
        userVerification: "required",
      },
      allowCredentials: able.map(known),
    });
    return ok({ options });
  }

  /** Tells whether it answers a challenge for this very purpose; what it says to an approval is for the desk to verify. */
  async check(given: unknown, purpose: PasskeyPurpose, at: PagePlace): Promise<Result<PasskeyAnswer>> {
    const assertion = readAssertion(given);
    if (assertion === undefined) return noYes("It is no answer of a passkey.");
    if (purpose.purpose === "approve") return ok({ way: "passkey", assertion });
    const challenge = challengeOf(assertion);
    const asked = this.#challenges.take(challenge, at.session);
    if (asked === undefined || "enrols" in asked || !isSame(asked, purpose))
      return noYes(
        "It answers no question that stands: it was answered before, is too old, or was about something else.",
      );
    const forRealMoney = await this.#needsProven(purpose);
    if (!forRealMoney.ok) return forRealMoney;
    const question = { challenge: Buffer.from(challenge, "base64url").toString("hex"), purpose: wordsOf(purpose) };
    const { check, clock, passkeys } = this.#parts;
    const verified = await check.verify(assertion, {
      ...question,
      forRealMoney: forRealMoney.value,
      nowMs: clock.now(),
    });
    if (!verified.ok) return verified;
    const found = await passkeys.find(assertion.credentialId);
    return found.ok ? ok({ way: "passkey", isProven: found.value?.isProven === true }) : found;
  }

  /** @returns `PublicKeyCredentialCreationOptionsJSON` */
  async begin(
    given: string,
    at: PagePlace,
    voucher: Voucher | undefined,
  ): Promise<Result<{ readonly options: object }>> {
    const rpId = this.#rpId(at);
    if (!rpId.ok) return rpId;
    const isProven = voucher?.way === "pin" || voucher?.isProven === true;
    const { isPractice, pinCommand, passkeys } = this.#parts;
    if (!isProven && !isPractice())
      return failed(
        localFault("ELocal:Not approved", {
          message: "Where money may be real a passkey is enrolled with the PIN.",
          nextAction: `Set the PIN on a terminal, with ${pinCommand}. Then enrol the passkey with it.`,
        }),
      );
    const found = await passkeys.list();
    if (!found.ok) return found;
    const name = visibleLine(given, NAME_MAX) ?? "";
    const by = voucher === undefined ? "nothing" : voucher.way === "pin" ? "the PIN" : "a passkey";
    const challenge = this.#challenges.ask({ enrols: { name, isProven, by } }, at.session);
    const { generateRegistrationOptions } = await import("@simplewebauthn/server");
    const options = await generateRegistrationOptions({
      ...{ rpName: "hoga", rpID: rpId.value, userName: name, userDisplayName: name },
      // Of its own: a device that has one of the same user at this host would replace it, though it is another data directory's.
      userID: new Uint8Array(randomBytes(16)),
      ...{ challenge: new Uint8Array(challenge), timeout: CHALLENGE_MS, attestationType: "none" },
      excludeCredentials: found.value.map(known),
      authenticatorSelection: { residentKey: "preferred", userVerification: "required" },
      supportedAlgorithmIDs: ALGORITHMS,
    });
    return ok({ options });
  }

  /** @param given `RegistrationResponseJSON` */
  async finish(given: unknown, at: PagePlace): Promise<Result<ShownPasskey>> {
    const { passkeys, clock } = this.#parts;
    const rpId = this.#rpId(at);
    if (!rpId.ok) return rpId;
    const read = readRegistration(given);
    const asked = read && this.#challenges.take(read.challenge, at.session);
    if (read === undefined || asked === undefined || !("enrols" in asked))
      return noPasskey("It answers no question that stands: begin again.");
    const made = await verifyRegistration(read, { origin: at.origin, rpId: rpId.value });
    if (made === undefined) return noPasskey("It is no passkey that verifies the person at this address.");
    const { by, ...enrols } = asked.enrols;
    const passkey: Passkey = { ...made, ...enrols, rpId: rpId.value, createdAtMs: clock.now() };
    const enrolled = await passkeys.enrol(passkey, by);
    if (!enrolled.ok) return enrolled;
    switch (enrolled.value) {
      case "enrolled":
        return ok(shown(passkey));
      case "taken":
        return noPasskey("It is enrolled already.");
      case "too_many":
        return noPasskey("There are too many passkeys: remove one first.");
      default:
        return enrolled.value satisfies never;
    }
  }

  /** Once somebody has shown to be a person, for this. */
  async remove(id: string): Promise<Result<void>> {
    const { passkeys, clock } = this.#parts;
    const removed = await passkeys.remove(id, clock.now(), "removed in the console");
    if (!removed.ok) return removed;
    return removed.value ? ok(undefined) : noPasskey("There is no such passkey.");
  }

  /** Tells whether a passkey for practice would not do. */
  async #needsProven(purpose: PasskeyPurpose): Promise<Result<boolean>> {
    switch (purpose.purpose) {
      case "approve":
      case "plan":
        return ok(!this.#parts.isPractice());
      case "resume":
        return ok(true);
      case "enrol":
        return ok(false);
      case "remove": {
        const found = await this.#parts.passkeys.find(purpose.passkey_id);
        return found.ok ? ok(found.value?.isProven === true) : found;
      }
      default:
        return purpose satisfies never;
    }
  }

  #rpId({ origin }: PagePlace): Result<string> {
    const { origin: ours } = this.#parts.address;
    if (ours === undefined) return noPasskey("A browser gives passkeys to a host with a name, and this one has none.");
    if (origin !== ours) return noPasskey(`Passkeys work at ${ours} alone: open the console there.`);
    return ok(new URL(ours).hostname);
  }
}

function shown({ credentialId, name, createdAtMs, usedAtMs, isProven }: Passkey): ShownPasskey {
  const last_used_at = usedAtMs === undefined ? null : new Date(usedAtMs).toISOString();
  return { id: credentialId, name, created_at: new Date(createdAtMs).toISOString(), last_used_at, proven: isProven };
}

function known({ credentialId, transports }: Passkey) {
  return { id: credentialId, transports: transports as AuthenticatorTransport[] };
}

type AuthenticatorTransport = "ble" | "cable" | "hybrid" | "internal" | "nfc" | "smart-card" | "usb";

function isSame(asked: PasskeyPurpose, purpose: PasskeyPurpose): boolean {
  return wordsOf(asked) === wordsOf(purpose);
}

function wordsOf(purpose: PasskeyPurpose): string {
  switch (purpose.purpose) {
    case "approve":
      return `approve ${purpose.id}`;
    case "plan":
      return `${purpose.action} ${purpose.plan_id}`;
    case "remove":
      return `remove passkey ${purpose.passkey_id}`;
    case "resume":
      return purpose.shown === undefined ? "resume trading" : `resume trading ${purpose.shown}`;
    case "enrol":
      return "enrol a passkey";
    default:
      return purpose satisfies never;
  }
}

function noPasskey(message: string): Result<never> {
  return failed(localFault("ELocal:Not approved", { message }));
}
