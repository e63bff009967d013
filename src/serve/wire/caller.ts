/**
 * Owns who is calling over HTTP: the identity that a token stands for, and for how long. Entry points: `Callers`, the port that tells it,
 * and `tokenCallers`, which knows the token of the data directory and those that a person has made.
 *
 * Invariants: what is compared with a secret is compared by digest, the one that is here in constant time; whether a token still counts is
 * asked anew for every request; the token itself goes no further than here.
 *
 * Source: decision 0022, decision 0035.
 */
import { timingSafeEqual } from "node:crypto";
import { digestOf, isAccessToken, type Secret, scrubber, TOKENLESS } from "../../config/index.ts";
import { defined, type Result } from "../../contract/index.ts";
import { SCOPES, type Scope, scopesAmong } from "../../mcp/index.ts";

/** Refuses a request that is too much, and when it is worth trying again. */
export interface Excess {
  readonly message: string;
  readonly retryAfterS: number;
}

/** A request that is let in, until its message is known. */
export interface Entry {
  /** @returns what it is refused with; otherwise it has its turn */
  pass(message: unknown): Promise<Excess | undefined>;
}

export interface Identity {
  /** No other caller has it: what is open and what is counted belongs to it. */
  readonly key: string;
  /** For people. */
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Says as whom it is served; absent: as the operator. */
  readonly tenant?: string;
}

/** Tells what let one request in. */
export interface Grant {
  readonly identity: Identity;
  /** Unix milliseconds after which a stream that was opened by it ends; the next may be opened by another token of the identity. */
  readonly endsAtMs?: number;
  /** Lets it pass once its message is known; absent where it has passed. */
  readonly entry?: Entry;
  /** Tells whether the identity is not let in any more: what it has open ends. */
  readonly isRevoked: () => Promise<boolean>;
}

/** The same for what does not end with the one token: another of the identity may go on with it. */
export function lasting({ identity, isRevoked }: Grant): Grant {
  return { identity, isRevoked };
}

export type Verdict =
  | { readonly ok: true; readonly grant: Grant }
  /** It lets nobody in. */
  | { readonly ok: false; readonly why: "invalid" }
  /** It is somebody, and nobody's tenant, where there are tenants. */
  | { readonly ok: false; readonly why: "not_admitted" }
  /** It cannot be told now. */
  | { readonly ok: false; readonly why: "unavailable"; readonly retryAfterS: number };

export interface Callers {
  identify(token: string): Promise<Verdict>;
}

/** A token as it is kept, without itself. */
export interface KeptToken {
  readonly name: string;
  readonly digest: string;
  readonly scopes: readonly string[];
  readonly tenant?: string;
  readonly createdAtMs: number;
  readonly expiresAtMs?: number;
  readonly usedAtMs?: number;
}

export interface TokenRegister {
  find(digest: string): Promise<Result<KeptToken | undefined>>;
  used(token: KeptToken, nowMs: number): Promise<Result<void>>;
}

/** Whoever can read the data directory. */
export const OWNER: Identity = { key: TOKENLESS.owner, name: TOKENLESS.owner, scopes: SCOPES };

/** Whoever asks for what is open to all: nothing shows who that is. */
export const ANYBODY: Identity = { key: TOKENLESS.anybody, name: TOKENLESS.anybody, scopes: [] };

export const INVALID = { ok: false, why: "invalid" } as const satisfies Verdict;
/** Answers where the store cannot be asked who somebody is. */
export const UNKNOWN = { ok: false, why: "unavailable", retryAfterS: 5 } as const satisfies Verdict;

export const OWNER_GRANT: Grant = { identity: OWNER, isRevoked: async () => false };
export const ANYBODY_GRANT: Grant = { identity: ANYBODY, isRevoked: async () => false };

/** Lets in by the token of the data directory, and asks others about the rest. */
export class OwnerFirst implements Callers {
  readonly #digest: Buffer;
  readonly #others: Callers | undefined;

  constructor(token: Secret, others?: Callers) {
    this.#digest = Buffer.from(digestOf(token.reveal()), "hex");
    this.#others = others;
  }

  async identify(token: string): Promise<Verdict> {
    if (timingSafeEqual(Buffer.from(digestOf(token), "hex"), this.#digest)) return { ok: true, grant: OWNER_GRANT };
    return (await this.#others?.identify(token)) ?? INVALID;
  }
}

/** @param now Unix milliseconds */
export function tokenCallers(register: TokenRegister, now: () => number): Callers {
  const isOver = ({ expiresAtMs = Number.POSITIVE_INFINITY }: KeptToken): boolean => expiresAtMs <= now();
  return {
    identify: async (token) => {
      if (!isAccessToken(token)) return INVALID;
      const digest = digestOf(token);
      const found = await register.find(digest);
      if (!found.ok) return UNKNOWN;
      const { value: kept } = found;
      if (kept === undefined || isOver(kept)) return INVALID;
      // From now on no answer quotes it.
      scrubber.add(token);
      // That it was used is only shown: no request waits for the note, least of all one that halts trading.
      register.used(kept, now()).catch(ignored);
      const { name, scopes, tenant } = kept;
      const identity = { key: `token ${digest}`, name, scopes: scopesAmong(scopes), ...defined({ tenant }) };
      const isRevoked = async (): Promise<boolean> => {
        const again = await register.find(digest);
        return again.ok && (again.value === undefined || isOver(again.value));
      };
      return { ok: true, grant: { identity, isRevoked } };
    },
  };
}

function ignored(): void {
  // Where a note cannot be made for good, no token can be found either, and that is answered.
}
