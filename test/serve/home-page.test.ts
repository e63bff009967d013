import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { failed, localFault } from "../../src/contract/index.ts";
import type { Desk } from "../../src/desk/index.ts";
import { createMcpServer } from "../../src/mcp/index.ts";
import { createHomePage, serveOverHttp } from "../../src/serve/index.ts";
import { wordsFor } from "../../src/words/index.ts";
import { type ExchangeFixture, startExchange } from "../fixture/exchange.ts";
import { BEARER, TOKEN } from "../fixture/http-address.ts";

const ADDRESSES = {
  mcp: "http://127.0.0.1:1/mcp",
  exchange: "http://127.0.0.1:2",
  console: "http://127.0.0.1:1",
  tokenFile: "/home/me/hoga/http-token",
};

let exchange: ExchangeFixture;

beforeAll(async () => {
  exchange = await startExchange({ marketMaker: true });
  await exchange.desk.place({ symbol: "BTC/KRW", side: "buy", type: "market", quote_amount: "100000" });
  await exchange.desk.place({ symbol: "ETH/KRW", side: "buy", type: "limit", base_volume: "0.01", price: "1000000" });
});

afterAll(() => exchange.close());

it("shows where the money is, what is open and what was traded", async () => {
  const { html } = await createHomePage(exchange.desk)(ADDRESSES);
  for (const part of ["sandbox: paper money", "₩1,000,000", "ETH/KRW", "BTC/KRW", ...Object.values(ADDRESSES)])
    expect(html).toContain(part);
  expect(html).not.toMatch(/<script|<link|<img|https?:\/\/(?!127\.0\.0\.1)|\son\w+=/i);
});

it("speaks Korean to a Korean, with won by 만 and the clock of Seoul", async () => {
  const words = wordsFor({ locale: "ko", timeZone: "Asia/Seoul" });
  const { html } = await createHomePage(exchange.desk, words)(ADDRESSES);
  const captions = [...html.matchAll(/<caption>([^<]*)/g)].map(([, caption]) => caption);
  expect(captions).toEqual([
    expect.stringMatching(/^보유 자산, 모두 약 ₩[\d,.]+ \([\d,]+만.*원\)$/),
    "미체결 주문",
    "최근 체결",
  ]);
  expect(html).toContain('<html lang="ko">');
  expect(html).toContain("sandbox · 모의: 연습용 돈");
  expect(html).toContain('<td class="n">₩1,000,000</td>');
  expect(html).toMatch(/<td>[^<]* UTC\+9<\/td><td>BTC\/KRW<\/td><td>매수<\/td>/);
  expect(html.replace(/<(pre|code|style)>.*?<\/\1>/gs, "")).not.toMatch(/\b(none|Balances|market|Paste|possible)\b/);
});

it("tells a fault by its code", async () => {
  const words = wordsFor({ locale: "ko", timeZone: "Asia/Seoul" });
  const desk: Desk = { ...exchange.desk, balances: async () => failed(localFault("ELocal:Venue unreachable")) };
  const { html } = await createHomePage(desk, words)(ADDRESSES);
  expect(html).toContain("거래소에 연결할 수 없습니다.");
});

it("is served with a policy under which only its own style loads", async () => {
  const factory = createMcpServer({ desk: exchange.desk, version: "0.0.0" });
  const page = createHomePage(exchange.desk);
  const http = await serveOverHttp({
    factory,
    token: TOKEN,
    port: 0,
    home: (url) => page({ ...ADDRESSES, console: url }),
  });
  const answer = await fetch(http.url, { headers: BEARER });
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
  const { html } = await createHomePage(desk)({ ...ADDRESSES, mcp: evil });
  expect(html).not.toContain("<img");
  expect(html).toContain("&#60;img src=x onerror=&#34;alert(&#39;&#38;&#39;)&#34;&#62;");
  expect(html).toContain("LIVE: real money");
});

it("asks the exchange once per period, however many load it, and again afterwards", async () => {
  let nowMs = 0;
  const asked = { status: 0, balances: 0, orders: 0, fills: 0 };
  const desk: Desk = {
    ...exchange.desk,
    status: () => {
      asked.status += 1;
      return exchange.desk.status();
    },
    balances: () => {
      asked.balances += 1;
      return exchange.desk.balances();
    },
    orders: (query) => {
      asked.orders += 1;
      return exchange.desk.orders(query);
    },
    fills: (query) => {
      asked.fills += 1;
      return exchange.desk.fills(query);
    },
  };
  const page = createHomePage(desk, wordsFor(), () => nowMs);
  const load = () => Promise.all(Array.from({ length: 40 }, () => page(ADDRESSES)));
  const first = await load();
  expect(new Set(first.map(({ html }) => html)).size).toBe(1);
  nowMs = 2_000;
  await load();
  expect(asked).toEqual({ status: 1, balances: 1, orders: 1, fills: 1 });
  nowMs = 3_000;
  await load();
  expect(asked).toEqual({ status: 2, balances: 2, orders: 2, fills: 2 });
});

it("asks again after the desk failed, but not at every load", async () => {
  let nowMs = 0;
  let asked = 0;
  const desk: Desk = {
    ...exchange.desk,
    status: () => {
      asked += 1;
      return asked === 1 ? Promise.reject(new Error("not now")) : exchange.desk.status();
    },
  };
  const page = createHomePage(desk, wordsFor(), () => nowMs);
  await expect(page(ADDRESSES)).rejects.toThrow("not now");
  await expect(page(ADDRESSES)).rejects.toThrow("not now");
  nowMs = 3_000;
  expect((await page(ADDRESSES)).html).toContain("sandbox: paper money");
  expect(asked).toBe(2);
});
