/**
 * Calls tools for the story and holds every result against what was promised: the advertised output schema, the environment,
 * and a text that says the same as the structured content.
 */
import type { JsonSchemaType } from "@modelcontextprotocol/client";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/client/validators/ajv";
import { expect } from "vitest";
import { coins, won } from "./figures.ts";
import type { ListedTool, Progress, StoryClient, ToolResult } from "./story-client.ts";

export interface OrderSeen {
  readonly orderId: string;
  readonly symbol: string;
  readonly side: "buy" | "sell";
  readonly state: string;
  readonly price: string | null;
  readonly volume: string | null;
  readonly executed_volume: string;
  readonly executed_value: string;
  readonly remaining_volume: string | null;
  readonly fee: string;
  readonly fee_currency: string;
  readonly userref: string | null;
}

export interface FillSeen {
  readonly trade_id: string;
  readonly orderId: string;
  readonly symbol: string;
  readonly side: "buy" | "sell";
  readonly price: string;
  readonly volume: string;
  readonly value: string;
  readonly fee: string;
  readonly fee_currency: string;
  readonly liquidity: "maker" | "taker";
}

export interface BalanceSeen {
  readonly asset: string;
  readonly total: string;
  readonly available: string;
  readonly locked: string;
}

export interface MarketSeen {
  readonly symbol: string;
  readonly korean_name: string;
  readonly english_name: string;
  readonly status: string;
  readonly volume_decimals: number;
  readonly maker_fee_rate: string;
  readonly taker_fee_rate: string;
}

export interface BookSeen {
  readonly symbol: string;
  readonly tick: { readonly buys: readonly [string, string][]; readonly asks: readonly [string, string][] };
  readonly best_bid: string;
  readonly best_ask: string;
  readonly mid: string;
  readonly spread: string;
}

export interface PlacedSeen {
  readonly outcome: string;
  readonly state: string;
  readonly order: OrderSeen;
  readonly userref: string;
  readonly warnings: readonly string[];
}

export interface PreviewSeen {
  readonly valid: boolean;
  readonly draft_id?: string;
  readonly proposals: readonly { readonly field: string; readonly given: string; readonly proposed: string }[];
  readonly problems: readonly { readonly code: string; readonly field?: string }[];
}

export interface OpenSeen {
  readonly orders: readonly OrderSeen[];
}

export interface CanceledSeen {
  readonly results: readonly { readonly orderId: string; readonly symbol: string; readonly state: string }[];
  readonly canceled: number;
  readonly remaining: number;
}

/** A result whose structured content has been checked against the schema; the fields are read at the reader's risk. */
export interface Told<Content> extends ToolResult {
  readonly content: Content;
}

/** The words of the texts for each state; a text must carry its own and none of the others. */
const STATE_WORDS: Readonly<Record<string, RegExp>> = {
  open: /Open: it rests/,
  partially_filled: /Partially filled:/,
  filled: /Filled:/,
  canceled: /Canceled(:| and verified:)/,
  cancel_requested: /Cancel requested/,
  expired: /Expired:/,
  denied: /Nothing was sent|nothing was sent/,
};

const validation = new AjvJsonSchemaValidator();

export class Teller {
  readonly client: StoryClient;
  private readonly validators = new Map<string, ReturnType<typeof validation.getValidator>>();

  constructor(client: StoryClient) {
    this.client = client;
  }

  /** The tools as advertised; must come first. */
  async tools(): Promise<readonly ListedTool[]> {
    const tools = await this.client.listTools();
    for (const { name, outputSchema } of tools) {
      expectPart({ name, outputSchema }, { name, outputSchema: { type: "object" } });
      this.validators.set(name, validation.getValidator(outputSchema as JsonSchemaType));
    }
    return tools;
  }

  /** A call that must do what it was asked. */
  async tell<Content = Record<string, unknown>>(
    name: string,
    args: object = {},
    onProgress?: (progress: Progress) => void,
  ): Promise<Told<Content>> {
    const told = await this.ask<Content>(name, args, onProgress);
    expectPart(told, { isError: false });
    return told;
  }

  /** A call that must be refused. */
  async refused<Content = { readonly error: { readonly code: string; readonly field?: string } }>(
    name: string,
    args: object = {},
  ): Promise<Told<Content>> {
    const told = await this.ask<Content>(name, args);
    expectPart(told, {
      isError: true,
      structured: { error: { code: expect.any(String), message: expect.any(String) } },
    });
    return told;
  }

  /** A call that may end either way. */
  async ask<Content = Record<string, unknown>>(
    name: string,
    args: object = {},
    onProgress?: (progress: Progress) => void,
  ): Promise<Told<Content>> {
    const result = await this.client.call(name, args, onProgress);
    const validate = this.validators.get(name);
    if (validate === undefined) throw new Error(`${name} was not listed`);
    const { valid, errorMessage } = validate(result.structured);
    if (!valid) throw new Error(`${name} broke its schema: ${errorMessage} in ${JSON.stringify(result.structured)}`);
    agree(name, result);
    return { ...result, content: result.structured as Content };
  }
}

/** Shows the whole of what was there when a part of it is wrong. */
function expectPart(whole: object, part: object): void {
  expect(whole).toMatchObject(part);
}

const ABOUT_ONE_ORDER = /^(place_order|cancel_order|await_order|get_order)$/;

/** Text and structured content say the same, of what and whether it happened. */
function agree(name: string, { text, structured, isError }: ToolResult): void {
  expect(structured).toMatchObject({ environment: "sandbox" });
  expect(text).toMatch(/\S/);
  expect(text).not.toMatch(/LIVE|undefined|\[object|NaN/);
  const { outcome, state, order } = structured as Partial<PlacedSeen>;
  if (outcome !== undefined) expect(isError).toBe(outcome !== "accepted");
  if (!ABOUT_ONE_ORDER.test(name) || state === undefined) return;
  // A warning may speak of another call; what stands before it speaks of this state and of no other.
  const [told = ""] = text.split(/\n(?:Warning|Next): /);
  const spoken = Object.keys(STATE_WORDS).filter((word) => STATE_WORDS[word]?.test(told));
  expect({ told, spoken }).toEqual({ told, spoken: [state] });
  if (order !== undefined) agreeOnOrder(text, state, order);
}

function agreeOnOrder(text: string, state: string, order: OrderSeen): void {
  const executed = /[1-9]/.test(order.executed_volume);
  expect(state).toBe(order.state === "open" && executed ? "partially_filled" : order.state);
  expect(text).toContain(order.orderId);
  const [base = ""] = order.symbol.split("/");
  if (!executed) {
    expect(text).toMatch(/nothing (has|had) executed/);
    return;
  }
  expect(text).toContain(coins(order.executed_volume, base));
  expect(text).toContain(won(order.executed_value));
  expect(text).toContain(`fee ${won(order.fee)}`);
}
