/**
 * Assistants whose desks trade on an exchange that speaks Upbit's API, in the test's own process: what it has is read from its engine, and what
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
import { UpbitClient } from "../../sandbox/families/upbit/upbit-client.ts";
import { must } from "../../sandbox/http/venue.ts";
import { type Assistant, connect, type Reply } from "../process/assistant.ts";

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
  readonly warnings?: readonly string[];
  readonly text: string;
  readonly [field: string]: unknown;
}

export interface DeskAtUpbit {
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
  again(): Promise<DeskAtUpbit>;
}

export interface UpbitWorld {
  readonly sandbox: Sandbox;
  readonly admin: AdminClient;
  /** Has coins, and sells some of them at 100,000,000. */
  readonly maker: UpbitClient;
  /** Plans a fault of the next order. */
  plan(fault: object): Promise<unknown>;
  /** Takes every plan back. */
  heal(): Promise<unknown>;
  desk(): Promise<DeskAtUpbit>;
  close(): Promise<void>;
}

export async function openUpbitWorld(): Promise<UpbitWorld> {
  const sandbox = await startSandbox({
    ...{ as: "upbit", marketMaker: false, admin: {}, limits: { venueRateFactor: 1_000 } },
  });
  const admin = new AdminClient(sandbox.admin ?? { url: "", token: "" });
  const account = (accountId: string): { readonly apiKey: string; readonly apiSecret: string } => {
    const now = Date.now();
    const secret = randomBytes(64).toString("base64");
    const keyId = randomBytes(8).toString("hex");
    must(sandbox.exchange.apply({ type: "createAccount", accountId, krwAccountLinked: true }, now));
    must(sandbox.exchange.apply({ type: "deposit", accountId, asset: "KRW", amount: 10_000_000n * ONE }, now));
    must(sandbox.exchange.apply({ type: "deposit", accountId, asset: "BTC", amount: 10n * ONE }, now));
    const key = { keyId, secret, accountId, permissions: ["query", "trade"], tier: "pro", ipAllowList: [] } as const;
    must(sandbox.exchange.apply({ type: "createKey", key: { ...key, rejectDuplicateUserref: false } }, now));
    return { apiKey: keyId, apiSecret: secret };
  };
  const maker = new UpbitClient(sandbox.baseUrl, account("maker"));
  const sold = await maker.order({ side: "ask", volume: "1", price: "100000000" });
  if (sold.status !== 201) throw new Error(`the maker's order was refused: ${sold.text}`);
  let desks = 0;
  return {
    sandbox,
    admin,
    maker,
    plan: (fault) => admin.must("POST", "/faults", { method: "POST", path: "/v1/orders", ...fault }),
    heal: () => admin.must("DELETE", "/faults"),
    desk: async () => {
      const accountId = `desk${++desks}`;
      return seat(sandbox, accountId, homeOf(sandbox.baseUrl, account(accountId)));
    },
    close: () => sandbox.close(),
  };
}

function homeOf(
  baseUrl: string,
  { apiKey, apiSecret }: { readonly apiKey: string; readonly apiSecret: string },
): string {
  const home = wideHome();
  const profile = { environment: "sandbox", exchange: "upbit", base_url: baseUrl, key: apiKey, secret: apiSecret };
  const lines = Object.entries(profile).map(([name, value]) => `${name} = ${JSON.stringify(value)}\n`);
  const timing = `[profiles.upbit.timing]\nwrite_timeout_ms = ${WRITE_TIMEOUT_MS}\n`;
  const text = `default_profile = "upbit"\n[profiles.upbit]\n${lines.join("")}${timing}`;
  writeFileSync(join(home, "config.toml"), text, { mode: 0o600 });
  return home;
}

async function seat({ exchange }: Sandbox, accountId: string, home: string): Promise<DeskAtUpbit> {
  const assistant: Assistant = await connect({ home });
  const call = (tool: string, args?: object) => assistant.call(tool, args) as Promise<Said>;
  const orders = () => exchange.orders(accountId, { limit: 100 }).orders;
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
    again: () => seat({ exchange } as Sandbox, accountId, home),
  };
}
