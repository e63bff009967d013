/**
 * Bithumb's stream: market data without a key (v1); own orders and balances on a connection that is opened with a token (v2).
 *
 * Source: SOURCES.md#stream.
 */
import { z } from "zod";
import { quoteFirstProtocol } from "../quote-first-stream.ts";
import { maybe } from "../shown-number.ts";
import { type StreamSource, streamUrl } from "../stream-protocol.ts";
import type { TextKey } from "../text-key.ts";

const HOSTS = { "api.bithumb.com": "ws-api.bithumb.com" };
const order = z.looseObject({ order_id: z.string().min(1), client_order_id: maybe });

interface Parts extends Pick<StreamSource, "trades"> {
  readonly baseUrl: string | (() => Promise<string>);
  readonly key: TextKey | undefined;
  readonly uuid: () => string;
  /** The exchange's time. */
  readonly now: () => number;
}

export function bithumbStream({ baseUrl, key, uuid, now, trades }: Parts): StreamSource {
  return {
    trades,
    protocol: quoteFirstProtocol({
      ticket: uuid,
      // Of 15 levels, where a call answers with 30.
      books: "change",
      messagesPerSecond: 1,
      hintIn: (frame) => {
        const read = order.safeParse(frame);
        return read.success ? { orderId: read.data.order_id, userref: read.data.client_order_id ?? null } : undefined;
      },
      // In microseconds.
      bookMs: (time) => Math.floor(time / 1_000),
    }),
    opening: async (line) => {
      if (line === "public") return { url: await streamUrl(baseUrl, HOSTS, "/websocket/v1"), headers: {} };
      const headers = key?.signer()?.(uuid(), String(now()));
      return headers && { url: await streamUrl(baseUrl, HOSTS, "/websocket/v2/private"), headers };
    },
  };
}
