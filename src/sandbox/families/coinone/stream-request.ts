/** Reads what a client of the stream asks for: one channel and its topic in each message. Entry points: `readRequest`, `streamError`. */
import { z } from "zod";
import type { JsonObject } from "../../venue-kit/json-text.ts";

const PUBLIC_CHANNELS = ["ORDERBOOK", "TICKER", "TRADE"] as const;
const PRIVATE_CHANNELS = ["MYORDER"] as const;

export type Channel = (typeof PUBLIC_CHANNELS)[number] | (typeof PRIVATE_CHANNELS)[number];

export type StreamRequest =
  | { readonly kind: "PING" }
  | {
      readonly kind: "SUBSCRIBE" | "UNSUBSCRIBE";
      readonly channel: Channel;
      /** As sent; none stands for all markets. */
      readonly topics: readonly Topic[];
      readonly isShort: boolean;
    }
  | { readonly kind: "ERROR"; readonly error: JsonObject };

const ERRORS = { 160010: "Invalid Request", 160011: "Invalid Type", 160012: "Invalid Topic" } as const;

/** @param field which one is meant; an error of a topic names neither channel nor topic */
export function streamError(code: keyof typeof ERRORS, field?: string): JsonObject {
  return { response_type: "ERROR", error_code: code, message: ERRORS[code], field };
}

const KINDS = ["PING", "SUBSCRIBE", "UNSUBSCRIBE"] as const;

const message = z.record(z.string(), z.unknown());
const topic = z.strictObject({ quote_currency: z.string(), target_currency: z.string() });

export type Topic = z.infer<typeof topic>;

/** @param isPrivate whether the connection belongs to an account */
export function readRequest(text: string, isPrivate: boolean): StreamRequest {
  const read = messageOf(text);
  if (read === undefined) return error(160_010);
  const { request_type: asked, channel: named, topic: sent, format = "DEFAULT" } = read;
  const kind = KINDS.find((each) => each === asked);
  if (kind === undefined) return error(160_011, "request_type");
  if (kind === "PING") return { kind };
  const channels: readonly Channel[] = isPrivate ? PRIVATE_CHANNELS : PUBLIC_CHANNELS;
  const channel = channels.find((each) => each === named);
  if (channel === undefined) return error(160_011, "channel");
  if (format !== "DEFAULT" && format !== "SHORT") return error(160_011, "format");
  const topics = topicsOf(sent, channel);
  if (topics === undefined) return error(160_012);
  return { kind, channel, topics, isShort: format === "SHORT" };
}

function error(code: keyof typeof ERRORS, field?: string): StreamRequest {
  return { kind: "ERROR", error: streamError(code, field) };
}

function messageOf(text: string): z.infer<typeof message> | undefined {
  try {
    return message.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Public channels have one topic, own orders a list of them or none. */
function topicsOf(sent: unknown, channel: Channel): readonly Topic[] | undefined {
  if (channel === "MYORDER") return z.array(topic).safeParse(sent ?? []).data;
  const one = topic.safeParse(sent).data;
  return one && [one];
}
