/**
 * Upbit's stream: market data without a key; own orders and balances on a connection that is opened with a token.
 *
 * Source: SOURCES.md#stream.
 */
import { z } from "zod";
import { quoteFirstProtocol } from "../quote-first-stream.ts";
import { maybe } from "../shown-number.ts";
import { type StreamSource, streamUrl } from "../stream-protocol.ts";
import type { TextKey } from "../text-key.ts";

const order = z.looseObject({ uuid: z.string().min(1), identifier: maybe });

interface Parts extends Pick<StreamSource, "trades"> {
  readonly baseUrl: string | (() => Promise<string>);
  readonly key: TextKey | undefined;
  readonly uuid: () => string;
}

export function upbitStream({ baseUrl, key, uuid, trades }: Parts): StreamSource {
  return {
    trades,
    protocol: quoteFirstProtocol({
      ticket: uuid,
      books: "levels",
      // Five, and a hundred a minute: no more than sixty of them come about so.
      messagesPerSecond: 1,
      hintIn: (frame) => {
        const read = order.safeParse(frame);
        return read.success ? { orderId: read.data.uuid, userref: read.data.identifier ?? null } : undefined;
      },
    }),
    opening: async (line) => {
      if (line === "public") return { url: await streamUrl(baseUrl, {}, "/websocket/v1"), headers: {} };
      const headers = key?.signer()?.(uuid());
      return headers && { url: await streamUrl(baseUrl, {}, "/websocket/v1/private"), headers };
    },
  };
}
