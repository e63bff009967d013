/** Reads what a client of the stream asks for: `[{ticket}, {type, codes, …}, …, {format}]`. Entry point: `readRequest`. */
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
  /** null is every market. */
  readonly symbols: ReadonlySet<string> | null;
  readonly snapshot: boolean;
  readonly realtime: boolean;
}

interface StreamRequest {
  readonly ok: true;
  readonly followed: readonly Followed[];
}

interface StreamError {
  readonly ok: false;
  readonly error: JsonObject;
}

const MESSAGES = {
  WRONG_FORMAT: "Format 이 맞지 않습니다.",
  NO_TICKET: "티켓이 존재하지 않거나, 유효하지 않습니다.",
  NO_TYPE: "type 필드가 존재하지 않습니다.",
  NO_CODES: "codes 필드가 존재하지 않습니다.",
  INVALID_PARAM: "codes 필드가 비어 있습니다.",
} as const;

function streamError(name: keyof typeof MESSAGES, message: string = MESSAGES[name]): StreamError {
  return { ok: false, error: { error: { name, message } } };
}

/** The pages have both spellings of what to leave out. */
const part = z.looseObject({
  ticket: z.string().optional(),
  type: z.string().optional(),
  codes: z.array(z.string()).optional(),
  isOnlySnapshot: z.boolean().optional(),
  is_only_snapshot: z.boolean().optional(),
  isOnlyRealtime: z.boolean().optional(),
  is_only_realtime: z.boolean().optional(),
  format: z.string().optional(),
});

type Part = z.infer<typeof part>;

/** @param isPrivate whether the connection belongs to an account */
export function readRequest(text: string, exchange: Exchange, isPrivate: boolean): StreamRequest | StreamError {
  const parts = partsOf(text);
  if (parts === undefined) return streamError("WRONG_FORMAT");
  if (!parts.some(({ ticket = "" }) => ticket !== "")) return streamError("NO_TICKET");
  const format = parts.find((each) => each.format !== undefined)?.format ?? "DEFAULT";
  if (format !== "DEFAULT") return streamError("INVALID_PARAM", `${format}은 지원하지 않는 포맷입니다.`);
  const typed = parts.filter(({ type }) => type !== undefined);
  if (typed.length === 0) return streamError("NO_TYPE");
  const followed: Followed[] = [];
  for (const each of typed) {
    const read = followedOf(each, exchange, isPrivate);
    if ("error" in read) return read;
    followed.push(read);
  }
  return { ok: true, followed };
}

function partsOf(text: string): readonly Part[] | undefined {
  try {
    const read = z.array(part).safeParse(JSON.parse(text));
    return read.success ? read.data : undefined;
  } catch {
    return undefined;
  }
}

function followedOf(asked: Part, exchange: Exchange, isPrivate: boolean): Followed | StreamError {
  const { codes } = asked;
  const own = isPrivate ? PRIVATE_TYPES.find((each) => each === asked.type) : undefined;
  const type = own ?? (isPrivate ? undefined : PUBLIC_TYPES.find((each) => each === asked.type));
  if (type === undefined) return streamError("WRONG_FORMAT");
  if (own === undefined && codes === undefined) return streamError("NO_CODES");
  if (own === undefined && codes?.length === 0) return streamError("INVALID_PARAM");
  const symbols = codes === undefined || codes.length === 0 ? null : symbolsOf(codes, exchange);
  const { isOnlySnapshot, isOnlyRealtime } = asked;
  return {
    type,
    symbols,
    snapshot: !(isOnlyRealtime ?? asked.is_only_realtime ?? false),
    realtime: !(isOnlySnapshot ?? asked.is_only_snapshot ?? false),
  };
}

/** What is no market is left out. */
function symbolsOf(codes: readonly string[], exchange: Exchange): ReadonlySet<string> {
  const symbols = codes.map(symbolOf).filter((symbol) => symbol !== undefined);
  return new Set(symbols.filter((symbol) => exchange.market(symbol) !== undefined));
}
