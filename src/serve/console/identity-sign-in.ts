/**
 * Owns signing in at an identity provider (OpenID Connect, authorization code with PKCE), for a person at another machine. Loaded only where the
 * settings say so. Entry point: `IdentitySignIn`.
 *
 * Invariants: a sign-in ends in the browser that began it, once, within ten minutes, and only for a subject that the settings name; an ID token
 * counts only with the issuer's signature, for this client and for what this browser began; how often the issuer is asked does not depend on who
 * asks here.
 *
 * Source: https://openid.net/specs/openid-connect-core-1_0.html, RFC 9700, decision 0044.
 */
import { timingSafeEqual } from "node:crypto";
import type { Secret } from "../../config/index.ts";
import { digestOf } from "../../config/index.ts";
import { secretText } from "../ticket.ts";

type Library = typeof import("openid-client");
type Configuration = import("openid-client").Configuration;

export interface IdentitySettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly secret?: Secret;
  /** Who may: `sub` as the issuer names them. */
  readonly subjects: readonly string[];
  /** Where the issuer sends the browser back to. */
  readonly redirectUri: string;
  /** Told why the issuer cannot be asked, once until it can be. */
  readonly onTrouble: (message: string) => void;
}

/** What a sign-in that has begun is known by: in the browser's own cookie, which no script reads. */
export interface BegunSignIn {
  /** To which the browser is sent. */
  readonly url: URL;
  readonly kept: string;
}

export type SignedIn = { readonly ok: true } | { readonly ok: false; readonly why: "refused" | "unavailable" };

const FETCH_S = 5;
/** Sign-ins that end at once, and what the issuer is asked in a minute at most. */
const ASKED_MAX = 30;
const MINUTE_MS = 60_000;
const PARTS = 3;

export class IdentitySignIn {
  readonly #settings: IdentitySettings;
  readonly #now: () => number;
  #opening: Promise<{ readonly library: Library; readonly issuer: Configuration }> | undefined;
  #isDown = false;
  #askedAtMs: number[] = [];
  /** Ended already. */
  readonly #used = new Map<string, number>();

  /** @param now milliseconds that only rise */
  constructor(settings: IdentitySettings, now: () => number) {
    this.#settings = settings;
    this.#now = now;
  }

  /** @returns undefined where the issuer cannot be asked */
  async begin(): Promise<BegunSignIn | undefined> {
    const opened = await this.#open();
    if (opened === undefined) return undefined;
    const { library, issuer } = opened;
    const [state, nonce, verifier] = [secretText(), secretText(), library.randomPKCECodeVerifier()];
    const url = library.buildAuthorizationUrl(issuer, {
      ...{ redirect_uri: this.#settings.redirectUri, scope: "openid", state, nonce },
      ...{ code_challenge: await library.calculatePKCECodeChallenge(verifier), code_challenge_method: "S256" },
    });
    return { url, kept: [state, nonce, verifier].join(".") };
  }

  /** @param query with which the issuer has sent the browser back. @param kept as `begin` gave it */
  async end(query: URLSearchParams, kept: string): Promise<SignedIn> {
    const [state = "", nonce = "", verifier = "", ...more] = kept.split(".");
    const isOurs = more.length === 0 && kept.split(".").length === PARTS && same(state, query.get("state") ?? "");
    if (!isOurs || !this.#isFirst(state)) return REFUSED;
    const opened = this.#mayAsk() ? await this.#open() : undefined;
    if (opened === undefined) return { ok: false, why: "unavailable" };
    const { library, issuer } = opened;
    const url = new URL(this.#settings.redirectUri);
    url.search = query.toString();
    try {
      const tokens = await library.authorizationCodeGrant(issuer, url, {
        ...{ expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true },
      });
      const subject = tokens.claims()?.sub;
      return subject !== undefined && this.#settings.subjects.includes(subject) ? { ok: true } : REFUSED;
    } catch (error) {
      if (isRefusal(library, error)) return REFUSED;
      this.#failed(error);
      return { ok: false, why: "unavailable" };
    }
  }

  async #open() {
    this.#opening ??= this.#discover();
    try {
      const opened = await this.#opening;
      this.#isDown = false;
      return opened;
    } catch (error) {
      this.#opening = undefined;
      this.#failed(error);
      return undefined;
    }
  }

  async #discover() {
    if (!this.#mayAsk()) throw new Error("it was asked too often");
    const { issuer: at, clientId, secret } = this.#settings;
    const library = await import("openid-client");
    const server = new URL(at);
    const authentication = secret === undefined ? library.None() : library.ClientSecretPost(secret.reveal());
    // The settings take http for an address of this machine alone.
    const execute = server.protocol === "http:" ? [library.allowInsecureRequests] : [];
    const issuer = await library.discovery(server, clientId, undefined, authentication, { execute, timeout: FETCH_S });
    // The signature of the ID token too, though it came straight from the issuer.
    library.enableNonRepudiationChecks(issuer);
    return { library, issuer };
  }

  #failed(error: unknown): void {
    if (this.#isDown) return;
    this.#isDown = true;
    const why = error instanceof Error ? error.message : String(error);
    this.#settings.onTrouble(`Nobody can sign in at ${this.#settings.issuer}: ${why}.`);
  }

  #mayAsk(): boolean {
    const nowMs = this.#now();
    this.#askedAtMs = this.#askedAtMs.filter((atMs) => nowMs - atMs < MINUTE_MS);
    if (this.#askedAtMs.length >= ASKED_MAX) return false;
    this.#askedAtMs.push(nowMs);
    return true;
  }

  /** Once each, as long as its cookie lasts; of strangers' no more is kept than the issuer is asked about. */
  #isFirst(state: string): boolean {
    const key = digestOf(state);
    const isFirst = !this.#used.has(key);
    this.#used.set(key, this.#now());
    for (const oldest of [...this.#used.keys()].slice(0, -USED_KEPT)) this.#used.delete(oldest);
    return isFirst;
  }
}

const USED_KEPT = 1_024;
const REFUSED = { ok: false, why: "refused" } as const;

function same(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(digestOf(one), "hex"), Buffer.from(digestOf(other), "hex"));
}

/** The issuer said no, or what it gave was not for this; all else is trouble. */
function isRefusal(library: Library, error: unknown): boolean {
  if (error instanceof library.AuthorizationResponseError) return true;
  if (error instanceof library.ResponseBodyError) return error.status < 500;
  return error instanceof library.ClientError && REFUSALS.includes(error.code ?? "");
}

/** What oauth4webapi says of an answer that is not one to this question. */
const REFUSALS: readonly string[] = [
  "OAUTH_INVALID_RESPONSE",
  "OAUTH_JWT_CLAIM_COMPARISON_FAILED",
  "OAUTH_JWT_TIMESTAMP_CHECK_FAILED",
];
