/** Stands between the program and an exchange: notes what arrives, and answers in its place where a test wants trouble. */
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What becomes of a request. `lose_answer`: it reaches the exchange, its answer does not come back. */
export type Fate = "forward" | "lose_request" | "lose_answer" | "html" | "silence";

export interface Arrival {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly nonce: string | undefined;
}

export interface Relay {
  readonly url: string;
  /** In the order of arrival. */
  readonly arrivals: readonly Arrival[];
  /** Says what becomes of the requests from now on. */
  decide(fate: (arrival: Arrival) => Fate): void;
  close(): Promise<void>;
}

/** @param exchange where requests go; without one, nothing may be forwarded. */
export async function startRelay(exchange?: string): Promise<Relay> {
  const arrivals: Arrival[] = [];
  let decision: (arrival: Arrival) => Fate = () => "forward";
  const server = createServer((incoming, response) => {
    const nonce = incoming.headers["api-nonce"];
    const arrival = { method: incoming.method ?? "", path: incoming.url ?? "", nonce: nonce?.toString() };
    arrivals.push(arrival);
    answer(decision(arrival), exchange ?? "", incoming, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivals,
    decide: (fate) => {
      decision = fate;
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

function answer(fate: Fate, exchange: string, incoming: IncomingMessage, response: ServerResponse): void {
  switch (fate) {
    case "forward":
      forward(exchange, incoming, (answered) => {
        response.writeHead(answered.statusCode ?? 502, answered.headers);
        answered.pipe(response);
      });
      return;
    case "lose_answer":
      forward(exchange, incoming, (answered) => {
        answered.resume();
        answered.once("end", () => incoming.socket.destroy());
      });
      return;
    case "lose_request":
      incoming.resume();
      incoming.once("end", () => incoming.socket.destroy());
      return;
    case "html":
      incoming.resume();
      response.writeHead(200, { "Content-Type": "text/html" });
      response.end("<!doctype html><title>Welcome to nginx</title>");
      return;
    case "silence":
      incoming.resume();
      return;
    default:
      throw new Error(fate satisfies never);
  }
}

function forward(exchange: string, incoming: IncomingMessage, then: (answered: IncomingMessage) => void): void {
  const { method, headers, url } = incoming;
  const onward = request(`${exchange}${url ?? ""}`, { method: method ?? "GET", headers }, then);
  onward.on("error", () => incoming.socket.destroy());
  incoming.pipe(onward);
}
