/** Owns how pages and plain JSON answers leave: always with the headers that keep a browser from doing more than show them. */
import type { ServerResponse } from "node:http";

export interface Page {
  readonly html: string;
  /** CSP source of its one style element; nothing else may load or run. */
  readonly styleSource: string;
}

const SAFE = { "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store" } as const;

export function sendPage(response: ServerResponse, page: Page): void {
  const policy = [
    "default-src 'none'",
    `style-src ${page.styleSource}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
  response.writeHead(200, {
    ...SAFE,
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": policy,
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
  });
  response.end(page.html);
}

export function sendJson(response: ServerResponse, status: number, content: object, headers: Headers = {}): void {
  response.writeHead(status, { ...SAFE, "Content-Type": "application/json", ...headers });
  response.end(JSON.stringify(content));
}

type Headers = Readonly<Record<string, string>>;

/** An answer to a request that never became a JSON-RPC message, in the form MCP clients read. */
export function sendRefusal(response: ServerResponse, status: number, code: number, message: string): void {
  sendJson(response, status, { jsonrpc: "2.0", error: { code, message }, id: null }, { Connection: "close" });
}
