/**
 * Owns what a resource is: an address, what it shows, and the stream topic that announces its changes. Entry points: `RESOURCES` and
 * `MARKET_RESOURCES` for the list, `resourceAt` for an address, `existing` for one that is there.
 *
 * Invariant: two reads of an address without a change in between give the same text, so that texts can be compared to find a change.
 */
import { ResourceNotFoundError } from "@modelcontextprotocol/server";
import { ok, type Result } from "../contract/index.ts";
import type { Desk, StreamTopic } from "../desk/index.ts";
import { answered, brokenRead, failedRead } from "./answer.ts";
import { isOffered, type Module } from "./module.ts";

const BOOK_DEPTH = 15;
const ORDERS_MAX = 100;
const STEPS_MAX = 20;

interface Described {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Absent where every module needs it. */
  readonly module?: Module;
}

/** One resource at one address. */
export interface Resource extends Described {
  readonly uri: string;
  readonly read: (desk: Desk) => Promise<Result<object>>;
  /** The stream topic of its changes; without one they are found by polling. */
  readonly topic?: StreamTopic;
}

/** One for each market. */
export interface MarketResource extends Described {
  /** Before the symbol. */
  readonly prefix: string;
  readonly read: (desk: Desk, symbol: string) => Promise<Result<object>>;
  readonly topic: (symbol: string) => StreamTopic;
}

export const RESOURCES: readonly Resource[] = [
  {
    uri: "hoga://markets",
    name: "markets",
    title: "Markets",
    description: "All markets with price ticks, minimum orders, fees and status.",
    read: async (desk) => {
      const markets = await desk.markets();
      return markets.ok ? ok({ markets: markets.value }) : markets;
    },
  },
  {
    uri: "hoga://orders/open",
    name: "open_orders",
    title: "Open orders",
    description: "Orders that are open now, newest first.",
    module: "account",
    read: (desk) => desk.openOrders({ limit: ORDERS_MAX }),
    topic: { channel: "orders" },
  },
  {
    uri: "hoga://balances",
    name: "balances",
    title: "Balances",
    description: "What the account holds, with its value in KRW.",
    module: "account",
    read: (desk) => desk.balances(),
    topic: { channel: "balances" },
  },
  {
    uri: "hoga://policy",
    name: "policy",
    title: "Policy",
    description: "What a person has allowed: every setting in force, as in policy.toml.",
    module: "safety",
    read: (desk) => desk.policy(),
  },
  {
    uri: "hoga://audit/recent",
    name: "recent_steps",
    title: "Recent steps",
    description: "What hoga did last, newest first.",
    module: "safety",
    read: (desk) => desk.audit({ limit: STEPS_MAX }),
  },
];

export const MARKET_RESOURCES: readonly MarketResource[] = [
  {
    prefix: "hoga://orderbook/",
    name: "orderbook",
    title: "Order book",
    description: "The best bids and asks of one market, with mid and spread.",
    module: "market",
    read: (desk, symbol) => desk.orderbook(symbol, BOOK_DEPTH, "followed"),
    topic: (symbol) => ({ channel: "orderbook", symbol }),
  },
  {
    prefix: "hoga://ticker/",
    name: "ticker",
    title: "Ticker",
    description: "Last price and 24 h figures of one market.",
    module: "market",
    read: async (desk, symbol) => {
      const tickers = await desk.tickers([symbol]);
      return tickers.ok ? ok({ ...tickers.value[0] }) : tickers;
    },
    topic: (symbol) => ({ channel: "ticker", symbol }),
  },
];

/** @returns undefined for an address of no resource of these modules */
export function resourceAt(uri: string, modules: readonly Module[]): Resource | undefined {
  const fixed = RESOURCES.find((resource) => resource.uri === uri);
  if (fixed !== undefined) return isOffered(fixed, modules) ? fixed : undefined;
  const market = MARKET_RESOURCES.find(({ prefix }) => uri.startsWith(prefix));
  const symbol = market === undefined ? undefined : symbolIn(uri.slice(market.prefix.length));
  if (market === undefined || symbol === undefined || !isOffered(market, modules)) return undefined;
  const { read, topic, prefix: _, ...described } = market;
  return { ...described, uri, read: (desk) => read(desk, symbol), topic: topic(symbol) };
}

/**
 * Only a market that does not exist is refused: one that cannot be queried now may exist.
 * @throws ResourceNotFoundError
 */
export async function existing(uri: string, modules: readonly Module[], desk: Desk): Promise<Resource> {
  const resource = resourceAt(uri, modules);
  if (resource === undefined)
    throw new ResourceNotFoundError(uri, `There is no such resource: take one of resources/list. It was ${uri}`);
  const { topic } = resource;
  if (topic === undefined || !("symbol" in topic)) return resource;
  const market = await desk.market(topic.symbol);
  if (market.ok || market.fault.code !== "ELocal:Unknown market") return resource;
  throw new ResourceNotFoundError(uri, market.fault.message);
}

/** `BTC%2FKRW`, `BTC/KRW`, `BTC-KRW`: whatever the desk takes for a market. */
function symbolIn(text: string): string | undefined {
  try {
    const symbol = decodeURIComponent(text);
    return symbol === "" ? undefined : symbol;
  } catch {
    return undefined;
  }
}

/** What a resource shows, as JSON: the same fields as a tool's result, a fault too. */
export async function textOf(resource: Resource, desk: Desk, onError: (error: unknown) => void): Promise<string> {
  const result = await lookAt(resource, desk, onError);
  return JSON.stringify(result.structuredContent);
}

async function lookAt(
  resource: Resource,
  desk: Desk,
  onError: (error: unknown) => void,
): Promise<ReturnType<typeof answered>> {
  try {
    const read = await resource.read(desk);
    return read.ok ? answered(desk, "", read.value) : failedRead(desk, read.fault);
  } catch (error) {
    onError(error);
    return brokenRead(desk);
  }
}
