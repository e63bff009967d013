/** Assistants that trade through the proxy, and remember what they were told of every order that they asked for. */
import { randomUUID } from "node:crypto";
import { pause } from "./programs.ts";

/** What an agent was told, in the end, of an order that it asked for; `nothing` where no answer came. */
export interface Asked {
  readonly tenant: string;
  readonly userref: string;
  told: "accepted" | "rejected" | "not_sent" | "waiting" | "unknown" | "nothing";
  orderId: string | undefined;
}

interface Reply {
  readonly outcome?: string;
  readonly state?: string;
  readonly userref?: string;
  readonly order_id?: string;
  readonly preview_id?: string;
  readonly brake?: unknown;
  readonly error?: { readonly code?: string; readonly message?: string };
}

export interface Called {
  readonly reply: Reply | undefined;
  /** What was wrong with the way. */
  readonly trouble: string | undefined;
}

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "soak", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
const CALL_MS = 70_000;
/** Between two calls of an agent: eight of them share one key, and what the exchange lets a key do. */
const PAUSE_MS = 8_000;

export interface Log {
  readonly asked: Asked[];
  /** Milliseconds of answered calls, by tool. */
  readonly ms: Map<string, number[]>;
  /** Calls by how they ended. */
  readonly ends: Map<string, number>;
  /** Those that took long, by the half minute in which they began. */
  readonly slow: Map<number, number>;
  readonly beganMs: number;
}

const SLOW_MS = 10_000;

export function newLog(): Log {
  return { asked: [], ms: new Map(), ends: new Map(), slow: new Map(), beganMs: performance.now() };
}

export function add<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** One call of the 2026 era: whole in itself, so any replica may answer it. */
export async function callAt(url: string, token: string, name: string, args: object = {}): Promise<Called> {
  const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args, _meta: META } };
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": name,
    authorization: `Bearer ${token}`,
  };
  try {
    const signal = AbortSignal.timeout(CALL_MS);
    const answer = await fetch(`${url}/mcp`, { method: "POST", headers, body: JSON.stringify(body), signal });
    return read(answer.status, await answer.text());
  } catch (error) {
    return { reply: undefined, trouble: error instanceof Error ? error.name : "error" };
  }
}

interface Message {
  readonly result?: { readonly structuredContent?: Reply };
}

function read(status: number, text: string): Called {
  const json = text.startsWith("{")
    ? text
    : text
        .split("\n")
        .findLast((line) => line.startsWith("data: {"))
        ?.slice(6);
  const { result } = json === undefined ? {} : (JSON.parse(json) as Message);
  const reply = result?.structuredContent;
  return { reply, trouble: reply === undefined ? `HTTP ${status}` : undefined };
}

/** One session of the 2025 era, begun anew where it was lost. */
class Session {
  readonly #url: string;
  readonly #headers: Record<string, string>;
  #id: string | undefined;

  constructor(url: string, token: string) {
    this.#url = `${url}/mcp`;
    this.#headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${token}`,
    };
  }

  async call(name: string, args: object): Promise<Called> {
    try {
      if (this.#id === undefined) await this.#begin();
      const { status, text } = await this.#post({ id: 2, method: "tools/call", params: { name, arguments: args } });
      if (status === 404) this.#id = undefined;
      return read(status, text);
    } catch (error) {
      this.#id = undefined;
      return { reply: undefined, trouble: error instanceof Error ? error.name : "error" };
    }
  }

  async #begin(): Promise<void> {
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "soak", version: "1" } };
    const { status, id } = await this.#post({ id: 1, method: "initialize", params });
    if (status !== 200 || id === null) throw new Error(`initialize: ${status}`);
    this.#id = id;
    await this.#post({ method: "notifications/initialized" });
  }

  async #post(
    message: object,
  ): Promise<{ readonly status: number; readonly text: string; readonly id: string | null }> {
    const own = this.#id === undefined ? {} : { "mcp-session-id": this.#id, "mcp-protocol-version": "2025-11-25" };
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    const signal = AbortSignal.timeout(CALL_MS);
    const answer = await fetch(this.#url, { method: "POST", headers: { ...this.#headers, ...own }, body, signal });
    return { status: answer.status, text: await answer.text(), id: answer.headers.get("mcp-session-id") };
  }
}

/** Takes words in their places' shares: `["read", 5]` comes five times as often as one of 1. */
function drawn<T>(shares: readonly (readonly [T, number])[], random: () => number): T {
  let left = random() * shares.reduce((sum, [, share]) => sum + share, 0);
  for (const [word, share] of shares) {
    left -= share;
    if (left < 0) return word;
  }
  throw new Error("nothing to draw");
}

/** What costs the key nothing comes most: it is the orders that matter here. */
const READS = [
  "get_ticker",
  "get_ticker",
  "get_orderbook",
  "get_orderbook",
  "get_audit_log",
  "get_audit_log",
  "get_open_orders",
];
const MARKET = { symbol: "BTC/KRW" };
const SHARES = [
  ["read", 30],
  ["preview", 4],
  ["place", 30],
  ["place dear", 4],
  ["place at the market", 6],
  ["cancel", 10],
  ["replace", 5],
  ["await", 3],
  ["cancel all", 1],
] as const;

export interface Agent {
  readonly url: string;
  readonly tenant: { readonly name: string; readonly token: string };
  readonly isOfSessions: boolean;
  readonly random: () => number;
}

/** Works until it is told to stop. */
export async function work(
  { url, tenant, isOfSessions, random }: Agent,
  log: Log,
  isOver: () => boolean,
): Promise<void> {
  const { name: tenantName, token } = tenant;
  const session = isOfSessions ? new Session(url, token) : undefined;
  const own: Asked[] = [];
  const call = async (name: string, args: object = {}): Promise<Reply | undefined> => {
    const beganMs = performance.now();
    const { reply, trouble } = await (session?.call(name, args) ?? callAt(url, token, name, args));
    const [ms, tookMs] = [log.ms.get(name) ?? [], performance.now() - beganMs];
    if (trouble === undefined) log.ms.set(name, [...ms, tookMs]);
    if (tookMs > SLOW_MS) add(log.slow, Math.floor((beganMs - log.beganMs) / 30_000) * 30);
    add(log.ends, trouble ?? reply?.error?.code ?? reply?.outcome ?? "read");
    return reply;
  };
  const place = async (order: object): Promise<void> => {
    const userref = `a-${randomUUID().slice(0, 18)}`;
    const asked: Asked = { tenant: tenantName, userref, told: "nothing", orderId: undefined };
    own.push(asked);
    log.asked.push(asked);
    const ask = () => call("place_order", { ...MARKET, ...order, userref: asked.userref });
    let reply = await ask();
    // An agent that heard nothing may ask again by the same name, and by another replica.
    if (reply === undefined && random() < 0.5) reply = await ask();
    asked.orderId = reply?.order_id;
    asked.told = toldBy(reply);
  };
  const volume = (from: number): string => (from * (1 + random())).toFixed(6);
  const limit = (price: string, from: number) => ({ side: "buy", type: "limit", price, base_volume: volume(from) });
  const oneOfOwn = (): { userref: string } | undefined => {
    const found = own[own.length - 1 - Math.floor(random() * 3)];
    return found && { userref: found.userref };
  };
  const doings: Readonly<Record<(typeof SHARES)[number][0], () => Promise<unknown>>> = {
    read: () => {
      const name = READS[Math.floor(random() * READS.length)] ?? "";
      const needsMarket = name === "get_orderbook";
      return call(name, needsMarket ? MARKET : {});
    },
    preview: () => call("preview_order", { ...MARKET, ...limit("90000000", 0.0003) }),
    place: () => place(limit("90000000", 0.0003)),
    "place dear": () => place(limit("95000000", 0.003)),
    "place at the market": () =>
      place({ side: "buy", type: "market", quote_amount: String(6_000 + Math.floor(random() * 9_000)) }),
    cancel: async () => call("cancel_order", oneOfOwn() ?? { userref: "none" }),
    replace: async () => call("replace_order", { ...(oneOfOwn() ?? { userref: "none" }), price: "91000000" }),
    await: async () => call("await_order", { ...(oneOfOwn() ?? { userref: "none" }), timeout_s: 3 }),
    "cancel all": () => call("cancel_all_orders"),
  };
  while (!isOver()) {
    await doings[drawn(SHARES, random)]();
    await pause(PAUSE_MS * (0.5 + random()));
  }
}

export function toldBy(reply: Reply | undefined): Asked["told"] {
  if (reply === undefined) return "nothing";
  if (reply.state === "awaiting_approval") return "waiting";
  const { outcome } = reply;
  return outcome === "accepted" || outcome === "rejected" || outcome === "not_sent" ? outcome : "unknown";
}
