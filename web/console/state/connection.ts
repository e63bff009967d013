/**
 * Owns the stream of the server's events, and the truth about it: whether it is there, and since when it is not.
 *
 * Invariants: the browser takes the stream up again by itself, after what it has seen last; where it has given up, one is opened
 * again after a moment. Whether the session has ended is asked of the server, as a stream does not say why it ended.
 */
import { type Signal, signal } from "@preact/signals";
import type { Streams } from "../../../src/serve/console/console-routes.ts";
import { read } from "../request.ts";

export interface Connection {
  /** `ended`: the server does not know this session any more, and no stream is tried again. */
  readonly state: "connecting" | "live" | "lost" | "ended";
  /** When the last event came, by the clock of this machine. */
  readonly heardAt: number;
}

export interface Stream {
  readonly connection: Signal<Connection>;
  /** Follows another market. */
  follow(symbol: string | undefined): void;
  /** The server has refused this session elsewhere. */
  end(): void;
}

const AGAIN_MS = 3_000;

export function openStream(topics: readonly string[], take: (topic: string, text: string) => void): Stream {
  const connection = signal<Connection>({ state: "connecting", heardAt: Date.now() });
  let source: EventSource | undefined;
  let symbol: string | undefined;
  let again: ReturnType<typeof setTimeout> | undefined;

  const heard = (): void => {
    const { state, heardAt } = connection.value;
    const now = Date.now();
    // A page that is told so a thousand times a second has nothing to draw for it.
    if (state !== "live" || now - heardAt > 500) connection.value = { state: "live", heardAt: now };
  };
  const lost = async (): Promise<void> => {
    if (connection.value.state === "ended") return;
    if (connection.value.state === "live") connection.value = { ...connection.value, state: "lost" };
    const hasGivenUp = source?.readyState === EventSource.CLOSED;
    const session = await read("session", {});
    if (!session.ok && session.kind === "ended") return end();
    if (hasGivenUp) {
      clearTimeout(again);
      again = setTimeout(open, AGAIN_MS);
    }
  };
  const end = (): void => {
    clearTimeout(again);
    source?.close();
    connection.value = { ...connection.value, state: "ended" };
  };
  const open = (): void => {
    source?.close();
    if (connection.value.state === "ended") return;
    const path: keyof Streams = "events";
    const search = symbol === undefined ? "" : `?${new URLSearchParams({ symbol })}`;
    source = new EventSource(`./console/${path}${search}`);
    source.addEventListener("open", heard);
    source.addEventListener("error", () => void lost());
    source.addEventListener("beat", heard);
    for (const topic of topics) {
      source.addEventListener(topic, ({ data }) => {
        heard();
        take(topic, String(data));
      });
    }
  };
  return {
    connection,
    follow(next) {
      if (source !== undefined && next === symbol) return;
      symbol = next;
      open();
    },
    end,
  };
}
