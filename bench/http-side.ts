/** A server over HTTP that is measured from outside: calls of `get_ticker` in both eras, so many at once, by wall time and by its own processor time. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { Pool } from "undici";
import { processCost } from "./process-cost.ts";

export type Era = "2025-11-25" | "2026-07-28";

interface Address {
  readonly mcp_url: string;
  readonly http_configuration?: {
    readonly mcpServers: { readonly hoga: { readonly headers: Record<string, string> } };
  };
}

const clientInfo = { name: "bench", version: "1" };
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": clientInfo,
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** One server under test, and how it is asked. */
export class Side {
  readonly #child: ChildProcess;
  readonly #pool: Pool;
  readonly #path: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #sessions = new Map<Era, Readonly<Record<string, string>>>();
  #lastId = 0;

  private constructor(child: ChildProcess, { mcp_url, http_configuration }: Address) {
    this.#child = child;
    const { origin, pathname } = new URL(mcp_url);
    this.#pool = new Pool(origin, { connections: 64 });
    this.#path = pathname;
    this.#headers = {
      ...http_configuration?.mcpServers.hoga.headers,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    };
  }

  static async start(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Side> {
    const child = spawn(process.execPath, [...args], {
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [first] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
    const side = new Side(child, JSON.parse(first) as Address);
    const hello = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
    const { headers } = await side.#post("initialize", hello, {});
    const session = headers["mcp-session-id"];
    side.#sessions.set("2025-11-25", {
      "mcp-protocol-version": "2025-11-25",
      ...(typeof session === "string" ? { "mcp-session-id": session } : {}),
    });
    const named = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "get_ticker" };
    side.#sessions.set("2026-07-28", named);
    return side;
  }

  async call(era: Era): Promise<void> {
    const params = { name: "get_ticker", arguments: { symbols: ["BTC/KRW"] } };
    const { body } = await this.#post(
      "tools/call",
      era === "2026-07-28" ? { ...params, _meta: META } : params,
      this.#sessions.get(era),
    );
    if (!body.includes("BTC/KRW") || body.includes('"isError":true')) throw new Error(`no ticker: ${body}`);
  }

  /** How many it offers. */
  async tools(): Promise<number> {
    const { body } = await this.#post("tools/list", {}, this.#sessions.get("2025-11-25"));
    return body.match(/"inputSchema"/g)?.length ?? 0;
  }

  async measure(era: Era, atOnce: number, forMs: number): Promise<Measure> {
    const begun = performance.now();
    const cpuMs = (): number => processCost(this.#child.pid ?? 0)?.cpuMs ?? Number.NaN;
    const cpuBefore = cpuMs();
    let calls = 0;
    const caller = async (): Promise<void> => {
      do {
        await this.call(era);
        calls += 1;
      } while (performance.now() - begun < forMs);
    };
    await Promise.all(Array.from({ length: atOnce }, caller));
    return {
      perSecond: (calls * 1_000) / (performance.now() - begun),
      perCpuSecond: (calls * 1_000) / (cpuMs() - cpuBefore),
    };
  }

  async close(): Promise<void> {
    await this.#pool.close();
    const ended = once(this.#child, "exit");
    this.#child.kill();
    await ended;
  }

  async #post(method: string, params: object, headers: Readonly<Record<string, string>> = {}) {
    this.#lastId += 1;
    const answer = await this.#pool.request({
      method: "POST",
      path: this.#path,
      headers: { ...this.#headers, ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", id: this.#lastId, method, params }),
    });
    const body = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`${method}: ${answer.statusCode} ${body}`);
    return { headers: answer.headers, body };
  }
}

export interface Measure {
  readonly perSecond: number;
  /** Of the server's own processor time, which says more on a busy machine. */
  readonly perCpuSecond: number;
}
