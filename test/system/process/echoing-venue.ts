/**
 * An exchange on loopback that gives away whatever it knows of a key: it answers, refuses and breaks with the request's headers,
 * the key and its secret in every free text, one spelling after the other. What it answers is otherwise in the service's form,
 * so that the desk goes on and writes it down.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { CANARY_FORMS } from "../../fixture/canary.ts";
import { market, placedOrder, textOf, ticker } from "../../fixture/order-sample.ts";

/** How private calls end: answered, refused with words, refused for the key, failed, or with something unreadable. */
export const MANNERS = ["answers", "refuses", "knows no such key", "fails", "garbles", "breaks off"] as const;
export type Manner = (typeof MANNERS)[number];

export interface EchoingVenue {
  readonly url: string;
  manner: Manner;
  /** Requests that carried the key. */
  readonly signed: number;
  /** Orders that arrived. */
  readonly orders: number;
  close(): void;
}

const BOOK = { buys: [["149999000", "1.5"]], asks: [["150000000", "1.5"]] };

export async function startEchoingVenue(): Promise<EchoingVenue> {
  let [echoes, orders, signed] = [0, 0, 0];
  let manner: Manner = "answers";
  /** The next spelling, and the one after it further back, where a cap may cut it. */
  const echo = (): string => {
    echoes += 1;
    const at = (step: number) => CANARY_FORMS[(echoes * 2 + step) % CANARY_FORMS.length] ?? "";
    return `you sent ${at(0)} ${" ".repeat(echoes % 3)}and ${at(1)}.`;
  };
  const refusal = (code: string, request: IncomingMessage): string =>
    JSON.stringify({
      error: {
        code,
        message: echoes % 2 === 0 ? echo() : `headers: ${JSON.stringify(request.headers)}`,
        request_id: echo(),
        field: echo(),
        user_action_url: `https://help.example/?${new URLSearchParams({ key: echo() }).toString()}`,
      },
    });

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await textOf(request);
    const [path = ""] = (request.url ?? "").split("?");
    const isPrivate = request.headers["api-key"] !== undefined;
    if (isPrivate) signed += 1;
    if (request.method === "POST") orders += 1;
    const send = (status: number, text: string, type = "application/json") =>
      response
        .writeHead(status, { "content-type": type, "api-version": "1.4.0", "api-sandbox": "echo", "x-echo": "1" })
        .end(text);
    if (!isPrivate || path === "/v1/accounts") return void send(200, JSON.stringify(open(path, echo)));
    switch (manner) {
      case "answers": {
        if (request.method !== "POST")
          return void send(200, JSON.stringify({ orders: [], trades: [], next_cursor: null }));
        return void send(
          201,
          JSON.stringify({ ...placedOrder(body, orders), reject_reason: echo(), descr: { order: echo() } }),
        );
      }
      case "refuses":
        return void send(422, refusal(orders % 2 === 0 ? "EOrder:Invalid price" : `EOrder:${echo()}`, request));
      case "knows no such key":
        return void send(401, refusal("EAPI:Invalid key", request));
      case "fails":
        return void send(503, refusal("EService:Unavailable", request));
      case "garbles":
        return void send(200, `<html>${echo()}<pre>${JSON.stringify(request.rawHeaders)}</pre></html>`, "text/html");
      case "breaks off":
        request.socket.end(`HTTP/1.1 ${echo()}\r\n${echo()}\r\n\r\n`);
        return;
      default:
        manner satisfies never;
    }
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get manner() {
      return manner;
    },
    set manner(next) {
      manner = next;
    },
    get orders() {
      return orders;
    },
    get signed() {
      return signed;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function open(path: string, echo: () => string): object {
  if (path === "/v1/time") return { iso: new Date().toISOString(), unix_ms: Date.now() };
  if (path === "/v1/tickers") return { tickers: [ticker] };
  if (path === "/v1/accounts")
    return { account_id: echo(), balances: [{ asset: "KRW", total: "90000000", available: "90000000", locked: "0" }] };
  if (path.startsWith("/v1/trades/")) return { trades: [] };
  if (path.startsWith("/v1/orderbook/"))
    return { symbol: "BTC/KRW", seq: 1, tick: BOOK, time: new Date().toISOString() };
  return { markets: [{ ...market, korean_name: echo(), english_name: echo() }] };
}
