/** The heaviest call that each tool which only looks takes, and how it is sent: for the measurement of a halt under them. */
import { Pool } from "undici";

const symbol = "BTC/KRW";
const long = { limit: 500 };

export const HEAVIEST: Readonly<Record<string, object>> = {
  "get_orderbook, picture": { name: "get_orderbook", arguments: { symbol, depth: 500, chart: true } },
  "get_candles, picture": { name: "get_candles", arguments: { symbol, interval: "1m", ...long, chart: true } },
  "get_portfolio, picture": { name: "get_portfolio", arguments: { period: "all", chart: true } },
  get_portfolio: { name: "get_portfolio", arguments: { period: "all", method: "fifo" } },
  get_orderbook: { name: "get_orderbook", arguments: { symbol, depth: 500, side: "buy", quote_amount: "9000000000" } },
  get_candles: { name: "get_candles", arguments: { symbol, interval: "1m", ...long } },
  get_recent_trades: { name: "get_recent_trades", arguments: { symbol, ...long } },
  get_ticker: { name: "get_ticker", arguments: {} },
  get_markets: { name: "get_markets", arguments: { ...long } },
  get_balances: { name: "get_balances", arguments: {} },
  get_open_orders: { name: "get_open_orders", arguments: { limit: 100 } },
  get_order_history: { name: "get_order_history", arguments: { state: "all", limit: 100 } },
  get_trade_history: { name: "get_trade_history", arguments: { limit: 100 } },
  get_audit_log: { name: "get_audit_log", arguments: { limit: 100 } },
  get_desk_status: { name: "get_desk_status", arguments: {} },
  get_order: { name: "get_order", arguments: { userref: "bench-0" } },
  await_order: { name: "await_order", arguments: { userref: "bench-0", timeout_s: 1 } },
};

export type Era = "2025-11-25" | "2026-07-28";

const clientInfo = { name: "bench", version: "1" };
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": clientInfo,
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** One caller over HTTP. */
export class HttpCaller {
  readonly #pool: Pool;
  readonly #headers: Readonly<Record<string, string>>;
  #session: Readonly<Record<string, string>> | undefined;
  #lastId = 0;

  constructor(origin: string, token: string) {
    this.#pool = new Pool(origin, { connections: 64 });
    this.#headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    };
  }

  async begin(): Promise<void> {
    const hello = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
    const { headers } = await this.#post("initialize", hello, {});
    this.#session = {
      "mcp-protocol-version": "2025-11-25",
      "mcp-session-id": String(headers["mcp-session-id"]),
    };
  }

  /** @returns the status and the text of the answer */
  async call(era: Era, params: object): Promise<{ readonly status: number; readonly body: string }> {
    if (era === "2025-11-25") return this.#post("tools/call", params, this.#session ?? {});
    const { name } = params as { readonly name: string };
    const headers = { "mcp-protocol-version": era, "mcp-method": "tools/call", "mcp-name": name };
    return this.#post("tools/call", { ...params, _meta: META }, headers);
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  async #post(method: string, params: object, headers: Readonly<Record<string, string>>) {
    this.#lastId += 1;
    const answer = await this.#pool.request({
      ...{ method: "POST", path: "/mcp", headers: { ...this.#headers, ...headers } },
      body: JSON.stringify({ jsonrpc: "2.0", id: this.#lastId, method, params }),
    });
    return { status: answer.statusCode, headers: answer.headers, body: await answer.body.text() };
  }
}
