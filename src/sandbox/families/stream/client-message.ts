/**
 * Reads the messages of a client strictly: an unknown or duplicated field is refused by name. Entry points: `readMessage`,
 * `ackFrame`. Source: service.md#stream-messages.
 */
import { STREAM_OPS, type StreamPing, type StreamSubscription, streamMessageId } from "../../../contract/index.ts";
import { duplicatedKey } from "../../http/json-body.ts";
import { nearName } from "../../http/near-name.ts";
import { badArgument, type Fault } from "../../http/outcome.ts";
import { checkPart } from "../../http/request-shape.ts";
import { jsonFrame } from "./frame.ts";

export type MessageId = StreamPing["id"];

export type ClientMessage =
  | { readonly ok: true; readonly id: MessageId; readonly message: StreamSubscription | StreamPing }
  | { readonly ok: false; readonly id: MessageId | null; readonly refused: Fault };

const OPS = Object.keys(STREAM_OPS);

export const NOT_JSON: ClientMessage = {
  ok: false,
  id: null,
  refused: badArgument("message", "this is not JSON: send a JSON object"),
};

export function readMessage(text: string): ClientMessage {
  const value = jsonOf(text);
  if (value === undefined) return NOT_JSON;
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { ok: false, id: null, refused: badArgument("message", "send a JSON object") };
  const given = streamMessageId.safeParse("id" in value ? value.id : undefined);
  const id = given.success ? given.data : null;
  const refuse = (refused: Fault): ClientMessage => ({ ok: false, id, refused });
  const op = "op" in value ? value.op : undefined;
  const schema = OPS.includes(String(op)) ? STREAM_OPS[op as keyof typeof STREAM_OPS] : undefined;
  if (schema === undefined || typeof op !== "string") return refuse(badArgument("op", opFix(op)));
  const checked = checkPart(schema, value);
  if (!checked.ok) return refuse(checked);
  const twice = duplicatedKey(text, value);
  if (twice !== undefined) return refuse(badArgument(twice, "this field is given more than once"));
  // The schema was checked just now.
  const message = checked.value as StreamSubscription | StreamPing;
  return { ok: true, id: message.id, message };
}

export function ackFrame(id: MessageId | null, refused?: Fault): Buffer {
  if (refused === undefined) return jsonFrame({ op: "ack", id, ok: true });
  const { code, message, field, retryAfterMs } = refused;
  return jsonFrame({ op: "ack", id, ok: false, error: { code, message, field, retry_after_ms: retryAfterMs } });
}

function opFix(op: unknown): string {
  const near = typeof op === "string" ? nearName(op, OPS) : undefined;
  return near === undefined ? `use one of ${OPS.join(", ")}` : `did you mean ${near}?`;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes the text, and so is not shown.
    return undefined;
  }
}
