/**
 * Stands before a server and adds its token to every request, for the conformance suite, which cannot send one. Everything else passes as it
 * came, the Host header too.
 */
import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import type { HttpAddress } from "../../fixture/http-address.ts";

export interface TokenProxy {
  /** Of MCP, with path. */
  readonly url: string;
  close(): Promise<void>;
}

export async function startTokenProxy({ url, headers: token }: HttpAddress): Promise<TokenProxy> {
  const { origin, pathname } = new URL(url);
  const server = createServer((incoming, response) => {
    const { method = "GET", headers, url: path = "/" } = incoming;
    const onward = request(`${origin}${path}`, { method, headers: { ...headers, ...token } }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      // A stream's head is waited for before anything of the stream comes.
      response.flushHeaders();
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    incoming.pipe(onward);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
