/** The reply of a family, which leaves once what it tells is on disk. Entry points: `textReply`, `durableAnswer`. */
import type { Answered, Reply } from "../http/family.ts";
import type { Service } from "../service/service.ts";

/** @param more names and values in turn */
export function textReply(status: number, type: string, text: string, more: readonly string[] = []): Reply {
  const headers = [
    "Content-Type",
    type,
    "Content-Length",
    String(Buffer.byteLength(text)),
    "Cache-Control",
    "no-store",
  ];
  return { status, headers: [...headers, ...more], text };
}

/** @param changed whether the call changed the exchange. @param unsaved what is sent when the disk fails */
export function durableAnswer(
  { journaled }: Pick<Service, "journaled">,
  reply: Reply,
  changed: boolean,
  unsaved: () => Reply,
): Answered {
  if (changed) return { reply, unsaved };
  return { reply: journaled.flush() ? reply : unsaved() };
}
