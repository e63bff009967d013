/** A loopback server that answers each request as the test says. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
// Loaded before the first request, whose time it would take.
import "undici";

export type Behaviour = (response: ServerResponse, line: string) => void;

export const reply =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Behaviour =>
  (response) => {
    response.writeHead(status, headers).end(typeof body === "string" ? body : JSON.stringify(body));
  };
export const refuse = (name: string | number, status = 400, message = "their words"): Behaviour =>
  reply({ error: { name, message } }, status);
export const hang: Behaviour = () => {};

export async function scriptedExchange() {
  const lines: string[] = [];
  const bodies: string[] = [];
  const headers: Record<string, unknown>[] = [];
  const state: { answer: Behaviour } = { answer: hang };
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on("end", () => {
      const line = `${request.method} ${request.url}`;
      lines.push(line);
      bodies.push(body);
      headers.push(request.headers);
      state.answer(response, line);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url, lines, bodies, headers, state, close };
}
