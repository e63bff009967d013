/** Owns how pages and plain JSON answers leave: always with the headers that keep a browser from doing more than show them. */
import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";

const SAFE = { "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store" } as const;

/** In the place of a page that is not there. */
export function sendUnbuilt(response: ServerResponse): void {
  sendHtml(response, 503, UNBUILT);
}

const UNBUILT = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>hoga</title></head>
<body>
<h1>The console was not built</h1>
<p>Run <code>npm run build</code>, and start hoga again. All else works.</p>
<p lang="ko">콘솔을 아직 빌드하지 않았습니다. <code>npm run build</code> 후에 hoga를 다시 시작하십시오.</p>
</body>
</html>
`;

/**
 * For a browser without a cookie. It says nothing of what is here, and keeps in the browser what the address names among the approvals, with which
 * the console begins once the person has signed in: no server is sent that part.
 * @param signIn where people sign in
 */
export function sendClosedPage(response: ServerResponse, signIn?: string): void {
  const html =
    signIn === undefined ? CLOSED : CLOSED.replace("</h1>", `</h1>\n<p><a href="${signIn}">Sign in · 로그인</a></p>`);
  sendHtml(response, 401, html, { "WWW-Authenticate": "Bearer", Connection: "close" }, KEEP_WANTED);
}

/** Read by `web/console/state/wanted.ts`. */
const KEEP_WANTED =
  'if(/^#\\/approvals\\/[\\w-]+$/.test(location.hash))localStorage.setItem("wanted.approval",JSON.stringify({hash:location.hash,at:Date.now()}))';

/**
 * To a browser that comes back from signing in elsewhere. `open`: it goes on by itself, as from a page of this server: sent on from there, it
 * would not show the cookie that it has just been given.
 */
export function sendPassage(response: ServerResponse, how: keyof typeof PASSAGES, headers: Headers = {}): void {
  const { status, html } = PASSAGES[how];
  sendHtml(response, status, html, headers);
}

const PASSAGES = {
  open: { status: 200, html: passage("Signed in", "로그인했습니다.", '<meta http-equiv="refresh" content="0;url=/">') },
  refused: {
    status: 403,
    html: passage(
      "Not signed in: this is not open to you, or it took too long.",
      "로그인하지 못했습니다: 권한이 없거나 시간이 지났습니다.",
    ),
  },
  busy: {
    status: 429,
    html: passage(
      "Too many sign-ins from this address: load this page again in a minute.",
      "이 주소에서 로그인을 너무 많이 시도했습니다. 1분 뒤에 이 페이지를 새로 고치십시오.",
    ),
  },
  full: {
    status: 503,
    html: passage(
      "As many browsers are signed in as there may be: sign out in one of them, or start hoga again.",
      "로그인한 브라우저가 너무 많습니다. 그중 하나에서 로그아웃하거나 hoga를 다시 시작하십시오.",
    ),
  },
  unavailable: {
    status: 503,
    html: passage("Nobody can sign in now. Try again.", "지금은 로그인할 수 없습니다. 다시 시도하십시오."),
  },
} as const;

function passage(english: string, korean: string, head = ""): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">${head}<title>Sign in</title></head>
<body><p>${english}</p><p lang="ko">${korean}</p><p><a href="/">/</a></p></body>
</html>
`;
}

const CLOSED = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Closed</title><script>${KEEP_WANTED}</script></head>
<body>
<h1>This page is closed</h1>
<p>It opens with the link that was printed when this server was started. Each link works once, within 10 minutes.</p>
<p lang="ko">이 페이지는 서버를 시작할 때 나온 링크로 열립니다. 링크는 10분 안에 한 번만 쓸 수 있습니다.</p>
</body>
</html>
`;

/** @param script the one that the page may run */
function sendHtml(response: ServerResponse, status: number, html: string, headers: Headers = {}, script = ""): void {
  const runs = script === "" ? [] : [`script-src 'sha256-${createHash("sha256").update(script).digest("base64")}'`];
  const rules = ["default-src 'none'", ...runs, "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"];
  const policy = rules.join("; ");
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

type Headers = Readonly<Record<string, string | string[]>>;

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
