/**
 * A client of the Trading API that shares no code with it: forms written and signed by hand, over raw HTTP.
 */
import { isDeepStrictEqual } from "node:util";
import { TRADING_OPERATIONS, type TradingOperationId } from "../../../src/contract/index.ts";
import { type Credentials, nextNonce, type Reply, send, sign } from "../http/signed-client.ts";

export type Form = Readonly<Record<string, string>>;

export const COMPLIANCE = {
  vasp_purpose_code: "P2B_TRADE",
  originator_vasp_id: "VASP-KR-1",
  kyc_level: "TIER3",
  settlement_mode: "INSTANT_KRW",
};

export const FORM_TYPE = { "Content-Type": "application/x-www-form-urlencoded" };

/** Fields as a form, in their order. */
export function formOf(fields: Form): string {
  return Object.entries(fields)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join("&");
}

export interface FormOptions {
  readonly nonce?: string;
  readonly headers?: Record<string, string>;
  /** Sent unchanged; must contain the nonce. */
  readonly rawBody?: string;
}

export class TradingCaller {
  readonly baseUrl: string;
  readonly credentials: Credentials;

  constructor(baseUrl: string, credentials: Credentials) {
    this.baseUrl = baseUrl;
    this.credentials = credentials;
  }

  /** Over GET. */
  ask(operation: string, fields: Form = {}): Promise<Reply> {
    const query = formOf(fields);
    return send(this.baseUrl, "GET", `/0/public/${operation}${query === "" ? "" : `?${query}`}`);
  }

  /** A signed POST. */
  post(
    operation: string,
    fields: Form = {},
    { nonce = nextNonce(), headers, rawBody }: FormOptions = {},
  ): Promise<Reply> {
    const path = `/0/private/${operation}`;
    const body = rawBody ?? formOf({ nonce, ...fields });
    const signed = {
      "API-Key": this.credentials.apiKey,
      "API-Sign": sign(this.credentials.apiSecret, nonce, path, body),
    };
    return send(this.baseUrl, "POST", path, { ...FORM_TYPE, ...signed, ...headers }, body);
  }

  /** Default: a limit buy of 0.001 BTC at 90,000,000 KRW. */
  add(fields: Form = {}): Promise<Reply> {
    const limit = { pair: "BTC/KRW", type: "buy", ordertype: "limit", volume: "0.001", price: "90000000" };
    return this.post("AddOrder", { ...limit, ...COMPLIANCE, ...fields });
  }

  market(fields: Form): Promise<Reply> {
    return this.post("AddOrder", { pair: "BTC/KRW", type: "buy", ordertype: "market", ...COMPLIANCE, ...fields });
  }
}

/** The result of an operation. @throws unless the answer has exactly the shape of the contract */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export function resultOf(operation: TradingOperationId, { status, json, text }: Reply): any {
  const { error, result, ...more } = json;
  const parsed = TRADING_OPERATIONS[operation].result.safeParse(result);
  const isWhole = status === 200 && Array.isArray(error) && error.length === 0 && Object.keys(more).length === 0;
  if (!isWhole || !parsed.success || !isDeepStrictEqual(parsed.data, result))
    throw new Error(`not a result of ${operation}: ${status} ${text} ${parsed.error?.message ?? ""}`);
  return result;
}

/** The code of a refusal. @throws unless the answer has exactly the form of one */
export function refusalOf({ status, json, text }: Reply): string {
  const [code] = json?.error ?? [];
  if (status !== 200 || typeof code !== "string" || !isDeepStrictEqual(json, { error: [code], result: {} }))
    throw new Error(`not a refusal: ${status} ${text}`);
  return code;
}
