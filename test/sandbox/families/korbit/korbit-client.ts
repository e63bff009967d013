/**
 * A client of Korbit's API that shares no code with it: signs by node:crypto, as Korbit's reference says, and sends raw HTTP.
 */
import { createHmac, sign } from "node:crypto";
import type { SandboxOptions } from "../../../../src/sandbox/index.ts";
import { AdminClient } from "../../admin/admin-client.ts";
import { type Credentials, type Reply, send } from "../../http/signed-client.ts";
import { must, openVenue, type Venue } from "../../http/venue.ts";

type Fields = Readonly<Record<string, string>>;

export interface SigningOptions {
  readonly timestamp?: number;
  readonly recvWindow?: string;
  /** PEM; with it the call is signed by Ed25519. */
  readonly privateKey?: string;
  /** Makes another text of the parameters that are sent, signature and all. */
  readonly sent?: (text: string) => string;
  readonly headers?: Record<string, string>;
}

const form = (fields: Fields): string => new URLSearchParams(fields).toString();

export class KorbitClient {
  readonly baseUrl: string;
  readonly credentials: Credentials;
  readonly #now: () => number;

  constructor(baseUrl: string, credentials: Credentials, now: () => number = Date.now) {
    this.baseUrl = baseUrl;
    this.credentials = credentials;
    this.#now = now;
  }

  open(path: string): Promise<Reply> {
    return send(this.baseUrl, "GET", `/v2/${path}`);
  }

  get(path: string, fields?: Fields, options?: SigningOptions): Promise<Reply> {
    return this.#query("GET", path, fields, options);
  }

  /** Default: of `btc_krw`. */
  cancel(fields: Fields, options?: SigningOptions): Promise<Reply> {
    return this.#query("DELETE", "orders", { symbol: "btc_krw", ...fields }, options);
  }

  find(fields: Fields): Promise<Reply> {
    return this.get("orders", { symbol: "btc_krw", ...fields });
  }

  /** Default: a limit buy of 0.001 BTC at 90,000,000. An empty text leaves a field out. */
  order(fields: Fields = {}, options: SigningOptions = {}): Promise<Reply> {
    const limit = { symbol: "btc_krw", side: "buy", orderType: "limit", price: "90000000", qty: "0.001" };
    const given = Object.entries({ ...limit, ...fields }).filter(([, value]) => value !== "");
    const body = this.signed(Object.fromEntries(given), options);
    const headers = { "Content-Type": "application/x-www-form-urlencoded", ...this.headers(options) };
    return send(this.baseUrl, "POST", "/v2/orders", headers, body);
  }

  /** The parameters with time and signature, encoded. */
  signed(fields: Fields, { timestamp = this.#now(), recvWindow, privateKey, sent }: SigningOptions = {}): string {
    const window = recvWindow === undefined ? {} : { recvWindow };
    const text = form({ ...fields, timestamp: String(timestamp), ...window });
    const signature =
      privateKey === undefined
        ? createHmac("sha256", this.credentials.apiSecret).update(text).digest("hex")
        : sign(null, Buffer.from(text), privateKey).toString("base64");
    const whole = `${text}&${form({ signature })}`;
    return sent === undefined ? whole : sent(whole);
  }

  headers({ headers = {} }: SigningOptions = {}): Record<string, string> {
    return { "X-KAPI-KEY": this.credentials.apiKey, ...headers };
  }

  #query(method: string, path: string, fields: Fields = {}, options: SigningOptions = {}): Promise<Reply> {
    return send(this.baseUrl, method, `/v2/${path}?${this.signed(fields, options)}`, this.headers(options));
  }
}

export interface Korbit {
  readonly venue: Venue;
  /** 10,000,000 won. */
  readonly paper: KorbitClient;
  /** 1,000,000,000 won and 10 BTC. */
  readonly maker: KorbitClient;
  readonly admin: AdminClient;
  /** An account of its own with 10,000,000 won, for tests that share a sandbox. */
  account(name: string): KorbitClient;
}

/** A sandbox that speaks Korbit's API, with rates a thousand times as high unless said otherwise. */
export async function openKorbit({ limits, ...options }: SandboxOptions = {}): Promise<Korbit> {
  const venue = await openVenue({
    as: "korbit",
    admin: {},
    limits: { venueRateFactor: 1_000, ...limits },
    ...options,
  });
  const { sandbox, clock } = venue;
  const clientOf = ({ credentials }: { readonly credentials: Credentials }) =>
    new KorbitClient(sandbox.baseUrl, credentials, () => clock.now);
  const account = (accountId: string): KorbitClient => {
    must(sandbox.exchange.apply({ type: "createAccount", accountId, krwAccountLinked: true }, clock.now));
    deposit(venue, accountId, "KRW", 10_000_000n);
    return clientOf(venue.addKey({ accountId }));
  };
  const admin = new AdminClient(sandbox.admin ?? { url: "", token: "" });
  return { venue, paper: clientOf(venue.paper), maker: clientOf(venue.maker), admin, account };
}

/** Status and name of a refusal. @throws unless the answer has exactly the form of one */
export function refusal({ status, json, text }: Reply): readonly [status: number, name: string] {
  const names = json === undefined ? [] : [...Object.keys(json), ...Object.keys(json.error ?? {})];
  const isRefusal = json?.success === false && names.join() === "success,error,code,message,description";
  if (!isRefusal || json.error.code !== status) throw new Error(`not a refusal: ${status} ${text}`);
  return [status, json.error.message];
}

/** Puts whole coins or won into an account. */
export function deposit({ sandbox, clock }: Venue, accountId: string, asset: string, amount: bigint): void {
  must(sandbox.exchange.apply({ type: "deposit", accountId, asset, amount: amount * 100_000_000n }, clock.now));
}
