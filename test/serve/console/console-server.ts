/** A server with its console over a real desk on the real exchange, and a browser that has signed in. */
import { request as send } from "node:http";
import { onTestFinished } from "vitest";
import { createMcpServer } from "../../../src/mcp/index.ts";
import type { ConsoleSession } from "../../../src/serve/console/console-api.ts";
import { type ConsoleSettings, type HttpServing, type HttpSettings, serveOverHttp } from "../../../src/serve/index.ts";
import { openStore, type Store } from "../../../src/store/index.ts";
import { Assistants } from "../../../src/telemetry/index.ts";
import { wordsFor } from "../../../src/words/index.ts";
import type { ExchangeFixture } from "../../fixture/exchange.ts";
import { TOKEN } from "../../fixture/http-address.ts";

export const PIN = "correct horse";

export interface ConsoleServer {
  readonly http: HttpServing;
  readonly store: Store<string, unknown>;
}

const clock = { now: () => Date.now(), sleep: async () => undefined };

/** @param exchange whose desk it is. The store is its own; a test that needs the PIN sets it there, as its key takes a tenth of a second. */
export async function startConsole(
  { desk }: Pick<ExchangeFixture, "desk">,
  settings: Partial<HttpSettings> & { readonly parts?: Partial<ConsoleSettings> } = {},
): Promise<ConsoleServer> {
  const { parts, ...others } = settings;
  const store = await openStore<string, unknown>({ memory: true }, { clock, random: Math.random });
  const assistants = new Assistants(() => Date.now());
  const around = assistants.around((_, call) => call());
  const http = await serveOverHttp({
    factory: createMcpServer({ desk, version: "0.0.0", around }),
    ...{ token: TOKEN, port: 0, seal: store.seal },
    console: {
      ...{ desk, words: wordsFor(), version: "0.0.0", pin: store.pin, pinCommand: "hoga pin" },
      assistants,
      checkChain: () => store.audit.verify(),
      exchangeUrl: async () => "http://127.0.0.1:1",
      ...parts,
    },
    ...others,
  });
  onTestFinished(async () => {
    await http.close();
    store.close();
  });
  return { http, store };
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly json: unknown;
}

export type Sent = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

/** As it is written: a browser's `fetch` would set some of these headers itself. */
export function ask(url: string | URL, { method = "GET", headers = {}, body }: Sent = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = send(new URL(url), { method, headers: { connection: "close", ...headers } }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          get json() {
            return JSON.parse(text) as unknown;
          },
        }),
      );
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** A browser that was let in. */
export class Browser {
  readonly origin: string;
  readonly cookie: string;
  csrf = "";

  private constructor(origin: string, cookie: string) {
    this.origin = origin;
    this.cookie = cookie;
  }

  static async open(link: string): Promise<Browser> {
    const answer = await ask(link);
    const [cookie = ""] = answer.headers["set-cookie"] ?? [];
    const browser = new Browser(new URL(link).origin, /^[^;]+/.exec(cookie)?.[0] ?? "");
    browser.csrf = (await browser.view<ConsoleSession>("session")).csrf;
    return browser;
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return ask(`${this.origin}/console/${path}`, {
      headers: { cookie: this.cookie, "sec-fetch-site": "same-origin", ...headers },
    });
  }

  async view<View>(path: string): Promise<View> {
    const answer = await this.get(path);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer.json as View;
  }

  /** @param headers in place of what a browser sends; undefined leaves one out */
  post(path: string, body: unknown, headers: Readonly<Record<string, string | undefined>> = {}): Promise<Answer> {
    const given = {
      ...{ cookie: this.cookie, origin: this.origin, "sec-fetch-site": "same-origin" },
      ...{ "content-type": "application/json", "x-hoga-csrf": this.csrf },
      ...headers,
    };
    const kept = Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return ask(`${this.origin}/console/${path}`, { method: "POST", headers: Object.fromEntries(kept), body: text });
  }
}
