/**
 * A client of the alias endpoints that shares no code with them: signs by hand and sends raw HTTP.
 */
import { createHmac } from "node:crypto";
import { aliasError } from "../../../src/contract/alias/answer.ts";
import { type Credentials, type Reply, send } from "../http/signed-client.ts";

export type Parameters = Readonly<Record<string, string>>;

export interface AliasCallOptions {
  /** Sends the parameters as a form instead of in the query. */
  readonly form?: boolean;
  readonly headers?: Record<string, string>;
  /** Instead of the clock's time. */
  readonly timestamp?: string;
  /** Instead of the right one. */
  readonly signature?: string;
}

/** As clients of the dialect write them. */
export function encoded(parameters: Parameters): string {
  return Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join("&");
}

export function aliasSignature(secret: string, text: string): string {
  return createHmac("sha256", secret).update(text).digest("hex");
}

export const LIMIT = {
  symbol: "BTCKRW",
  side: "BUY",
  type: "LIMIT",
  timeInForce: "GTC",
  quantity: "0.001",
  price: "90000000",
};

export class AliasClient {
  readonly baseUrl: string;
  readonly credentials: Credentials;
  readonly clock: { readonly now: number };

  constructor(baseUrl: string, credentials: Credentials, clock: { readonly now: number }) {
    this.baseUrl = baseUrl;
    this.credentials = credentials;
    this.clock = clock;
  }

  call(method: string, path: string, parameters: Parameters = {}, options: AliasCallOptions = {}): Promise<Reply> {
    const { form = false, timestamp = String(this.clock.now) } = options;
    const text = encoded({ ...parameters, timestamp });
    const signature = options.signature ?? aliasSignature(this.credentials.apiSecret, text);
    const signed = `${text}&signature=${signature}`;
    const headers = { "X-MBX-APIKEY": this.credentials.apiKey, ...options.headers };
    const target = `/api/v3/${path}`;
    if (!form) return send(this.baseUrl, method, `${target}?${signed}`, headers);
    return send(
      this.baseUrl,
      method,
      target,
      { "Content-Type": "application/x-www-form-urlencoded", ...headers },
      signed,
    );
  }

  get(path: string, parameters?: Parameters, options?: AliasCallOptions): Promise<Reply> {
    return this.call("GET", path, parameters, options);
  }
  delete(path: string, parameters?: Parameters, options?: AliasCallOptions): Promise<Reply> {
    return this.call("DELETE", path, parameters, options);
  }
  post(path: string, parameters?: Parameters, options?: AliasCallOptions): Promise<Reply> {
    return this.call("POST", path, parameters, options);
  }
  /** Default: a limit buy of 0.001 BTC at 90,000,000 KRW. An empty text omits a parameter. */
  order(parameters: Parameters = {}, options?: AliasCallOptions): Promise<Reply> {
    const given = Object.entries({ ...LIMIT, ...parameters }).filter(([, value]) => value !== "");
    return this.post("order", Object.fromEntries(given), options);
  }
  /** A market order; without `timeInForce` and `price`. */
  market(parameters: Parameters, options?: AliasCallOptions): Promise<Reply> {
    return this.order({ type: "MARKET", timeInForce: "", price: "", quantity: "", ...parameters }, options);
  }
}

/** Status and number of a refusal. @throws unless the answer has exactly the dialect's error form */
export function refusal({ status, json, text }: Reply): [status: number, code: number] {
  const parsed = aliasError.strict().safeParse(json);
  if (!parsed.success || status < 400) throw new Error(`not a refusal: ${status} ${text}`);
  return [status, parsed.data.code];
}
