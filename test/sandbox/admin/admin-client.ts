/** A client of the admin interface over real HTTP, with valid or invalid requests. */
import { request } from "node:http";

export interface AdminAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  // Tests look into answers of many shapes.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly json: any;
}

export interface AdminSending {
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly rawBody?: string;
}

export class AdminClient {
  readonly #url: string;
  readonly #token: string;

  constructor({ url, token }: { readonly url: string; readonly token: string }) {
    this.#url = url;
    this.#token = token;
  }

  get(path: string, sending?: AdminSending): Promise<AdminAnswer> {
    return this.send("GET", path, undefined, sending);
  }

  post(path: string, body?: unknown, sending?: AdminSending): Promise<AdminAnswer> {
    return this.send("POST", path, body, sending);
  }

  /** Fails the test unless the operation succeeds. */
  async must(method: string, path: string, body?: unknown): Promise<AdminAnswer["json"]> {
    const { status, text, json } = await this.send(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
    return json;
  }

  send(
    method: string,
    path: string,
    body?: unknown,
    { headers = {}, rawBody }: AdminSending = {},
  ): Promise<AdminAnswer> {
    const text = rawBody ?? (body === undefined ? undefined : JSON.stringify(body));
    const own: Record<string, string | undefined> = {
      authorization: `Bearer ${this.#token}`,
      ...(text === undefined
        ? {}
        : { "content-type": "application/json", "content-length": String(Buffer.byteLength(text)) }),
      ...headers,
    };
    const given = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined));
    const { hostname, port } = new URL(this.#url);
    return new Promise((resolve, reject) => {
      const sent = request({ hostname, port, path, method, headers: given, agent: false }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          const answered = Buffer.concat(chunks).toString("utf8");
          const isJson = response.headers["content-type"] === "application/json";
          const json: unknown = isJson ? JSON.parse(answered) : undefined;
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text: answered, json });
        });
      });
      sent.on("error", reject);
      sent.end(text);
    });
  }
}
