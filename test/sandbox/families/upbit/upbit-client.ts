/**
 * A client of Upbit's API that shares no code with it: makes its tokens by node:crypto, as Upbit's guide says, and sends raw HTTP.
 */
import { createHash, createHmac, randomUUID } from "node:crypto";
import type { SandboxOptions } from "../../../../src/sandbox/index.ts";
import { type Credentials, type Reply, send } from "../../http/signed-client.ts";
import { must, openVenue, type Venue } from "../../http/venue.ts";

/** In order; a list is sent as `name[]=one&name[]=two`. */
export type Fields = Readonly<Record<string, string | readonly string[]>>;

export interface TokenOptions {
  readonly algorithm?: "HS256" | "HS512";
  readonly nonce?: string;
  /** Instead of the claims that belong to the request. */
  readonly claims?: object;
  readonly secret?: string;
  /** Instead of the whole header. */
  readonly authorization?: string | null;
  readonly headers?: Record<string, string>;
}

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

export function tokenOf({ apiKey, apiSecret }: Credentials, text: string, options: TokenOptions = {}): string {
  const { algorithm = "HS512", nonce = randomUUID(), secret = apiSecret } = options;
  const hash = createHash("sha512").update(text).digest("hex");
  const hashed = text === "" ? {} : { query_hash: hash, query_hash_alg: "SHA512" };
  const claims = options.claims ?? { access_key: apiKey, nonce, ...hashed };
  const signed = `${part({ alg: algorithm, typ: "JWT" })}.${part(claims)}`;
  const digest = algorithm === "HS512" ? "sha512" : "sha256";
  return `${signed}.${createHmac(digest, secret).update(signed).digest("base64url")}`;
}

function pairsOf(fields: Fields): readonly (readonly [string, string])[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value] as const] : value.map((item) => [`${name}[]`, item] as const),
  );
}

export class UpbitClient {
  readonly baseUrl: string;
  readonly credentials: Credentials;

  constructor(baseUrl: string, credentials: Credentials) {
    this.baseUrl = baseUrl;
    this.credentials = credentials;
  }

  open(path: string, headers?: Record<string, string>): Promise<Reply> {
    return send(this.baseUrl, "GET", `/v1/${path}`, headers);
  }

  get(path: string, fields?: Fields, options?: TokenOptions): Promise<Reply> {
    return this.#query("GET", path, fields, options);
  }

  delete(path: string, fields?: Fields, options?: TokenOptions): Promise<Reply> {
    return this.#query("DELETE", path, fields, options);
  }

  post(path: string, fields: Readonly<Record<string, string>>, options: TokenOptions = {}): Promise<Reply> {
    const text = Object.entries(fields)
      .map((pair) => pair.join("="))
      .join("&");
    const headers = { "Content-Type": "application/json; charset=utf-8", ...this.#headers(text, options) };
    return send(this.baseUrl, "POST", `/v1/${path}`, headers, JSON.stringify(fields));
  }

  /** Default: a limit buy of 0.001 BTC at 90,000,000. An empty text leaves a field out. */
  order(fields: Readonly<Record<string, string>> = {}, options?: TokenOptions): Promise<Reply> {
    const limit = { market: "KRW-BTC", side: "bid", volume: "0.001", price: "90000000", ord_type: "limit" };
    const given = Object.entries({ ...limit, ...fields }).filter(([, value]) => value !== "");
    return this.post("orders", Object.fromEntries(given), options);
  }

  #query(method: string, path: string, fields: Fields = {}, options: TokenOptions = {}): Promise<Reply> {
    const pairs = pairsOf(fields);
    const text = pairs.map((pair) => pair.join("=")).join("&");
    const sent = pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
    const target = sent === "" ? `/v1/${path}` : `/v1/${path}?${sent}`;
    return send(this.baseUrl, method, target, this.#headers(text, options));
  }

  #headers(text: string, options: TokenOptions): Record<string, string> {
    const { authorization = `Bearer ${tokenOf(this.credentials, text, options)}`, headers = {} } = options;
    return authorization === null ? headers : { Authorization: authorization, ...headers };
  }
}

export interface Upbit {
  readonly venue: Venue;
  /** 10,000,000 won. */
  readonly paper: UpbitClient;
  /** 1,000,000,000 won and 10 BTC. */
  readonly maker: UpbitClient;
}

/** A sandbox that speaks Upbit's API, with rates a thousand times as high unless said otherwise. */
export async function openUpbit({ limits, ...options }: SandboxOptions = {}): Promise<Upbit> {
  const venue = await openVenue({ as: "upbit", limits: { venueRateFactor: 1_000, ...limits }, ...options });
  const clientOf = ({ credentials }: { readonly credentials: Credentials }) =>
    new UpbitClient(venue.sandbox.baseUrl, credentials);
  return { venue, paper: clientOf(venue.paper), maker: clientOf(venue.maker) };
}

/** Status and name of a refusal. @throws unless the answer has exactly the form of one */
export function refusal({ status, json, text }: Reply): readonly [status: number, name: string | number] {
  const names = json === undefined ? [] : [...Object.keys(json), ...Object.keys(json.error ?? {})];
  if (status < 400 || names.join() !== "error,name,message") throw new Error(`not a refusal: ${status} ${text}`);
  return [status, json.error.name];
}

/** Puts coins or money into an account. */
export function deposit({ sandbox, clock }: Venue, accountId: string, asset: string, amount: bigint): void {
  must(sandbox.exchange.apply({ type: "deposit", accountId, asset, amount }, clock.now));
}
