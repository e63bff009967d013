import { createServer, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { EventBoard } from "../../../src/serve/console/event-board.ts";
import { EventReader } from "../../../src/serve/console/event-reader.ts";
import { eventually } from "../../fixture/command.ts";

const LARGE = "x".repeat(300_000);
const MOVES = 200;

it("keeps nothing for a page that does not read, and sends it the newest when it does", async () => {
  const board = new EventBoard();
  let reader: EventReader | undefined;
  let sent: ServerResponse | undefined;
  const server = createServer((_, response) => {
    sent = response;
    reader = new EventReader(response, { board, topics: new Set(["book BTC/KRW", "status"]), lastEventId: undefined });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  let heard = "";
  const response = await new Promise<import("node:http").IncomingMessage>((resolve) => {
    request({ port: (server.address() as AddressInfo).port, host: "127.0.0.1" }, resolve).end();
  });
  board.post("status", { at: "first" });
  for (let move = 1; move <= MOVES; move += 1) {
    board.post("book BTC/KRW", { move, LARGE });
    reader?.wake();
    // The socket takes what it can.
    await new Promise((resolve) => setImmediate(resolve));
  }
  board.post("status", { at: "last" });
  reader?.wake();
  expect(sent?.writableNeedDrain).toBe(true);
  expect(sent?.writableLength).toBeLessThan(2 * LARGE.length);
  response.setEncoding("utf8").on("data", (text: string) => {
    heard += text.replaceAll("x", "");
  });
  await eventually(() => heard.includes('"at":"last"') || undefined);
  const moves = [...heard.matchAll(/"move":(\d+)/g)].map(([, move]) => Number(move));
  expect(moves.at(-1)).toBe(MOVES);
  expect(moves.length).toBeLessThan(MOVES / 2);
  const ids = [...heard.matchAll(/^id: \w+-(\d+)$/gm)].map(([, id]) => Number(id));
  expect(ids).toEqual(ids.toSorted((a, b) => a - b));
});
