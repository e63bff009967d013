/** Owns the prompts: tasks that a person picks from a menu, written so that the assistant previews and asks before it trades. */
import {
  completable,
  type GetPromptResult,
  type McpServer,
  type RegisteredPrompt,
  type StandardSchemaWithJSON,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { quoted } from "../../contract/index.ts";
import type { Desk } from "../../desk/index.ts";
import { inputSchema } from "../input/argument-schema.ts";
import { type Guarded, guarded, PROMPT_SCOPES } from "../person/scope.ts";

const COMPLETIONS_MAX = 20;

type PromptName = keyof typeof PROMPT_SCOPES;
type Registered<Name extends PromptName> = Readonly<Record<Name, RegisteredPrompt>>;

/** No argument is longer. */
const ARGUMENT_MAX = 200;
const goal = z.string().max(200).describe('Shares of the whole, e.g. "half BTC, half KRW"');
const day = z.string().max(40).describe("A date, e.g. 2026-07-20");
const deniedOrder = z.string().max(64).optional().describe("Its userref or order_id; the last one unless given");
const [GOAL, DAY, DENIED] = [argumentsOf({ goal }), argumentsOf({ day }), argumentsOf({ order: deniedOrder })];

type FieldsOf<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape, z.core.$strict>>;

/** `shape` is where the SDK looks for what completes one. */
interface Arguments<Shape extends z.ZodRawShape> extends StandardSchemaWithJSON<unknown, FieldsOf<Shape>> {
  readonly shape: Shape;
}

/** Read as those of a tool are. */
function argumentsOf<Shape extends z.ZodRawShape>(fields: Shape): Arguments<Shape> {
  const object = z.strictObject(fields);
  type Fields = FieldsOf<Shape>;
  const { parse, schema } = inputSchema<Fields>(object as z.ZodType<Fields>);
  const validate = (given: unknown) => {
    const read = parse(given);
    return read.ok ? { value: read.value } : { issues: read.problems };
  };
  const standard: StandardSchemaWithJSON<unknown, Fields>["~standard"] = {
    version: 1,
    vendor: "hoga",
    validate,
    jsonSchema: schema["~standard"].jsonSchema,
  };
  return { shape: object.shape, "~standard": standard };
}

/** The arguments that are completed from the desk's markets. Made once for a desk, as servers are made for every request. */
export function marketArguments(desk: Desk) {
  const symbol = completable(z.string().max(40).describe("Market, e.g. BTC/KRW"), (typed) => symbolsLike(desk, typed));
  const order = z.string().max(200).describe('What to do, e.g. "buy for 100000 KRW"');
  return {
    market: argumentsOf({ symbol }),
    order: argumentsOf({ symbol, order }),
    position: argumentsOf({ symbol: symbol.optional() }),
  };
}

type MarketArguments = ReturnType<typeof marketArguments>;

/** @param plans whether the tools of plans are offered */
export function registerPrompts(
  server: McpServer,
  { market, order, position }: MarketArguments,
  { plans }: { readonly plans: boolean },
): readonly Guarded[] {
  const registered: Registered<PromptName> = {
    market_brief: server.registerPrompt(
      "market_brief",
      { title: "Market brief", description: "A short look at one market.", argsSchema: market },
      ({ symbol }) =>
        ask(
          `Give me a short brief of ${inQuotes(symbol)}: use get_ticker, get_orderbook and get_candles (1h). Say the price, the ` +
            "24 h change, the spread, what the last day looked like, and how much could be traded near the mid. Give figures, no advice.",
        ),
    ),
    place_an_order: server.registerPrompt(
      "place_an_order",
      {
        title: "Place an order",
        description: "Prepare an order, show it, place it after your yes.",
        argsSchema: order,
      },
      ({ symbol, order }) =>
        ask(
          `In ${inQuotes(symbol)} I want to: ${inQuotes(order)}. First call preview_order and show me the order, its cost with fee, the ` +
            "slippage and whether it is paper or live. Wait for my yes. Then call place_order with the draft_id and await_order. " +
            "If the outcome is unknown, look with get_order; never place it a second time.",
        ),
    ),
    ...registerReviews(server),
    ...registerQuestions(server, position),
    rebalance: server.registerPrompt(
      "rebalance",
      { title: "Rebalance", description: "Plan the orders that lead to given shares.", argsSchema: GOAL },
      ({ goal }) =>
        ask(
          `I want to hold: ${inQuotes(goal)}. Call get_portfolio and get_ticker, show me the shares as they are, and ${plans ? AS_A_PLAN : ONE_BY_ONE}`,
        ),
    ),
    flatten_everything: server.registerPrompt(
      "flatten_everything",
      { title: "Flatten everything", description: "Cancel all orders, then plan how to sell what is left." },
      () =>
        ask(
          "Call cancel_all_orders and tell me per order what happened. Then call get_balances and, for every coin held, " +
            "preview_order a market sell of the available volume. Show me the list and sell nothing before my yes.",
        ),
    ),
  };
  return Object.entries(registered).map(([name, prompt]) => guarded(PROMPT_SCOPES[name as PromptName], prompt));
}

const AS_A_PLAN =
  "call create_plan with kind rebalance, preview true, and these shares as weights: together exactly 100 %, with the cash where it is to " +
  "have a share. Show me all of its orders, what it comes to at worst and every warning, and wait for my yes; then the same call without " +
  "preview, once. Say whether a person still has to approve it, and look with list_plans what came of it. Place none of its orders yourself.";

const ONE_BY_ONE =
  "preview_order each order that leads there, sells first. Show the list with fees and wait for my yes; then place them one by one, and " +
  "stop at the first that is not accepted.";

const REVIEW =
  "with get_trade_history, get_order_history, get_portfolio and get_open_orders. Say per market what was bought and sold, the fees with " +
  "their currency, what was realized, what was canceled or denied and why (get_audit_log), and what still stands. Take every figure " +
  "from the tools; say in which time zone the day is. Is it paper or live?";

function registerReviews(server: McpServer): Registered<"review_my_day" | "daily_review"> {
  return {
    review_my_day: server.registerPrompt(
      "review_my_day",
      { title: "Review my day", description: "What happened today: trades, fees, profit, what still stands." },
      () => ask(`Review my trading of today, in the time zone of get_desk_status, ${REVIEW}`),
    ),
    daily_review: server.registerPrompt(
      "daily_review",
      {
        title: "Review a day",
        description: "What happened on a day: trades, fees, profit, what still stands.",
        argsSchema: DAY,
      },
      ({ day }) => ask(`Review my trading of the day ${inQuotes(day)}, in the time zone of get_desk_status, ${REVIEW}`),
    ),
  };
}

function registerQuestions(
  server: McpServer,
  position: MarketArguments["position"],
): Registered<"my_position" | "why_denied"> {
  return {
    my_position: server.registerPrompt(
      "my_position",
      { title: "My position", description: "What is held, what it cost, what it earns.", argsSchema: position },
      ({ symbol }) =>
        ask(
          `How do I stand${symbol === undefined ? "" : ` in ${inQuotes(symbol)}`}? Call get_portfolio and get_open_orders. Say per coin the volume, the ` +
            "average cost, the value now and the unrealized profit as they stand there; compute nothing yourself. Say what has no known cost " +
            "(uncosted_volume), what is locked in open orders, and what waits for my approval.",
        ),
    ),
    why_denied: server.registerPrompt(
      "why_denied",
      {
        title: "Why was it denied",
        description: "Which rule stopped an order, by how much, and what would pass.",
        argsSchema: DENIED,
      },
      ({ order }) =>
        ask(
          `Why was ${order === undefined ? "my last order" : `my order ${inQuotes(order)}`} not placed? Call get_audit_log and get_desk_status. Name the rule, ` +
            "the figure and the limit, and when more of it is free; say what size would pass. Don't place anything, and don't propose to " +
            "split the order: only I change policy.toml.",
        ),
    ),
  };
}

/** Symbols of the markets that match what was typed. */
export async function symbolsLike(desk: Desk, typed: string): Promise<string[]> {
  const found = await desk.markets(typed);
  return found.ok ? found.value.slice(0, COMPLETIONS_MAX).map((market) => market.symbol) : [];
}

/** An argument is a person's text inside our sentence: it is quoted, to keep the two apart. */
function inQuotes(text: string): string {
  return quoted(text, ARGUMENT_MAX);
}

function ask(text: string): GetPromptResult {
  return { messages: [{ role: "user", content: { type: "text", text } }] };
}
