import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { failed, localFault } from "../../src/contract/index.ts";
import type { Desk } from "../../src/desk/index.ts";
import { createMcpServer } from "../../src/mcp/index.ts";
import { renderHome, serveOverHttp } from "../../src/serve/index.ts";
import { type ExchangeFixture, startExchange } from "../fixture/exchange.ts";

const ADDRESSES = { mcp: "http://127.0.0.1:1/mcp", exchange: "http://127.0.0.1:2", console: "http://127.0.0.1:1" };

let exchange: ExchangeFixture;

beforeAll(async () => {
  exchange = await startExchange({ marketMaker: true });
  await exchange.desk.place({ symbol: "BTC/KRW", side: "buy", type: "market", quote_amount: "100000" });
  await exchange.desk.place({ symbol: "ETH/KRW", side: "buy", type: "limit", base_volume: "0.01", price: "1000000" });
});

afterAll(() => exchange.close());

it("shows where the money is, what is open and what was traded", async () => {
  const { html } = await renderHome(exchange.desk, ADDRESSES);
  for (const part of ["sandbox: paper money", "₩1,000,000", "ETH/KRW", "BTC/KRW", ADDRESSES.mcp, ADDRESSES.exchange])
    expect(html).toContain(part);
  expect(html).not.toMatch(/<script|<link|<img|https?:\/\/(?!127\.0\.0\.1)|\son\w+=/i);
});

it("is served with a policy under which only its own style loads", async () => {
  const factory = createMcpServer({ desk: exchange.desk, version: "0.0.0" });
  const http = await serveOverHttp({
    factory,
    port: 0,
    home: (url) => renderHome(exchange.desk, { ...ADDRESSES, console: url }),
  });
  const answer = await fetch(http.url);
  const html = await answer.text();
  await http.close();
  expect(html).toContain(http.url);
  const style = /<style>(.*)<\/style>/s.exec(html)?.[1] ?? "";
  const hash = createHash("sha256").update(style).digest("base64");
  expect(answer.headers.get("content-security-policy")).toBe(
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
});

it("shows text of others as text", async () => {
  const evil = `<img src=x onerror="alert('&')">`;
  const desk: Desk = {
    ...exchange.desk,
    status: async () => ({ ...(await exchange.desk.status()), account: evil, warnings: [evil], environment: "live" }),
    balances: async () => failed(localFault("ELocal:Unreadable answer", { message: evil })),
  };
  const { html } = await renderHome(desk, { ...ADDRESSES, mcp: evil });
  expect(html).not.toContain("<img");
  expect(html).toContain("&#60;img src=x onerror=&#34;alert(&#39;&#38;&#39;)&#34;&#62;");
  expect(html).toContain("LIVE: real money");
});
