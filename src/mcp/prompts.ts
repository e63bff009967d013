/** Owns the prompts: tasks that a person picks from a menu, written so that the assistant previews and asks before it trades. */
import { completable, type GetPromptResult, type McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Desk } from "../desk/index.ts";

const COMPLETIONS_MAX = 20;

export function registerPrompts(server: McpServer, desk: Desk): void {
  const symbol = completable(z.string().max(40).describe("Market, e.g. BTC/KRW"), (typed) => symbolsLike(desk, typed));
  const marketArgument = z.object({ symbol });
  server.registerPrompt(
    "market_brief",
    { title: "Market brief", description: "A short look at one market.", argsSchema: marketArgument },
    ({ symbol }) =>
      ask(
        `Give me a short brief of ${quoted(symbol)}: use get_ticker, get_orderbook and get_candles (1h). Say the price, the ` +
          "24 h change, the spread, what the last day looked like, and how much could be traded near the mid. Give figures, no advice.",
      ),
  );
  const orderArguments = z.object({
    symbol,
    order: z.string().max(200).describe('What to do, e.g. "buy for 100000 KRW"'),
  });
  server.registerPrompt(
    "place_an_order",
    {
      title: "Place an order",
      description: "Prepare an order, show it, place it after your yes.",
      argsSchema: orderArguments,
    },
    ({ symbol, order }) =>
      ask(
        `In ${quoted(symbol)} I want to: ${quoted(order)}. First call preview_order and show me the order, its cost with fee, the ` +
          "slippage and whether it is paper or live. Wait for my yes. Then call place_order with the draft_id and await_order. " +
          "If the outcome is unknown, look with get_order; never place it a second time.",
      ),
  );
  server.registerPrompt(
    "flatten_everything",
    { title: "Flatten everything", description: "Cancel all orders, then plan how to sell what is left." },
    () =>
      ask(
        "Call cancel_all_orders and tell me per order what happened. Then call get_balances and, for every coin held, " +
          "preview_order a market sell of the available volume. Show me the list and sell nothing before my yes.",
      ),
  );
}

/** Symbols of the markets that match what was typed. */
export async function symbolsLike(desk: Desk, typed: string): Promise<string[]> {
  const found = await desk.markets(typed);
  return found.ok ? found.value.slice(0, COMPLETIONS_MAX).map((market) => market.symbol) : [];
}

/** An argument is a person's text inside our sentence: it is quoted, to keep the two apart. */
function quoted(text: string): string {
  return JSON.stringify(text);
}

function ask(text: string): GetPromptResult {
  return { messages: [{ role: "user", content: { type: "text", text } }] };
}
