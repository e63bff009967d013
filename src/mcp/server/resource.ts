/**
 * Owns what a resource is: an address, what it shows, and the stream topic that announces its changes. Entry points: `RESOURCES` and
 * `RESOURCE_FAMILIES` for the lists, `resourceAt` for an address, `readAt` for what is there, `existing` for one that can be watched.
 *
 * Invariant: two reads of an address without a change in between give the same text, so that texts can be compared to find a change.
 */
import { ResourceNotFoundError } from "@modelcontextprotocol/server";
import { type Fault, ok, type Result, userref } from "../../contract/index.ts";
import { type Desk, NOBODY, type StreamTopic } from "../../desk/index.ts";
import { isOffered, type Module } from "../person/module.ts";
import { answered, brokenRead, failedRead } from "../text/answer.ts";
import { plansOf } from "../text/plan-text.ts";
import { shownPlans } from "../text/plan-view.ts";

const BOOK_DEPTH = 15;
const ORDERS_MAX = 100;
const STEPS_MAX = 20;
const PLANS_MAX = 100;
const ENDED_MAX = 20;

interface Described {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Absent where every module needs it. */
  readonly module?: Module;
}

export interface Resource extends Described {
  readonly uri: string;
  readonly read: (desk: Desk) => Promise<Result<object>>;
  /** The stream topic of its changes; without one they are found by polling. */
  readonly topic?: StreamTopic;
  /** Asks whether what it is named after exists, as cheaply as possible; absent where it always does. */
  readonly look?: (desk: Desk) => Promise<Result<unknown>>;
}

/** Stands at the beginning of the list. */
export interface ListedResource extends Resource {
  /** From 0 to 1, for a client that chooses by itself what to attach: what the account has now comes before what can be looked up. */
  readonly priority: number;
}

/** Stands for one resource for each market, or for each order. */
export interface ResourceFamily extends Described {
  /** Before the name. */
  readonly prefix: string;
  /** Says what is named at the end of the address. */
  readonly parameter: "symbol" | "userref";
  readonly read: (desk: Desk, name: string) => Promise<Result<object>>;
  readonly topic: (name: string) => StreamTopic;
}

export const RESOURCES: readonly ListedResource[] = [
  {
    uri: "hoga://markets",
    name: "markets",
    title: "Markets",
    description: "All markets with price ticks, minimum orders, fees and status.",
    priority: 0.2,
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
    priority: 0.9,
    module: "account",
    read: (desk) => desk.openOrders({ limit: ORDERS_MAX }),
    topic: { channel: "orders" },
  },
  {
    uri: "hoga://balances",
    name: "balances",
    title: "Balances",
    description: "What the account holds, with its value in KRW.",
    priority: 0.9,
    module: "account",
    read: (desk) => desk.balances(),
    topic: { channel: "balances" },
  },
  {
    uri: "hoga://plans",
    name: "plans",
    title: "Plans",
    description: "Plans and alerts that wait, and the last that ended.",
    priority: 0.8,
    module: "plans",
    read: plansNow,
  },
  {
    uri: "hoga://policy",
    name: "policy",
    title: "Policy",
    description: "What a person has allowed: every setting in force, as in policy.toml.",
    priority: 0.5,
    module: "safety",
    read: (desk) => desk.policy(),
  },
  {
    uri: "hoga://venue",
    name: "venue",
    title: "Exchange",
    description: "What the exchange in use promises and lacks, how far that is proved, and what stands on no document.",
    priority: 0.2,
    read: async ({ card }) => ok({ card }),
  },
  {
    uri: "hoga://audit/recent",
    name: "recent_steps",
    title: "Recent steps",
    description: "What hoga did last, newest first.",
    priority: 0.3,
    module: "safety",
    read: (desk) => desk.audit({ limit: STEPS_MAX }),
  },
];

export const RESOURCE_FAMILIES: readonly ResourceFamily[] = [
  {
    prefix: "hoga://orderbook/",
    parameter: "symbol",
    name: "orderbook",
    title: "Order book",
    description: "The best bids and asks of one market, with mid and spread.",
    module: "market",
    read: (desk, symbol) => desk.orderbook(symbol, BOOK_DEPTH, "followed"),
    topic: (symbol) => ({ channel: "orderbook", symbol }),
  },
  {
    prefix: "hoga://ticker/",
    parameter: "symbol",
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
  {
    // A userref named "open" has no address of its own: all open orders are there.
    prefix: "hoga://orders/",
    parameter: "userref",
    name: "order",
    title: "Order",
    description: "One order with its fills, by its userref.",
    module: "account",
    read: (desk, name) => desk.order({ userref: name }, NOBODY),
    topic: () => ({ channel: "orders" }),
  },
];

/** Without times that are reckoned anew at each look. */
async function plansNow(desk: Desk): Promise<Result<object>> {
  const plans = plansOf(desk);
  const open = await plans.list({ which: "open", limit: PLANS_MAX });
  const ended = await plans.list({ which: "ended", limit: ENDED_MAX });
  if (!open.ok) return open;
  if (!ended.ok) return ended;
  const { plans: waiting, watch, next_cursor: _more, ...stamp } = shownPlans(open.value, desk.timeZone);
  return ok({
    ...stamp,
    plans: waiting.map(({ watched_since: _since, ...plan }) => plan),
    ended: shownPlans(ended.value, desk.timeZone).plans,
    watch: { watched: watch.watched_since !== null, gaps: watch.gaps },
  });
}

/** @returns undefined for an address of no resource of these modules */
export function resourceAt(uri: string, modules: readonly Module[]): Resource | undefined {
  const fixed = RESOURCES.find((resource) => resource.uri === uri);
  if (fixed !== undefined) return isOffered(fixed, modules) ? fixed : undefined;
  const family = RESOURCE_FAMILIES.find(({ prefix }) => uri.startsWith(prefix));
  const name = family === undefined ? undefined : nameIn(uri.slice(family.prefix.length), family.parameter);
  if (family === undefined || name === undefined || !isOffered(family, modules)) return undefined;
  const { read, topic, prefix: _, parameter, ...described } = family;
  const look = (desk: Desk) => (parameter === "symbol" ? desk.market(name) : desk.order({ userref: name }, NOBODY));
  return { ...described, uri, read: (desk) => read(desk, name), topic: topic(name), look };
}

/** The faults of what does not exist; with any other it may exist, and cannot be queried now. */
const ABSENT: readonly string[] = ["ELocal:Unknown market", "ELocal:Unknown order"];

function throwIfAbsent(uri: string, fault: Fault | undefined): void {
  if (fault !== undefined && ABSENT.includes(fault.code)) throw new ResourceNotFoundError(uri, fault.message);
}

function named(uri: string, modules: readonly Module[]): Resource {
  const resource = resourceAt(uri, modules);
  if (resource !== undefined) return resource;
  throw new ResourceNotFoundError(uri, `There is no such resource: take one of resources/list. It was ${uri}`);
}

/** @throws ResourceNotFoundError */
export async function existing(uri: string, modules: readonly Module[], desk: Desk): Promise<Resource> {
  const resource = named(uri, modules);
  const seen = await resource.look?.(desk);
  throwIfAbsent(uri, seen?.ok === false ? seen.fault : undefined);
  return resource;
}

/** `BTC%2FKRW`, `BTC/KRW`, `BTC-KRW`: whatever the desk takes for a market; a userref has one form. */
function nameIn(text: string, parameter: ResourceFamily["parameter"]): string | undefined {
  try {
    const name = decodeURIComponent(text);
    const isName = parameter === "symbol" ? name !== "" : userref.safeParse(name).success;
    return isName ? name : undefined;
  } catch {
    return undefined;
  }
}

type OnError = (error: unknown) => void;

/** Reads what is at an address now. @throws ResourceNotFoundError */
export async function readAt(uri: string, modules: readonly Module[], desk: Desk, onError: OnError): Promise<string> {
  const { text, fault } = await look(named(uri, modules), desk, onError);
  throwIfAbsent(uri, fault);
  return text;
}

/** Writes what a resource shows, as JSON: the same fields as a tool's result, a fault too. */
export async function textOf(resource: Resource, desk: Desk, onError: OnError): Promise<string> {
  return (await look(resource, desk, onError)).text;
}

interface Look {
  readonly text: string;
  readonly fault?: Fault;
}

async function look(resource: Resource, desk: Desk, onError: OnError): Promise<Look> {
  const textIn = ({ structuredContent }: ReturnType<typeof answered>) => JSON.stringify(structuredContent);
  try {
    const read = await resource.read(desk);
    return read.ok
      ? { text: textIn(answered(desk, "", read.value)) }
      : { text: textIn(failedRead(desk, read.fault)), fault: read.fault };
  } catch (error) {
    onError(error);
    return { text: textIn(brokenRead(desk)) };
  }
}
