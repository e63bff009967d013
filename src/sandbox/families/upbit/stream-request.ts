/**
 * Reads what a client of the stream asks for: `[{ticket}, {type, codes, …}, …, {format}]`. Entry point: `readRequest`.
 */
import { z } from "zod";
import type { Exchange } from "../../model/index.ts";
import type { JsonObject } from "../../venue-kit/json-text.ts";
import { symbolOf } from "./market-rules.ts";

const PUBLIC_TYPES = ["ticker", "trade", "orderbook"] as const;
const PRIVATE_TYPES = ["myOrder", "myAsset"] as const;

export type StreamType = (typeof PUBLIC_TYPES)[number] | (typeof PRIVATE_TYPES)[number];

/** What of one type is followed. */
export interface Followed {
  readonly type: StreamType;
  /** By symbol how many levels of a book; null is every market. */
  readonly depths: ReadonlyMap<string, number> | null;
  readonly snapshot: boolean;
  readonly realtime: boolean;
}

export interface StreamRequest {
  readonly ok: true;
  readonly followed: readonly Followed[];
  /** Each message is a list of one. */
  readonly inLists: boolean;
}

interface StreamError {
  readonly ok: false;
  readonly error: JsonObject;
}

const MESSAGES = {
  INVALID_AUTH: "인증 정보가 올바르지 않습니다.",
  WRONG_FORMAT: "Format 이 맞지 않습니다.",
  NO_TICKET: "티켓이 존재하지 않거나, 유효하지 않습니다.",
  NO_TYPE: "type 필드가 존재하지 않습니다.",
  NO_CODES: "codes 필드가 존재하지 않습니다.",
  INVALID_PARAM: "지원하지 않는 값입니다.",
} as const;

export function streamError(name: keyof typeof MESSAGES): StreamError {
  return { ok: false, error: { error: { name, message: MESSAGES[name] } } };
}

const part = z.looseObject({
  ticket: z.string().optional(),
  type: z.string().optional(),
  codes: z.array(z.string()).optional(),
  is_only_snapshot: z.boolean().optional(),
  is_only_realtime: z.boolean().optional(),
  format: z.string().optional(),
});

type Part = z.infer<typeof part>;

const DEPTHS = [1, 5, 15, 30];
const DEPTH_MAX = 30;

/** @param isPrivate whether the connection belongs to an account */
export function readRequest(text: string, exchange: Exchange, isPrivate: boolean): StreamRequest | StreamError {
  const parts = partsOf(text);
  if (parts === undefined) return streamError("WRONG_FORMAT");
  if (!parts.some(({ ticket = "" }) => ticket !== "")) return streamError("NO_TICKET");
  const format = parts.find((each) => each.format !== undefined)?.format ?? "DEFAULT";
  if (format !== "DEFAULT" && format !== "JSON_LIST") return streamError("WRONG_FORMAT");
  const typed = parts.filter(({ type }) => type !== undefined);
  if (typed.length === 0) return streamError("NO_TYPE");
  const followed: Followed[] = [];
  for (const each of typed) {
    const read = followedOf(each, exchange, isPrivate);
    if ("error" in read) return read;
    followed.push(read);
  }
  return { ok: true, followed, inLists: format === "JSON_LIST" };
}

function partsOf(text: string): readonly Part[] | undefined {
  try {
    return z.array(part).safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function followedOf(asked: Part, exchange: Exchange, isPrivate: boolean): Followed | StreamError {
  const { codes, is_only_snapshot: onlySnapshot = false, is_only_realtime: onlyRealtime = false } = asked;
  const own = PRIVATE_TYPES.find((type) => type === asked.type);
  if (own !== undefined && !isPrivate) return streamError("INVALID_AUTH");
  const type = own ?? PUBLIC_TYPES.find((each) => each === asked.type);
  if (type === undefined) return streamError("INVALID_PARAM");
  if (own === undefined && codes === undefined) return streamError("NO_CODES");
  if (own === undefined && codes?.length === 0) return streamError("INVALID_PARAM");
  const depths = codes === undefined || codes.length === 0 ? null : depthsOf(codes, exchange);
  return { type, depths, snapshot: !onlyRealtime, realtime: !onlySnapshot };
}

/** Of codes such as `KRW-BTC`, with a depth as `.5` or without; what is no market is left out. */
function depthsOf(codes: readonly string[], exchange: Exchange): ReadonlyMap<string, number> {
  const depths = new Map<string, number>();
  for (const code of codes) {
    const [name = "", depth] = code.split(".");
    const symbol = symbolOf(name);
    const asked = DEPTHS.find((each) => String(each) === depth) ?? DEPTH_MAX;
    if (symbol !== undefined && exchange.market(symbol) !== undefined) depths.set(symbol, asked);
  }
  return depths;
}
