/** The page as it is built, before a server that says what a test wants: always the same views, and events when they are told. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { ConsoleEvents, ConsoleSession } from "../../../src/serve/console/console-api.ts";
import { consoleFiles } from "../../../src/serve/console/console-files.ts";
import { ENDED, PLAN, PLANS } from "./fixed-plans.ts";
import {
  AUDIT,
  CLOSED_ORDERS,
  candlesOf,
  EVENTS,
  FILLS,
  MARKETS,
  ORDER,
  POLICY,
  PORTFOLIO,
  SESSION,
} from "./fixed-views.ts";

const BUILT = join(import.meta.dirname, "../../../dist/web/console");

export interface FixedServer {
  readonly url: string;
  /** Tells all pages, and those that listen from now on: a page takes its stream up anew once it knows its market. */
  tell<Topic extends keyof ConsoleEvents>(topic: Topic, view: ConsoleEvents[Topic]): void;
  /** Says from now on what it said at first. */
  forget(): void;
  /** Breaks what pages listen to. @param isForGood nothing is answered any more, as after the session */
  hangUp(isForGood?: "ended"): void;
  close(): Promise<void>;
}

export async function startFixed(session: Partial<ConsoleSession> = {}): Promise<FixedServer> {
  const files = consoleFiles(BUILT);
  const listeners = new Set<ServerResponse>();
  const told = new Map<string, unknown>();
  let hasEnded = false;
  const views: Readonly<Record<string, (query: URLSearchParams) => object>> = {
    session: () => ({ ...SESSION, ...session }),
    markets: () => MARKETS,
    candles: (query) => candlesOf(query.get("interval") as "1m"),
    portfolio: () => PORTFOLIO,
    orders: () => CLOSED_ORDERS,
    order: () => ORDER,
    fills: () => FILLS,
    plans: (query) => (query.get("which") === "ended" ? ENDED : PLANS),
    plan: (query) => PLAN(query.get("plan_id")),
    policy: () => POLICY,
    audit: () => AUDIT,
    "since-copy": () => ({ since_copy: null }),
  };
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://page");
    const file = pathname === "/" ? files.index : files.routes[pathname]?.["GET"];
    if (file !== undefined) return void file(request, response, NOBODY);
    const name = pathname.replace(/^\/console\//, "");
    if (hasEnded) return void response.writeHead(401).end("{}");
    if (name === "events") {
      response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
      for (const [topic, view] of new Map([...Object.entries(EVENTS), ...told])) response.write(eventOf(topic, view));
      listeners.add(response);
      return void response.on("close", () => listeners.delete(response));
    }
    const view = views[name];
    response.writeHead(view === undefined ? 404 : 200, { "Content-Type": "application/json" });
    response.end(JSON.stringify(view?.(searchParams) ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    tell(topic, view) {
      told.set(topic, view);
      const event = eventOf(topic, view);
      for (const listener of listeners) listener.write(event);
    },
    forget: () => told.clear(),
    hangUp(isForGood) {
      hasEnded = isForGood === "ended";
      for (const listener of listeners) listener.destroy();
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** These files are for everybody. */
const NOBODY = undefined as never;

let sent = 0;

function eventOf(topic: string, view: unknown): string {
  sent += 1;
  return `id: ${sent}\nevent: ${topic}\ndata: ${JSON.stringify(view)}\n\n`;
}
