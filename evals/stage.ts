/**
 * A stage for one request: a fresh exchange with quotes that stand still, an account that owns something, a fresh data directory, and
 * `hoga serve`, spoken to over stdio: a program of its own, unless it is reached otherwise. Entry point: `openStage`.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { stringify } from "smol-toml";
import { startSandbox } from "../src/sandbox/index.ts";
import type { OrderRecord } from "../src/sandbox/model/index.ts";
import { decimalText, nullableText } from "../src/sandbox/wire/decimal-text.ts";
import { openOthers } from "./others.ts";
import type { Request } from "./request.ts";

export interface Answer {
  readonly text: string;
  readonly structured: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
}

export interface ListedTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: object;
}

type Shown = Readonly<Record<string, string | null>>;
/** Of a result. */
export type Fields = Readonly<Record<string, unknown>>;

export interface Stage {
  readonly instructions: string;
  tools(): Promise<readonly ListedTool[]>;
  call(name: string, args: Readonly<Record<string, unknown>>): Promise<Answer>;
  /** What the person answers from now on, where the client can show a form. */
  answers(yes: boolean): void;
  /** An order of another account. */
  others(side: "buy" | "sell", symbol: string, price: string, volume: string): void;
  /** From now on others bid and ask at these prices alone, and trade at the latter every second. */
  market(symbol: string, bid: string, ask: string): void;
  /** By the exchange's clock, in Unix milliseconds. */
  now(): number;
  /** Puts that clock ahead. */
  clockTo(ms: number): Promise<void>;
  /** Every order of the account at the exchange, oldest first, asked of the exchange itself. */
  orders(): readonly Shown[];
  balance(asset: string): Shown;
  /** Every plan of the account as hoga lists it, oldest first. */
  plans(): Promise<readonly Fields[]>;
  close(): Promise<void>;
}

/** The groups of tools where payments and remittances are switched on. */
const DRAFTS = ["market", "account", "trade", "plans", "safety", "payment", "remittance"];

/** A price has stood somewhere once the exchange has spoken after it: it does so often, so that nobody waits. */
const HEARTBEAT_MS = 250;
/** More plans than a request makes. */
const ALL = 100;

/** How `hoga serve` is started and spoken to, with these variables. */
export type Reach = (env: Readonly<Record<string, string>>) => StdioClientTransport;

const asProgram: Reach = (env) =>
  new StdioClientTransport({
    command: process.execPath,
    args: [join(process.cwd(), "dist", "cli.js"), "serve"],
    env: { ...env },
    stderr: "ignore",
  });

export async function openStage(
  { policy, person, drafts = false }: Pick<Request, "policy" | "person"> & { readonly drafts?: boolean },
  reach: Reach = asProgram,
): Promise<Stage> {
  const sandbox = await startSandbox({ marketMaker: false, drafts, limits: { streamHeartbeatMs: HEARTBEAT_MS } });
  const home = mkdtempSync(join(tmpdir(), "hoga-eval-"));
  const { exchange, accountId } = sandbox;
  const others = openOthers(sandbox);
  writeFileSync(join(home, "policy.toml"), stringify(policy), { mode: 0o600 });
  const { baseUrl, apiKey, apiSecret } = sandbox;
  const paper = {
    environment: "sandbox",
    base_url: baseUrl,
    key: apiKey,
    secret: apiSecret,
    ...(drafts && { modules: DRAFTS }),
  };
  const config = { default_profile: "stage", profiles: { stage: paper } };
  writeFileSync(join(home, "config.toml"), stringify(config), { mode: 0o600 });
  const asked = { yes: person === "yes" };
  const client = await connect(person === "nobody" ? undefined : asked, reach({ HOGA_HOME: home }));
  const close = async (): Promise<void> => {
    others.close();
    await client.close();
    await sandbox.close();
    rmSync(home, { recursive: true });
  };
  const call: Stage["call"] = async (name, args) => answerOf(await client.callTool({ name, arguments: { ...args } }));
  const { environment } = (await call("get_desk_status", {})).structured;
  // Nothing that is asked for here may cost money, whatever the machine has set.
  if (environment !== "sandbox") {
    await close();
    throw new Error(`requests are played on paper, and this is ${String(environment)}`);
  }
  return {
    instructions: client.getInstructions() ?? "",
    tools: async () => (await client.listTools()).tools,
    call,
    answers: (yes) => {
      asked.yes = yes;
    },
    others: others.place,
    market: others.market,
    now: others.now,
    clockTo: async (ms) => {
      others.clockTo(ms);
      // No real exchange's clock leaps: hoga measures it every few minutes, and where it is asked how it stands.
      await call("get_desk_status", {});
    },
    orders: () => exchange.orders(accountId, { limit: 1_000 }).orders.map(shownOrder).reverse(),
    balance: (asset) => {
      const held = exchange.balances(accountId).find((each) => each.asset === asset);
      const { available = 0n, locked = 0n } = held ?? {};
      return {
        total: decimalText(available + locked),
        available: decimalText(available),
        locked: decimalText(locked),
      };
    },
    plans: async () => {
      const { structured, isError, text } = await call("list_plans", { state: "all", limit: ALL });
      if (isError) throw new Error(text);
      return [...(structured["plans"] as readonly Fields[])].reverse();
    },
    close,
  };
}

function shownOrder(order: OrderRecord): Shown {
  const { symbol, side, orderType, price, volume, amount, executedVolume, state, userref, timeInForce } = order;
  return {
    symbol,
    side,
    type: orderType,
    price: nullableText(price),
    volume: nullableText(volume),
    amount: nullableText(amount),
    executed_volume: decimalText(executedVolume),
    state,
    userref,
    time_in_force: timeInForce,
    post_only: String(order.postOnly),
  };
}

/** @param person who answers every form that is shown; without one none can be shown */
async function connect(
  person: { readonly yes: boolean } | undefined,
  transport: StdioClientTransport,
): Promise<Client> {
  const asks = person === undefined ? {} : { capabilities: { elicitation: { form: {} } } };
  const client = new Client({ name: "evals", version: "1.0.0" }, { versionNegotiation: { mode: "auto" }, ...asks });
  if (person !== undefined)
    client.setRequestHandler("elicitation/create", async () => ({
      action: "accept" as const,
      content: { approve: person.yes },
    }));
  await client.connect(transport);
  return client;
}

function answerOf({ content, structuredContent, isError }: Awaited<ReturnType<Client["callTool"]>>): Answer {
  const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const structured = (structuredContent ?? {}) as Readonly<Record<string, unknown>>;
  return { text: texts.join("\n"), structured, isError: isError === true };
}
