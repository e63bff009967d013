/**
 * Assistants whose desks trade on an exchange that speaks another's API, in the test's own process: what it has is read from its engine, and what
 * goes wrong there is planned at its admin interface. Each desk has an account and a data directory of its own.
 */
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { clientIdOf } from "../../../src/desk/core/ids.ts";
import { type Sandbox, startSandbox } from "../../../src/sandbox/index.ts";
import type { OrderRecord } from "../../../src/sandbox/model/index.ts";
import { wideHome } from "../../fixture/home.ts";
import { AdminClient } from "../../sandbox/admin/admin-client.ts";
import { must } from "../../sandbox/http/venue.ts";
import { type Assistant, connect, type Reply } from "../process/assistant.ts";
import type { Exchange, Where } from "./exchanges.ts";

const ONE = 100_000_000n;
/** The least that a profile may say, so that an answer that is held back is given up soon. */
export const WRITE_TIMEOUT_MS = 1_000;

export interface Evidence {
  readonly lookups: number;
  readonly in_open_list: boolean | null;
  readonly locked_explained: boolean | null;
}

/** What the tools answer besides, as far as these tests look at it. */
export interface Said extends Reply {
  readonly userref?: string;
  readonly intent_id?: string;
  readonly evidence?: Evidence;
  readonly remaining?: number | null;
  readonly warnings?: readonly string[];
  readonly text: string;
  readonly [field: string]: unknown;
}

export interface DeskAt {
  readonly home: string;
  call(tool: string, args?: object): Promise<Said>;
  /** A limit buy far below the market, under a name of the caller's. */
  place(userref: string, more?: object): Promise<Said>;
  /** What the exchange has under the name, ended orders too. */
  at(userref: string): readonly OrderRecord[];
  /** All that the account ever had there. */
  orders(): readonly OrderRecord[];
  /** Events of the audit log about the name, newest first. */
  events(userref: string): Promise<readonly string[]>;
  kill(): Promise<void>;
  /** Another process on the same data directory. */
  again(): Promise<DeskAt>;
}

export interface ExchangeWorld {
  readonly admin: AdminClient;
  /** Plans a fault, by default of the next order. */
  plan(fault: object, where?: Where): Promise<unknown>;
  /** Whether every planned fault has begun. */
  hasBegun(): Promise<boolean>;
  /** Takes every plan back. */
  heal(): Promise<unknown>;
  desk(): Promise<DeskAt>;
  close(): Promise<void>;
}

export async function openExchangeWorld({ name, place }: Pick<Exchange, "name" | "place">): Promise<ExchangeWorld> {
  const sandbox = await startSandbox({
    ...{ as: name, marketMaker: false, admin: {}, limits: { venueRateFactor: 1_000 } },
  });
  const admin = new AdminClient(sandbox.admin ?? { url: "", token: "" });
  restMakersOrder(sandbox);
  let desks = 0;
  return {
    admin,
    plan: (fault, where = place) => admin.must("POST", "/faults", { ...where, ...fault }),
    hasBegun: async () => (await admin.must("GET", "/faults")).faults.length === 0,
    heal: () => admin.must("DELETE", "/faults"),
    desk: async () => {
      const accountId = `desk${++desks}`;
      const timing = { write_timeout_ms: WRITE_TIMEOUT_MS };
      return seat(sandbox, accountId, homeOf(name, sandbox.baseUrl, openAccount(sandbox, accountId), timing));
    },
    close: () => sandbox.close(),
  };
}

interface Key {
  readonly apiKey: string;
  readonly apiSecret: string;
}

/** With money and coins. */
export function openAccount({ exchange }: Pick<Sandbox, "exchange">, accountId: string): Key {
  const now = Date.now();
  const secret = randomBytes(64).toString("base64");
  const keyId = randomBytes(8).toString("hex");
  must(exchange.apply({ type: "createAccount", accountId, krwAccountLinked: true }, now));
  must(exchange.apply({ type: "deposit", accountId, asset: "KRW", amount: 10_000_000n * ONE }, now));
  must(exchange.apply({ type: "deposit", accountId, asset: "BTC", amount: 10n * ONE }, now));
  const key = { keyId, secret, accountId, permissions: ["query", "trade"], tier: "pro", ipAllowList: [] } as const;
  must(exchange.apply({ type: "createKey", key: { ...key, rejectDuplicateUserref: false } }, now));
  return { apiKey: keyId, apiSecret: secret };
}

/** Somebody sells a coin at 100,000,000. */
function restMakersOrder(sandbox: Sandbox): void {
  openAccount(sandbox, "maker");
  sell(sandbox, { orderId: "maker-1", price: 100_000_000n * ONE, volume: ONE });
}

/** The maker sells; at the engine itself, so that no client of the exchange is needed. @param given price and volume in units of 1e-8 */
export function sell(
  { exchange }: Pick<Sandbox, "exchange">,
  given: { readonly orderId: string; readonly price: bigint; readonly volume: bigint },
): void {
  must(
    exchange.apply(
      {
        ...{ type: "place", keyId: null, accountId: "maker", symbol: "BTC/KRW", side: "sell", orderType: "limit" },
        ...{ amount: null, timeInForce: "GTC", postOnly: false, userref: null, settlementMode: "INSTANT_KRW" },
        ...given,
      },
      Date.now(),
    ),
  );
}

/** A data directory whose profile is that of an exchange. @param timing of the profile */
export function homeOf(
  name: string,
  baseUrl: string,
  { apiKey, apiSecret }: Key,
  timing: Readonly<Record<string, number>> = {},
): string {
  const home = wideHome();
  const profile = { environment: "sandbox", exchange: name, base_url: baseUrl, key: apiKey, secret: apiSecret };
  const lines = (table: object) =>
    Object.entries(table)
      .map(([field, value]) => `${field} = ${JSON.stringify(value)}\n`)
      .join("");
  const tables = `[profiles.${name}]\n${lines(profile)}[profiles.${name}.timing]\n${lines(timing)}`;
  const text = `default_profile = "${name}"\n${tables}`;
  writeFileSync(join(home, "config.toml"), text, { mode: 0o600 });
  return home;
}

async function seat(sandbox: Pick<Sandbox, "exchange">, accountId: string, home: string): Promise<DeskAt> {
  const assistant: Assistant = await connect({ home });
  const call = (tool: string, args?: object) => assistant.call(tool, args) as Promise<Said>;
  const orders = () => sandbox.exchange.orders(accountId, { limit: 100 }).orders;
  return {
    home,
    call,
    place: (userref, more = {}) =>
      call("place_order", {
        ...{ symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "90000000" },
        ...{ userref, ...more },
      }),
    at: (userref) => orders().filter((order) => order.userref === clientIdOf(userref)),
    orders,
    events: async (userref) => {
      const { entries = [] } = (await call("get_audit_log", { userref, limit: 50 })) as unknown as {
        readonly entries?: readonly { readonly event: string }[];
      };
      return entries.map(({ event }) => event);
    },
    kill: () => assistant.kill(),
    again: () => seat(sandbox, accountId, home),
  };
}
