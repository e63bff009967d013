/**
 * Owns signing in at an identity provider (OpenID Connect, authorization code with PKCE), for a person at another machine. Loaded only where the
 * settings say so. Entry point: `IdentitySignIn`.
 *
 * Invariants: a sign-in ends in the browser that began it, once, within ten minutes, and only for a subject that the settings name; an ID token
 * counts only with the issuer's signature, for this client and for what this browser began; the issuer is asked only about what was begun here, which
 * the stamp on it shows, and about no more of one address than its share.
 *
 * Source: https://openid.net/specs/openid-connect-core-1_0.html, RFC 9700, decision 0044, decision 0072.
 */
import { timingSafeEqual } from "node:crypto";
import type { Secret } from "../../config/index.ts";
import { digestOf } from "../../config/index.ts";
import { secretText } from "../access/ticket.ts";
import type { Stamp } from "../wire/stamp.ts";
import { IssuerShare } from "./issuer-share.ts";

type Library = typeof import("openid-client");
type Configuration = import("openid-client").Configuration;

export interface IdentitySettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly secret?: Secret;
  /** Who may: `sub` as the issuer names them. */
  readonly subjects: readonly string[];
  /** Takes the browser where the issuer sends the browser back to. */
  readonly redirectUri: string;
  /** Told why the issuer cannot be asked, once until it can be. */
  readonly onTrouble: (message: string) => void;
}

/** Knows a sign-in that has begun: in the browser's own cookie, which no script reads. */
export interface BegunSignIn {
  /** To which the browser is sent. */
  readonly url: URL;
  readonly kept: string;
  /** Bounds how long it may take. */
  readonly seconds: number;
}

/** `busy`: its address has had its share for now, and the sign-in can still be ended. */
export type SignedIn = { readonly ok: true } | { readonly ok: false; readonly why: "refused" | "busy" | "unavailable" };

/** Holds what the issuer sent a browser back with, and what that browser shows. */
export interface Return {
  readonly query: URLSearchParams;
  /** Stands as `begin` gave it; all that the browser has under that name. */
  readonly kept: readonly string[];
  readonly address: string;
}

export interface SignInTools {
  readonly stamp: Stamp;
  /** Milliseconds that only rise. */
  readonly now: () => number;
  /** Unix milliseconds, as other servers of this store have them too. */
  readonly clock: () => number;
}

/** From the beginning of a sign-in to its end. */
const SIGN_IN_MS = 600_000;

const FETCH_S = 5;
/** After the issuer could not be asked about itself, whoever comes meanwhile. */
const AGAIN_MS = 2_000;

export class IdentitySignIn {
  readonly #settings: IdentitySettings;
  readonly #tools: SignInTools;
  readonly #share: IssuerShare;
  #opening: Promise<{ readonly library: Library; readonly issuer: Configuration }> | undefined;
  #isDown = false;
  #failedAtMs = Number.NEGATIVE_INFINITY;
  /** Ended already. */
  readonly #used = new Map<string, number>();

  constructor(settings: IdentitySettings, tools: SignInTools) {
    this.#settings = settings;
    this.#tools = tools;
    this.#share = new IssuerShare(tools.now);
  }

  /** @returns undefined where the issuer, or the store for its stamp, cannot be asked */
  async begin(): Promise<BegunSignIn | undefined> {
    const opened = await this.#open();
    if (opened === undefined) return undefined;
    const { library, issuer } = opened;
    const [state, nonce, verifier] = [secretText(), secretText(), library.randomPKCECodeVerifier()];
    const url = library.buildAuthorizationUrl(issuer, {
      ...{ redirect_uri: this.#settings.redirectUri, scope: "openid", state, nonce },
      ...{ code_challenge: await library.calculatePKCECodeChallenge(verifier), code_challenge_method: "S256" },
    });
    const kept = await this.#tools.stamp.sign(JSON.stringify({ state, nonce, verifier, atMs: this.#tools.clock() }));
    return kept === undefined ? undefined : { url, kept, seconds: SIGN_IN_MS / 1_000 };
  }

  async end({ query, kept, address }: Return): Promise<SignedIn> {
    const begun = await this.#begunAs(kept, query.get("state") ?? "");
    // The issuer has said no, or nothing that could be asked about.
    if (begun === undefined || query.has("error") || !query.has("code")) return REFUSED;
    const { state, nonce, verifier } = begun;
    if (this.#isUsed(state)) return REFUSED;
    if (!this.#share.take(address)) return { ok: false, why: "busy" };
    this.#use(state);
    const opened = await this.#open();
    if (opened === undefined) return { ok: false, why: "unavailable" };
    const { library, issuer } = opened;
    const url = new URL(this.#settings.redirectUri);
    url.search = query.toString();
    try {
      const tokens = await library.authorizationCodeGrant(issuer, url, {
        ...{ expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true },
      });
      const subject = tokens.claims()?.sub;
      if (subject === undefined || !this.#settings.subjects.includes(subject)) return REFUSED;
      this.#share.known(address);
      return { ok: true };
    } catch (error) {
      if (isRefusal(library, error)) return REFUSED;
      this.#failed(error);
      return { ok: false, why: "unavailable" };
    }
  }

  /** @returns what was begun here, in this browser, for this answer, and not long ago */
  async #begunAs(kept: readonly string[], state: string): Promise<Begun | undefined> {
    for (const each of kept) {
      const text = await this.#tools.stamp.open(each);
      if (text === undefined) continue;
      // Only what `begin` wrote is ever opened, so its form is known.
      const begun = JSON.parse(text) as Begun;
      if (same(begun.state, state) && this.#tools.clock() - begun.atMs < SIGN_IN_MS) return begun;
    }
    return undefined;
  }

  async #open() {
    if (this.#opening === undefined && this.#tools.now() - this.#failedAtMs < AGAIN_MS) return undefined;
    this.#opening ??= this.#discover();
    try {
      const opened = await this.#opening;
      this.#isDown = false;
      return opened;
    } catch (error) {
      this.#opening = undefined;
      this.#failedAtMs = this.#tools.now();
      this.#failed(error);
      return undefined;
    }
  }

  async #discover() {
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

  #isUsed(state: string): boolean {
    return this.#used.has(digestOf(state));
  }

  /** Once each, as long as its cookie lasts: of all that the issuer is asked about in that time. */
  #use(state: string): void {
    this.#used.set(digestOf(state), this.#tools.now());
    for (const [key, atMs] of this.#used) if (this.#tools.now() - atMs >= SIGN_IN_MS) this.#used.delete(key);
  }
}

/** Stands in the cookie, under the stamp. */
interface Begun {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly atMs: number;
}

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

/** Lists what oauth4webapi says of an answer that is not one to this question. */
const REFUSALS: readonly string[] = [
  "OAUTH_INVALID_RESPONSE",
  "OAUTH_JWT_CLAIM_COMPARISON_FAILED",
  "OAUTH_JWT_TIMESTAMP_CHECK_FAILED",
];
