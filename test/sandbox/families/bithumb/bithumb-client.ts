/**
 * A client of Bithumb's API that shares no code with it: makes its tokens by node:crypto, as Bithumb's guide says, and sends raw HTTP.
 */
import { createHash, createHmac, randomUUID } from "node:crypto";
import type { SandboxOptions } from "../../../../src/sandbox/index.ts";
import { type Credentials, type Reply, send } from "../../http/signed-client.ts";
import { openVenue, type Venue } from "../../http/venue.ts";

/** In order; a list is sent as `name[]=one&name[]=two`, or as a list in a body. */
export type Fields = Readonly<Record<string, string | readonly string[]>>;

export interface TokenOptions {
  readonly algorithm?: string;
  readonly nonce?: string;
  /** Besides the claims that belong to the request, or in their place. */
  readonly claims?: object;
  readonly secret?: string;
  /** Instead of the whole header. */
  readonly authorization?: string | null;
  /** Hashed instead of what is sent. */
  readonly hashed?: string;
}

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

export function tokenOf({ apiKey, apiSecret }: Credentials, text: string, options: TokenOptions = {}): string {
  const { algorithm = "HS256", nonce = randomUUID(), secret = apiSecret, hashed = text } = options;
  const hash = createHash("sha512").update(hashed).digest("hex");
  const query = text === "" ? {} : { query_hash: hash, query_hash_alg: "SHA512" };
  const claims = { access_key: apiKey, nonce, timestamp: Date.now(), ...query, ...options.claims };
  const signed = `${part({ alg: algorithm, typ: "JWT" })}.${part(claims)}`;
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
}

function pairsOf(fields: Fields): readonly (readonly [string, string])[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value] as const] : value.map((item) => [`${name}[]`, item] as const),
  );
}

const joined = (pairs: readonly (readonly [string, string])[]): string => pairs.map((pair) => pair.join("=")).join("&");

export class BithumbClient {
  readonly baseUrl: string;
  readonly credentials: Credentials;
  readonly #now: () => number;

  constructor(baseUrl: string, credentials: Credentials, now = Date.now) {
    this.baseUrl = baseUrl;
    this.credentials = credentials;
    this.#now = now;
  }

  open(path: string): Promise<Reply> {
    return send(this.baseUrl, "GET", `/v1/${path}`);
  }

  get(path: string, fields?: Fields, options?: TokenOptions): Promise<Reply> {
    return this.#query("GET", path, fields, options);
  }

  delete(path: string, fields?: Fields, options?: TokenOptions): Promise<Reply> {
    return this.#query("DELETE", path, fields, options);
  }

  post(path: string, fields: Fields, options: TokenOptions = {}): Promise<Reply> {
    const headers = { "Content-Type": "application/json", ...this.#headers(joined(pairsOf(fields)), options) };
    return send(this.baseUrl, "POST", path, headers, JSON.stringify(fields));
  }

  /** Default: a limit buy of 0.001 BTC at 90,000,000. An empty text leaves a field out. */
  order(fields: Readonly<Record<string, string>> = {}, options?: TokenOptions): Promise<Reply> {
    const limit = { market: "KRW-BTC", side: "bid", volume: "0.001", price: "90000000", order_type: "limit" };
    const given = Object.entries({ ...limit, ...fields }).filter(([, value]) => value !== "");
    return this.post("/v2/orders", Object.fromEntries(given), options);
  }

  /** By the account's own id of it. */
  byName(name: string): Promise<Reply> {
    return this.get("/v1/order", { client_order_id: name });
  }

  #query(method: string, path: string, fields: Fields = {}, options: TokenOptions = {}): Promise<Reply> {
    const pairs = pairsOf(fields);
    const sent = joined(pairs.map(([name, value]) => [name, encodeURIComponent(value)]));
    return send(this.baseUrl, method, sent === "" ? path : `${path}?${sent}`, this.#headers(joined(pairs), options));
  }

  #headers(text: string, options: TokenOptions): Record<string, string> {
    const claims = { timestamp: this.#now(), ...options.claims };
    const { authorization = `Bearer ${tokenOf(this.credentials, text, { ...options, claims })}` } = options;
    return authorization === null ? {} : { Authorization: authorization };
  }
}

export interface Bithumb {
  readonly venue: Venue;
  /** 10,000,000 won. */
  readonly paper: BithumbClient;
  /** 1,000,000,000 won and 10 BTC. */
  readonly maker: BithumbClient;
}

/** A sandbox that speaks Bithumb's API, with rates a thousand times as high unless said otherwise. */
export async function openBithumb({ limits, ...options }: SandboxOptions = {}): Promise<Bithumb> {
  const venue = await openVenue({ as: "bithumb", limits: { venueRateFactor: 1_000, ...limits }, ...options });
  const clientOf = ({ credentials }: { readonly credentials: Credentials }) =>
    new BithumbClient(venue.sandbox.baseUrl, credentials, () => venue.clock.now);
  return { venue, paper: clientOf(venue.paper), maker: clientOf(venue.maker) };
}

/** Status and name of a refusal. @throws unless the answer has exactly the form of one */
export function refusal({ status, json, text }: Reply): readonly [status: number, name: string | number] {
  const names = json === undefined ? [] : [...Object.keys(json), ...Object.keys(json.error ?? {})];
  if (names.join() !== "error,name,message") throw new Error(`not a refusal: ${status} ${text}`);
  return [status, json.error.name];
}
