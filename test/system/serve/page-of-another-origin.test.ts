/** A page of another origin that calls MCP in a real browser, which asks first and hides what it is not told that the page may read. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { createMcpServer } from "../../../src/mcp/index.ts";
import { type HttpServing, serveOverHttp } from "../../../src/serve/index.ts";
import { type ExchangeFixture, startExchange } from "../../fixture/exchange.ts";
import { TOKEN } from "../../fixture/http-address.ts";
import { closeBrowser, closeWindows, openWindow } from "../console/browser.ts";

let exchange: ExchangeFixture;
let http: HttpServing;

beforeAll(async () => {
  exchange = await startExchange();
  http = await serveOverHttp({
    factory: createMcpServer({ desk: exchange.desk, version: "0.0.0" }),
    token: TOKEN,
    port: 0,
  });
});

afterAll(async () => {
  await closeWindows();
  await closeBrowser();
  await http.close();
  await exchange.close();
});

/** A whole session, as a client of the 2025 era in a page has it: what each step answered, or why the browser let none through. */
const SESSION = `(async (url, token) => {
  const base = { "content-type": "application/json", accept: "application/json, text/event-stream", authorization: "Bearer " + token };
  const post = (message, more) => fetch(url, { method: "POST", headers: { ...base, ...more }, body: JSON.stringify({ jsonrpc: "2.0", ...message }) });
  const said = [];
  try {
    const clientInfo = { name: "page", version: "1" };
    const opened = await post({ id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo } });
    const session = { "mcp-session-id": opened.headers.get("mcp-session-id"), "mcp-protocol-version": "2025-11-25" };
    said.push(["initialize", opened.status, session["mcp-session-id"] !== null]);
    await post({ method: "notifications/initialized" }, session);
    const listed = await (await post({ id: 2, method: "tools/list" }, session)).text();
    said.push(["tools/list", listed.includes("get_ticker")]);
    const reading = new AbortController();
    const stream = await fetch(url, { headers: { ...base, accept: "text/event-stream", ...session }, signal: reading.signal });
    said.push(["GET", stream.status]);
    reading.abort();
    said.push(["DELETE", (await fetch(url, { method: "DELETE", headers: { ...base, ...session } })).ok]);
  } catch (error) {
    said.push(String(error));
  }
  return said;
})`;

/** Nobody has to serve the page: the browser is given it, and told that its person lets it reach this machine. */
async function sessionFrom(origin: string): Promise<{ said: unknown; problems: readonly string[] }> {
  const { page, problems } = await openWindow({ width: 400, height: 300, theme: "light", language: "en" });
  await page.context().grantPermissions(["local-network-access"]);
  await page.route(`${origin}/`, (route) => route.fulfill({ contentType: "text/html", body: "<p>a page</p>" }));
  await page.goto(`${origin}/`);
  const said = await page.evaluate(
    `${SESSION}(${JSON.stringify(`${http.url}/mcp`)}, ${JSON.stringify(TOKEN.reveal())})`,
  );
  return { said, problems };
}

it.each(["http://localhost:6274", "http://127.0.0.1:9"])("a page at %s has a whole session", async (origin) => {
  const { said } = await sessionFrom(origin);
  expect(said).toEqual([
    ["initialize", 200, true],
    ["tools/list", true],
    ["GET", 200],
    ["DELETE", true],
  ]);
});

it.each(["https://far.example", "https://localhost.example.com"])("a page at %s gets nothing", async (origin) => {
  const { said, problems } = await sessionFrom(origin);
  expect(said).toEqual(["TypeError: Failed to fetch"]);
  expect(problems[0]).toContain("No 'Access-Control-Allow-Origin' header is present");
});
