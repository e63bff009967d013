/**
 * A client of Coinone's API that shares no code with it: makes payload and signature by node:crypto, as Coinone's samples do, and sends raw HTTP.
 */
import { createHmac, randomUUID } from "node:crypto";
import type { SandboxOptions } from "../../../../src/sandbox/index.ts";
import { type Credentials, type Reply, send } from "../../http/signed-client.ts";
import { openVenue, type Venue } from "../../http/venue.ts";

export type Fields = Readonly<Record<string, unknown>>;

export interface CallOptions {
  readonly nonce?: unknown;
  readonly secret?: string;
  /** Instead of the whole payload, before base64. */
  readonly text?: string;
  /** Instead of the headers; null leaves them out. */
  readonly payload?: string | null;
  readonly signature?: string | null;
  /** Sent as the body; the JSON of the payload without it. */
  readonly body?: string;
}

export function headersOf({ apiKey, apiSecret }: Credentials, fields: Fields, options: CallOptions = {}) {
  const { nonce = randomUUID(), secret = apiSecret } = options;
  const text = options.text ?? JSON.stringify({ access_token: apiKey, nonce, ...fields });
  const { payload = Buffer.from(text).toString("base64") } = options;
  const {
    signature = createHmac("sha512", secret)
      .update(payload ?? "")
      .digest("hex"),
  } = options;
  const headers: Record<string, string> = { "Content-Type": "application/json" };
  if (payload !== null) headers["X-COINONE-PAYLOAD"] = payload;
  if (signature !== null) headers["X-COINONE-SIGNATURE"] = signature;
  return { headers, text };
}

export const BTC = { quote_currency: "KRW", target_currency: "BTC" } as const;

export class CoinoneClient {
  readonly baseUrl: string;
  readonly credentials: Credentials;

  constructor(baseUrl: string, credentials: Credentials) {
    this.baseUrl = baseUrl;
    this.credentials = credentials;
  }

  open(path: string): Promise<Reply> {
    return send(this.baseUrl, "GET", `/public/v2/${path}`);
  }

  post(path: string, fields: Fields = {}, options: CallOptions = {}): Promise<Reply> {
    const { headers, text } = headersOf(this.credentials, fields, options);
    return send(this.baseUrl, "POST", `/v2.1/${path}`, headers, options.body ?? text);
  }

  /** Default: a limit buy of 0.001 BTC at 90,000,000. A field that is undefined is left out. */
  order(fields: Fields = {}, options?: CallOptions): Promise<Reply> {
    const limit = { ...BTC, side: "BUY", type: "LIMIT", price: "90000000", qty: "0.001", post_only: false };
    return this.post("order", { ...limit, ...fields }, options);
  }

  /** Without the fields of a limit order. */
  market(fields: Fields): Promise<Reply> {
    return this.post("order", { ...BTC, type: "MARKET", ...fields });
  }

  detail(ids: Fields, pair: Fields = BTC): Promise<Reply> {
    return this.post("order/detail", { ...pair, ...ids });
  }

  cancel(ids: Fields, pair: Fields = BTC): Promise<Reply> {
    return this.post("order/cancel", { ...pair, ...ids });
  }
}

export interface Coinone {
  readonly venue: Venue;
  /** 10,000,000 won. */
  readonly paper: CoinoneClient;
  /** 1,000,000,000 won and 10 BTC. */
  readonly maker: CoinoneClient;
}

/** A sandbox that speaks Coinone's API, with rates a thousand times as high unless said otherwise. */
export async function openCoinone({ limits, ...options }: SandboxOptions = {}): Promise<Coinone> {
  const venue = await openVenue({ as: "coinone", limits: { venueRateFactor: 1_000, ...limits }, ...options });
  const clientOf = ({ credentials }: { readonly credentials: Credentials }) =>
    new CoinoneClient(venue.sandbox.baseUrl, credentials);
  return { venue, paper: clientOf(venue.paper), maker: clientOf(venue.maker) };
}

/** The code of a refusal. @throws unless the answer has exactly the form of one */
export function refusal({ status, json, text }: Reply): string {
  const names = Object.keys(json ?? {}).join();
  if (status !== 200 || names !== "result,error_code,error_msg" || json.result !== "error")
    throw new Error(`not a refusal: ${status} ${text}`);
  return json.error_code;
}

/** An answer without what every answer has. @throws for a refusal */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export function answered({ status, json, text }: Reply): any {
  if (status !== 200 || json?.result !== "success" || json.error_code !== "0") throw new Error(`refused: ${text}`);
  const { result: _, error_code: __, ...rest } = json;
  return rest;
}

/** Ends the orders of an account that are open, so that the next test finds an empty book. */
export async function clearBook({ paper, maker }: Coinone): Promise<void> {
  for (const client of [paper, maker]) await client.post("order/cancel/all", BTC);
}
