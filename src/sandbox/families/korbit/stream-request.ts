/**
 * Reads what a client of the stream asks for: `[{requestId, method, type, symbols, …}, …]`. Entry point: `readRequests`.
 *
 * Invariant: each part of a message is taken or refused by itself.
 */
import { z } from "zod";
import type { Units } from "../../model/index.ts";
import type { Service } from "../../service/service.ts";
import { marketOf } from "./korbit-call.ts";
import type { Json } from "./outcome.ts";
import { groupingOf } from "./quotation.ts";

export const PUBLIC_TYPES = ["ticker", "orderbook", "trade"] as const;
export const PRIVATE_TYPES = ["myOrder", "myTrade", "myAsset"] as const;

export type StreamType = (typeof PUBLIC_TYPES)[number] | (typeof PRIVATE_TYPES)[number];

export interface Asked {
  readonly ok: true;
  readonly requestId: number | undefined;
  readonly isSubscription: boolean;
  readonly type: StreamType;
  /** Of the markets; empty for balances. */
  readonly symbols: readonly string[];
  /** By which a book is grouped. */
  readonly level: Units | undefined;
  /** Whether messages are to say whose they are. */
  readonly saysAccount: boolean;
}

export interface Failed {
  readonly ok: false;
  readonly message: Json;
}

const part = z.looseObject({
  requestId: z.int().optional(),
  method: z.string().optional(),
  type: z.string().optional(),
  symbols: z.array(z.string()).optional(),
  level: z.string().optional(),
  accountSeqs: z.array(z.int()).optional(),
});

type Part = z.infer<typeof part>;

/** @param types those that the connection may ask for */
export function readRequests(
  text: string,
  service: Service,
  types: readonly StreamType[],
): readonly (Asked | Failed)[] {
  const parts = partsOf(text);
  if (parts === undefined)
    return [{ ok: false, message: { status: "error", message: "the message is no list of requests" } }];
  return parts.map((each) => readPart(each, service, types));
}

function partsOf(text: string): readonly Part[] | undefined {
  try {
    return z.array(part).min(1).safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function failed({ requestId }: Part, code: string, message: string): Failed {
  return { ok: false, message: { requestId, status: "fail", code, message } };
}

function readPart(asked: Part, service: Service, types: readonly StreamType[]): Asked | Failed {
  const { requestId, method, symbols: codes = [], level: written, accountSeqs } = asked;
  if (method !== "subscribe" && method !== "unsubscribe")
    return failed(asked, "INVALID_METHOD", "The method does not exist");
  const type = types.find((each) => each === asked.type);
  if (type === undefined) return failed(asked, "INVALID_TYPE", "The type does not exist");
  if (accountSeqs?.some((seq) => seq !== 1) === true)
    return failed(asked, "INVALID_ACCOUNT_SEQ", "The account does not exist");
  const symbols: string[] = [];
  let level: Units | undefined;
  for (const code of type === "myAsset" ? [] : codes) {
    const market = marketOf(service, code);
    if (market === undefined) return failed(asked, "INVALID_SYMBOL", `The symbol does not exist (${code})`);
    const grouping = groupingOf(market, type === "orderbook" ? written : undefined);
    if (grouping === "none") return failed(asked, "INVALID_LEVEL", "The level does not exist");
    level = grouping;
    symbols.push(market.symbol);
  }
  if (symbols.length === 0 && type !== "myAsset") return failed(asked, "INVALID_SYMBOL", "There is no symbol");
  const isSubscription = method === "subscribe";
  return { ok: true, requestId, isSubscription, type, symbols, level, saysAccount: accountSeqs !== undefined };
}
