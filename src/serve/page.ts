/** Owns how pages and plain JSON answers leave: always with the headers that keep a browser from doing more than show them. */
import type { ServerResponse } from "node:http";

export interface Page {
  readonly html: string;
  /** CSP source of its one style element; nothing else may load or run. */
  readonly styleSource: string;
}

const SAFE = { "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store" } as const;

export function sendPage(response: ServerResponse, page: Page): void {
  sendHtml(response, 200, [`style-src ${page.styleSource}`], page.html);
}

/** For a browser without a cookie. It says nothing of what is here. */
export function sendClosedPage(response: ServerResponse): void {
  sendHtml(response, 401, [], CLOSED, { "WWW-Authenticate": "Bearer", Connection: "close" });
}

const CLOSED = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Closed</title></head>
<body>
<h1>This page is closed</h1>
<p>It opens with the link that was printed when this server was started. Each link works once, within 10 minutes.</p>
<p lang="ko">이 페이지는 서버를 시작할 때 나온 링크로 열립니다. 링크는 10분 안에 한 번만 쓸 수 있습니다.</p>
</body>
</html>
`;

function sendHtml(
  response: ServerResponse,
  status: number,
  sources: readonly string[],
  html: string,
  headers: Headers = {},
): void {
  const policy = [
    "default-src 'none'",
    ...sources,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
  response.writeHead(status, {
    ...SAFE,
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": policy,
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    ...headers,
  });
  response.end(html);
}

export function sendRedirect(response: ServerResponse, location: string, headers: Headers = {}): void {
  response.writeHead(303, { ...SAFE, "Referrer-Policy": "no-referrer", Location: location, ...headers });
  response.end();
}

export function sendJson(response: ServerResponse, status: number, content: object, headers: Headers = {}): void {
  response.writeHead(status, { ...SAFE, "Content-Type": "application/json", ...headers });
  response.end(JSON.stringify(content));
}

type Headers = Readonly<Record<string, string>>;

/** An answer to a request that never became a JSON-RPC message, in the form MCP clients read. */
export function sendRefusal(
  response: ServerResponse,
  status: number,
  code: number,
  message: string,
  headers: Headers = {},
): void {
  const refusal = { jsonrpc: "2.0", error: { code, message }, id: null };
  sendJson(response, status, refusal, { ...headers, Connection: "close" });
}
