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
import { type Sandbox, startSandbox } from "../src/sandbox/index.ts";
import { ONE, type OrderRecord } from "../src/sandbox/model/index.ts";
import { decimalText, nullableText, unitsOf } from "../src/sandbox/wire/decimal-text.ts";
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

export interface Stage {
  readonly instructions: string;
  tools(): Promise<readonly ListedTool[]>;
  call(name: string, args: Readonly<Record<string, unknown>>): Promise<Answer>;
  /** An order of another account. */
  others(side: "buy" | "sell", symbol: string, price: string, volume: string): void;
  /** Every order of the account at the exchange, oldest first, asked of the exchange itself. */
  orders(): readonly Shown[];
  balance(asset: string): Shown;
  close(): Promise<void>;
}

type Apply = Sandbox["exchange"]["apply"];
type Quote = readonly [side: "buy" | "sell", symbol: string, price: string, volume: string];

const MAKER = "maker";
const TAKER = "taker";

/** Around ₩150,000,000 for a bitcoin, ₩5,200,000 for an ether and ₩3,400 for an XRP. */
const QUOTES: readonly Quote[] = [
  ["buy", "BTC/KRW", "149990000", "2"],
  ["buy", "BTC/KRW", "149900000", "5"],
  ["sell", "BTC/KRW", "150000000", "2"],
  ["sell", "BTC/KRW", "150100000", "5"],
  ["buy", "ETH/KRW", "5199000", "50"],
  ["buy", "ETH/KRW", "5190000", "100"],
  ["sell", "ETH/KRW", "5200000", "50"],
  ["sell", "ETH/KRW", "5210000", "100"],
  ["buy", "XRP/KRW", "3399", "50000"],
  ["buy", "XRP/KRW", "3390", "100000"],
  ["sell", "XRP/KRW", "3400", "50000"],
  ["sell", "XRP/KRW", "3410", "100000"],
  ["buy", "DOGE/KRW", "289", "1000"],
  ["sell", "DOGE/KRW", "290", "1000"],
];

/** What the account has bought before, at lower prices than today's: 0.02 BTC and 500 XRP. One ether was deposited. */
const BOUGHT: readonly Quote[] = [
  ["sell", "BTC/KRW", "140000000", "0.02"],
  ["sell", "XRP/KRW", "3000", "500"],
];

/** Everybody else's last trades. */
const TRADED: readonly Quote[] = [
  ["sell", "BTC/KRW", "150000000", "1"],
  ["sell", "ETH/KRW", "5200000", "10"],
  ["sell", "XRP/KRW", "3400", "10000"],
  ["sell", "DOGE/KRW", "290", "1000"],
];

/** The groups of tools where payments and remittances are switched on. */
const DRAFTS = ["market", "account", "trade", "plans", "safety", "payment", "remittance"];

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
  const sandbox = await startSandbox({ marketMaker: false, drafts });
  const home = mkdtempSync(join(tmpdir(), "hoga-eval-"));
  const { exchange, accountId } = sandbox;
  const place = placer(exchange.apply.bind(exchange));
  furnish(exchange.apply.bind(exchange), accountId);
  for (const [side, ...rest] of BOUGHT) {
    place(MAKER, [side, ...rest]);
    place(accountId, ["buy", ...rest]);
  }
  for (const [side, ...rest] of TRADED) {
    place(MAKER, [side, ...rest]);
    place(TAKER, ["buy", ...rest]);
  }
  for (const quote of QUOTES) place(MAKER, quote);
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
  const client = await connect(person, reach({ HOGA_HOME: home }));
  const close = async (): Promise<void> => {
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
    others: (...quote) => place(TAKER, quote),
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
    close,
  };
}

function furnish(apply: Apply, accountId: string): void {
  const done = (command: Parameters<Apply>[0]): void => {
    const applied = apply(command, Date.now());
    if (!applied.ok) throw new Error(applied.message);
  };
  for (const maker of [MAKER, TAKER]) {
    done({ type: "createAccount", accountId: maker, krwAccountLinked: true });
    for (const asset of ["KRW", "BTC", "ETH", "XRP", "DOGE"])
      done({ type: "deposit", accountId: maker, asset, amount: 1_000_000_000_000n * ONE });
  }
  done({ type: "deposit", accountId, asset: "ETH", amount: ONE });
}

let placed = 0;

function placer(apply: Apply): (accountId: string, quote: Quote) => void {
  return (accountId, [side, symbol, price, volume]) => {
    placed += 1;
    const applied = apply(
      {
        type: "place",
        accountId,
        keyId: null,
        orderId: `0190aaaa-bbbb-7ccc-8ddd-${placed.toString(16).padStart(12, "0")}`,
        symbol,
        side,
        orderType: "limit",
        price: unitsOf(price),
        volume: unitsOf(volume),
        amount: null,
        timeInForce: "GTC",
        postOnly: false,
        userref: null,
        settlementMode: "INSTANT_KRW",
      },
      Date.now(),
    );
    if (!applied.ok) throw new Error(applied.message);
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

/** Before it sits a person who answers every form alike, or nobody. */
async function connect(person: Request["person"], transport: StdioClientTransport): Promise<Client> {
  const asks = person === "nobody" ? {} : { capabilities: { elicitation: { form: {} } } };
  const client = new Client({ name: "evals", version: "1.0.0" }, { versionNegotiation: { mode: "auto" }, ...asks });
  if (person !== "nobody")
    client.setRequestHandler("elicitation/create", async () => ({
      action: "accept" as const,
      content: { approve: person === "yes" },
    }));
  await client.connect(transport);
  return client;
}

function answerOf({ content, structuredContent, isError }: Awaited<ReturnType<Client["callTool"]>>): Answer {
  const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const structured = (structuredContent ?? {}) as Readonly<Record<string, unknown>>;
  return { text: texts.join("\n"), structured, isError: isError === true };
}
