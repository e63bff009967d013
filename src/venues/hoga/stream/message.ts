/** Reads a message of the service by the contract. Entry point: `readMessage`. */

import {
  parseForeignJson,
  STREAM_EVENTS,
  type StreamAck,
  type StreamEvent,
  streamAck,
  streamChannel,
  streamHeartbeat,
} from "../../../contract/index.ts";
import type { Redact } from "../../../transport/index.ts";

/** `other`: a message of a later version of the service, which is ignored. `unreadable`: the connection cannot be trusted. */
export type StreamMessage =
  | { readonly kind: "ack"; readonly ack: StreamAck }
  | { readonly kind: "event"; readonly event: StreamEvent }
  /** The exchange's time when it was sent. */
  | { readonly kind: "heartbeat"; readonly time: string }
  | { readonly kind: "other" | "unreadable" };

const OTHER = { kind: "other" } as const;
const UNREADABLE = { kind: "unreadable" } as const;

export function readMessage(text: string, redact: Redact): StreamMessage {
  const value = redact(parsed(text));
  if (typeof value !== "object" || value === null) return UNREADABLE;
  if ("op" in value) return readOp(value);
  if (!("channel" in value)) return OTHER;
  const channel = streamChannel.safeParse(value.channel);
  if (!channel.success) return OTHER;
  const event = STREAM_EVENTS[channel.data].safeParse(value);
  return event.success ? { kind: "event", event: event.data } : UNREADABLE;
}

function readOp(value: { readonly op: unknown }): StreamMessage {
  if (value.op === "heartbeat") {
    const heartbeat = streamHeartbeat.safeParse(value);
    return heartbeat.success ? { kind: "heartbeat", time: heartbeat.data.time } : UNREADABLE;
  }
  if (value.op !== "ack") return OTHER;
  const ack = streamAck.safeParse(value);
  return ack.success ? { kind: "ack", ack: ack.data } : UNREADABLE;
}

function parsed(text: string): unknown {
  try {
    return parseForeignJson(text);
  } catch {
    return undefined;
  }
}
