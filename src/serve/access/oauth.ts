/**
 * Owns access tokens of an authorization server (OAuth 2.1): hoga is the resource, and believes what the issuer has signed for it.
 * Entry point: `oauthCallers`. Loaded only where the settings say so.
 *
 * Invariants: a token counts only with a signature by a key that the issuer publishes, for this audience and now, and as an access token:
 * what the issuer signs for other ends (who signed in, who signed out) lets nobody in; signatures that could be made with a public key, and tokens without one, are refused before any key is looked for; where the keys cannot be had, nobody
 * is let in; how often and how much is fetched does not depend on what is sent here.
 *
 * Source: RFC 9068 (the token), decision 0035.
 */
import { createRemoteJWKSet, customFetch, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import { Agent, fetch } from "undici";
import { z } from "zod";
import { defined, type Result } from "../../contract/index.ts";
import { scopesAmong } from "../../mcp/index.ts";
import { type Callers, INVALID, UNKNOWN, type Verdict } from "../wire/caller.ts";

type Owner = "operator" | { readonly tenant: string };

export interface OauthSettings {
  /** Letter by letter as in its tokens. */
  readonly issuer: string;
  readonly audience: string;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Whose tenant somebody is: `operator` where there are none, undefined of nobody's. Default: the operator's. */
  readonly ownerOf?: (who: { readonly issuer: string; readonly subject: string }) => Promise<Result<Owner | undefined>>;
  /** Told why the issuer cannot be asked, once until it can be. */
  readonly onTrouble: (message: string) => void;
}

/** Sign by a private key each. */
const ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];
/** Marks an access token, and nothing else that is signed with the same keys. */
const TYPE = "at+jwt";
/** Two clocks are never quite the same. */
const CLOCK_TOLERANCE_S = 5;
const FETCH_MS = 5_000;
const ANSWER_BYTES_MAX = 256 * 1024;
/** Keys are fetched anew so often, and for an unknown key at most so often. */
const KEYS_FRESH_MS = 10 * 60_000;
const KEYS_AGAIN_MS = 30_000;
/** After the issuer could not be asked, it is left alone for so long. */
const PAUSE_MS = 2_000;

/** Lists what is wrong with the token itself. All else is wrong with the issuer, or with us. */
const TOKEN_FAULTS: readonly string[] = [
  errors.JWTExpired.code,
  errors.JWTClaimValidationFailed.code,
  errors.JWTInvalid.code,
  errors.JWSInvalid.code,
  errors.JWSSignatureVerificationFailed.code,
  errors.JOSEAlgNotAllowed.code,
  errors.JOSENotSupported.code,
  errors.JWKSNoMatchingKey.code,
  errors.JWKSMultipleMatchingKeys.code,
];

const claims = z.object({
  iss: z.string(),
  sub: z.string().min(1).max(1_000),
  exp: z.number(),
  scope: z.string().max(10_000).optional(),
  client_id: z.string().max(1_000).optional(),
});

export function oauthCallers(settings: OauthSettings): Callers {
  const { issuer, audience, now } = settings;
  const keys = new IssuerKeys(settings);
  const verify = async (token: string): Promise<JWTPayload> => {
    const options = {
      ...{ issuer, audience, typ: TYPE, algorithms: ALGORITHMS, clockTolerance: CLOCK_TOLERANCE_S },
      ...{ requiredClaims: ["sub", "exp"], currentDate: new Date(now()) },
    };
    return (await jwtVerify(token, keys.find, options)).payload;
  };
  return {
    identify: async (token) => {
      let payload: JWTPayload;
      try {
        payload = await verify(token);
      } catch (error) {
        if (isTokenFault(error)) return INVALID;
        keys.failed(error);
        return { ok: false, why: "unavailable", retryAfterS: Math.ceil(PAUSE_MS / 1_000) };
      }
      return verdictOf(payload, settings);
    },
  };
}

function isTokenFault(error: unknown): boolean {
  return error instanceof errors.JOSEError && TOKEN_FAULTS.includes(error.code);
}

async function verdictOf(payload: JWTPayload, { ownerOf }: OauthSettings): Promise<Verdict> {
  const { data } = claims.safeParse(payload);
  if (data === undefined) return INVALID;
  const { iss, sub, exp, scope = "", client_id: client } = data;
  const owner = await ownerOf?.({ issuer: iss, subject: sub });
  if (owner?.ok === false) return UNKNOWN;
  if (owner !== undefined && owner.value === undefined) return { ok: false, why: "not_admitted" };
  const tenant = tenantIn(owner?.value);
  const identity = {
    // Another client of the same person is another caller, and so is a person of another tenant.
    key: `oauth ${JSON.stringify([iss, sub, client, ...(tenant === undefined ? [] : [tenant])])}`,
    name: sub,
    scopes: scopesAmong(scope.split(" ")),
    ...defined({ tenant }),
  };
  // What was signed cannot be taken back; it is short-lived instead. Whose somebody is can.
  const isRevoked = async (): Promise<boolean> => {
    const again = await ownerOf?.({ issuer: iss, subject: sub });
    return again?.ok === true && (again.value === undefined || tenantIn(again.value) !== tenant);
  };
  return { ok: true, grant: { identity, endsAtMs: exp * 1_000, isRevoked } };
}

function tenantIn(owner: Owner | undefined): string | undefined {
  return typeof owner === "object" ? owner.tenant : undefined;
}

/** Follows RFC 8414 or OpenID Connect: the same for what is needed of it. */
const metadata = z.object({ issuer: z.string(), jwks_uri: z.url() });
const keySet = z.object({ keys: z.array(z.record(z.string(), z.unknown())) });

/** Comes from whoever makes a request: jose sends headers, and gives up after a time. */
interface Given {
  readonly headers?: Headers;
  readonly signal?: AbortSignal;
}

/** The keys that the issuer publishes. */
class IssuerKeys {
  readonly #settings: OauthSettings;
  readonly #agent = new Agent({ connect: { timeout: FETCH_MS, rejectUnauthorized: true } });
  #opening: Promise<JWTVerifyGetKey> | undefined;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  #isDown = false;

  constructor(settings: OauthSettings) {
    this.#settings = settings;
  }

  /** For jose. Rejects where they cannot be had. */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    this.#opening ??= this.#ask(() => this.#discover()).catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    const keys = await this.#opening;
    return keys(header, token);
  };

  failed(error: unknown): void {
    if (this.#isDown) return;
    this.#isDown = true;
    const why = error instanceof Error ? error.message : String(error);
    this.#settings.onTrouble(
      `The keys of ${this.#settings.issuer} cannot be had: ${why}. Whose token needs them is not let in; they are asked for again.`,
    );
  }

  async #discover(): Promise<JWTVerifyGetKey> {
    const { issuer } = this.#settings;
    for (const url of metadataUrls(issuer)) {
      const answer = await this.#fetch(url, {});
      if (answer.status === 404) continue;
      const found = metadata.safeParse(await answer.json().catch(() => undefined));
      if (!answer.ok || !found.success) throw new Error(`${url} shows no metadata of an authorization server`);
      if (found.data.issuer !== issuer) throw new Error(`${url} is of another issuer`);
      const keysUrl = new URL(found.data.jwks_uri);
      if (keysUrl.protocol !== "https:" && keysUrl.origin !== new URL(issuer).origin)
        throw new Error(`${url} names keys at ${keysUrl.origin}, without TLS`);
      return createRemoteJWKSet(keysUrl, {
        ...{ timeoutDuration: FETCH_MS, cooldownDuration: KEYS_AGAIN_MS, cacheMaxAge: KEYS_FRESH_MS },
        [customFetch]: (address, { headers, signal }) => this.#ask(() => this.#keySet(address, { headers, signal })),
      });
    }
    throw new Error("there is no metadata at its well-known addresses");
  }

  async #keySet(url: string, given: Given): Promise<Response> {
    const answer = await this.#fetch(url, given);
    const found = keySet.safeParse(
      await answer
        .clone()
        .json()
        .catch(() => undefined),
    );
    if (!answer.ok || !found.success) throw new Error(`${url} shows no keys`);
    return answer;
  }

  /** Whatever it was that failed, it is not asked for again at once. */
  async #ask<T>(work: () => Promise<T>): Promise<T> {
    if (performance.now() < this.#pausedUntilMs) throw new Error("it could not be asked a moment ago");
    try {
      const answer = await work();
      this.#isDown = false;
      return answer;
    } catch (error) {
      this.#pausedUntilMs = performance.now() + PAUSE_MS;
      throw error instanceof Error && error.message === "fetch failed" ? new Error("it is not reachable") : error;
    }
  }

  /** No redirects, within a time and a size. */
  async #fetch(url: string, { headers, signal = AbortSignal.timeout(FETCH_MS) }: Given): Promise<Response> {
    const shown = defined({ headers: headers && Object.fromEntries(headers) });
    const answer = await fetch(url, { dispatcher: this.#agent, redirect: "manual", signal, ...shown });
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of answer.body ?? []) {
      size += chunk.byteLength;
      if (size > ANSWER_BYTES_MAX) throw new Error(`${url} answers with more than ${ANSWER_BYTES_MAX} bytes`);
      chunks.push(chunk);
    }
    if (answer.status >= 500) throw new Error(`${url} answers ${answer.status}`);
    return new Response(Buffer.concat(chunks), { status: answer.status });
  }
}

/** In the order of MCP's authorization: RFC 8414 first, then OpenID Connect, both with the issuer's path. */
function metadataUrls(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const names = ["oauth-authorization-server", "openid-configuration"];
  const inserted = names.map((name) => `${origin}/.well-known/${name}${path}`);
  return path === "" ? inserted : [...inserted, `${origin}${path}/.well-known/openid-configuration`];
}
