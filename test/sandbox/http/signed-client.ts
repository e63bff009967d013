/**
 * A client of the sandbox that shares no code with it: signs by hand and sends raw HTTP.
 */
import { createHash, createHmac } from "node:crypto";
import { Agent, type IncomingHttpHeaders, request } from "node:http";

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly json: any;
}

export interface Credentials {
  readonly apiKey: string;
  readonly apiSecret: string;
}

export interface CallOptions {
  readonly body?: unknown;
  /** Sent unchanged; `body` is sent as JSON. */
  readonly rawBody?: string | Buffer;
  readonly headers?: Record<string, string>;
  readonly nonce?: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** Written from the text of service.md#signature. */
export function sign(secret: string, nonce: string, prefix: string, body: string | Buffer): string {
  const inner = createHash("sha256").update(nonce).update(body).digest();
  return createHmac("sha512", Buffer.from(secret, "base64")).update(prefix).update(inner).digest("base64");
}

export function send(
  baseUrl: string,
  method: string,
  target: string,
  headers: Record<string, string> = {},
  body: string | Buffer = "",
): Promise<Reply> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const length = body.length === 0 ? {} : { "Content-Length": String(Buffer.byteLength(body)) };
    const sent = request(
      { hostname, port, method, path: target, agent, headers: { ...length, ...headers } },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("error", reject);
        answer.on("end", () => {
          const text = Buffer.concat(chunks).toString("utf8");
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text, json: jsonOf(text) });
        });
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

let lastNonce = 1_000_000;

export function nextNonce(): string {
  lastNonce += 10;
  return String(lastNonce);
}

/** The headers of a signed call. */
export function signedHeaders(
  { apiKey, apiSecret }: Credentials,
  method: string,
  target: string,
  body: string | Buffer = "",
  nonce: string = nextNonce(),
): Record<string, string> {
  return {
    "API-Key": apiKey,
    "API-Nonce": nonce,
    "API-Sign": sign(apiSecret, nonce, `${method} ${target}`, body),
  };
}

export class SignedClient {
  readonly baseUrl: string;
  readonly credentials: Credentials;

  constructor(baseUrl: string, credentials: Credentials) {
    this.baseUrl = baseUrl;
    this.credentials = credentials;
  }

  call(method: string, target: string, { body, rawBody, headers, nonce }: CallOptions = {}): Promise<Reply> {
    const text = rawBody ?? (body === undefined ? "" : JSON.stringify(body));
    const type: Record<string, string> = text.length === 0 ? {} : { "Content-Type": "application/json" };
    const signed = signedHeaders(this.credentials, method, target, text, nonce);
    return send(this.baseUrl, method, target, { ...type, ...signed, ...headers }, text);
  }

  get(target: string, options?: CallOptions): Promise<Reply> {
    return this.call("GET", target, options);
  }
  delete(target: string, options?: CallOptions): Promise<Reply> {
    return this.call("DELETE", target, options);
  }
  post(target: string, body?: unknown, options?: CallOptions): Promise<Reply> {
    return this.call("POST", target, { ...options, ...(body === undefined ? {} : { body }) });
  }
  /** Default: a limit buy of 0.001 BTC at 90,000,000 KRW. */
  order(fields: Record<string, unknown> = {}, options?: CallOptions): Promise<Reply> {
    const limit = { symbol: "BTC/KRW", side: "buy", type: "limit", volume: "0.001", price: "90000000" };
    return this.post("/v1/orders", { ...limit, ...fields }, options);
  }
}
