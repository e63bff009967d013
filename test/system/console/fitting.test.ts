/**
 * Every market of the real exchange, as the page shows it on a wide window, a small one, a tablet and a phone: no text touches another,
 * is cut, or is broken inside a word, and the picture has a scale of prices. The same for what an account with orders sees elsewhere.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../fixture/command.ts";
import { setPin } from "../../fixture/command-line.ts";
import { addressIn, type HttpAddress } from "../../fixture/http-address.ts";
import { paperHome } from "../../fixture/paper-home.ts";
import { cleanUp, start } from "../../fixture/program.ts";
import { type StoryClient, sdk } from "../../story/story-client.ts";
import { closeBrowser, closeWindows, openWindow } from "./browser.ts";

const WIDTHS = [1440, 1024, 768, 360] as const;
const POLICY = `mode = "bounded"
max_order_krw = "50000000"
max_day_krw = "200000000"
price_collar_pct = "60"
max_slippage_pct = "60"
approval_over_krw = "10000000"
max_orders_per_minute = 100
approve_by = ["pin"]
`;
/** Of each kind, with the longest figures that there are; what comes to much waits for a person. */
const PLANS = [
  { kind: "alert", symbol: "SHIB/KRW", below: "-90%", note: "as long as what a person writes about an alert" },
  { kind: "stop", symbol: "PEPE/KRW", base_volume: "40%", stop_price: "-20%" },
  { kind: "oco", symbol: "BTC/KRW", base_volume: "0.00123456", stop_price: "-12%", take_price: "+12%" },
  { kind: "trailing_stop", symbol: "SHIB/KRW", base_volume: "40%", trail: "15%" },
  { kind: "recurring", symbol: "BTC/KRW", quote_amount: "50000", schedule: "weekly mon,thu 09:00" },
  { kind: "slices", symbol: "ETH/KRW", side: "buy", quote_amount: "4000000", slices: 20, duration: "20h" },
];
const BOXES = readFileSync(join(import.meta.dirname, "text-boxes.mjs"), "utf8");
/** Keeps what is written on pictures, which has no boxes. */
const KEEP_DRAWN = `globalThis.drawn = [];
const fillText = CanvasRenderingContext2D.prototype.fillText;
CanvasRenderingContext2D.prototype.fillText = function (text, ...where) {
  drawn.push(text);
  return fillText.call(this, text, ...where);
};`;

let address: HttpAddress;
let assistant: StoryClient;
let symbols: readonly string[];

beforeAll(async () => {
  const home = await paperHome();
  await setPin(home);
  writeFileSync(join(home, "policy.toml"), POLICY);
  const ports = ["--port", String(await freePort()), "--exchange-port", "0"];
  const running = start(["start", "--json", "--show-token", ...ports], { home });
  address = addressIn(await running.firstLine());
  assistant = await sdk.overHttp(address);
  const { structured } = await assistant.call("get_markets", {});
  symbols = (structured["markets"] as readonly { readonly symbol: string }[]).map(({ symbol }) => symbol);
  for (const symbol of symbols) await place({ symbol, side: "buy", type: "market", quote_amount: "700000" });
  for (const [symbol, price] of [
    ["BTC/KRW", "100000000"],
    ["PEPE/KRW", "0.012"],
  ] as const)
    await place({
      symbol,
      side: "buy",
      type: "limit",
      base_volume: symbol === "BTC/KRW" ? "0.01" : "12345678.91",
      price,
    });
  await place({ symbol: "SHIB/KRW", side: "buy", type: "market", quote_amount: "12000000" }, "awaiting_approval");
  for (const plan of PLANS) {
    const { isError, text } = await assistant.call("create_plan", plan);
    if (isError) throw new Error(text);
  }
}, 60_000);

afterAll(async () => {
  await assistant?.close();
  await closeWindows();
  await closeBrowser();
  await cleanUp();
});

async function place(order: object, state?: string): Promise<void> {
  const { structured, text } = await assistant.call("place_order", order);
  if (structured["outcome"] !== (state === undefined ? "accepted" : "not_sent")) throw new Error(text);
}

async function signedIn(language: "en" | "ko"): Promise<Page> {
  const { page } = await openWindow({ width: 1440, height: 1000, theme: "light", language, letters: "wide" });
  await page.addInitScript(BOXES);
  await page.addInitScript(KEEP_DRAWN);
  const link = await fetch(new URL("/page-link", address.url), { method: "POST", headers: address.headers });
  await page.goto(((await link.json()) as { readonly page_url: string }).page_url);
  await page.locator(".markets tbody tr").nth(3).waitFor();
  return page;
}

/** Looks again and again while there are any: what follows the size of the window may do so a moment later. */
async function troublesOn(page: Page): Promise<readonly string[]> {
  const look = (): Promise<readonly string[]> => page.evaluate<string[]>("textTroubles()");
  let troubles = await look();
  for (let tries = 0; troubles.length > 0 && tries < 25; tries += 1) {
    await page.waitForTimeout(200);
    troubles = await look();
  }
  return troubles;
}

const goTo = (page: Page, hash: string): Promise<void> => page.evaluate(`location.hash = ${JSON.stringify(hash)}`);

/** When its own figures are there. */
async function lookAt(page: Page, symbol: string): Promise<void> {
  await goTo(page, `#/trade/${symbol.replace("/", "-")}`);
  await page.locator("h1", { hasText: symbol }).waitFor();
  await page.locator(".book tr.bid").nth(5).waitFor();
  await page.locator(".prints tbody time").nth(5).waitFor({ state: "attached" });
}

/** Of each market at each width. */
async function troublesOfMarkets(page: Page): Promise<object> {
  const found: Record<string, readonly string[]> = {};
  for (const symbol of symbols) {
    await lookAt(page, symbol);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 1000 });
      const troubles = await troublesOn(page);
      if (troubles.length > 0) found[`${symbol} ${width}`] = troubles;
    }
  }
  return found;
}

describe.each(["en", "ko"] as const)(
  "in the language %s, on a wide window, a small one, a tablet and a phone",
  (language) => {
    it("each market has its figures side by side, whole and unbroken", async () => {
      const page = await signedIn(language);
      expect(await troublesOfMarkets(page)).toEqual({});
    }, 60_000);

    it("each other view has its texts side by side, whole and unbroken", async () => {
      const page = await signedIn(language);
      const found: Record<string, readonly string[]> = {};
      for (const view of [
        "portfolio",
        "orders",
        "plans",
        "approvals",
        "policy",
        "audit",
        "assistants",
        "settings",
        "more",
      ]) {
        await goTo(page, `#/${view}`);
        await page.locator(`main.view-${view} h1`).waitFor();
        await page.locator(".loading").first().waitFor({ state: "detached" });
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 1000 });
          const troubles = await troublesOn(page);
          if (troubles.length > 0) found[`${view} ${width}`] = troubles;
        }
      }
      expect(found).toEqual({});
    }, 60_000);
  },
);

it("an average of a coin for less than a won has the digits that count", async () => {
  const page = await signedIn("en");
  await goTo(page, "#/orders");
  const row = page.getByRole("row", { name: /^SHIB\/KRW/ });
  await row.waitFor();
  const { structured } = await assistant.call("get_order_history", { symbol: "SHIB/KRW" });
  const [order] = structured["orders"] as readonly { readonly avg_price: string }[];
  expect(order?.avg_price).toMatch(/^0\.0\d{3,}$/);
  expect(await row.innerText()).toContain(`₩${order?.avg_price}`);
});

it("the scale of a picture names prices, for each market", async () => {
  const page = await signedIn("en");
  for (const symbol of symbols) {
    await lookAt(page, symbol);
    const prices = async () => {
      const texts = await page.evaluate<readonly string[]>("drawn");
      return new Set(texts.filter((text) => /^[\d,]+(\.\d+)?$/.test(text) && !/^\d{1,2}$/.test(text))).size;
    };
    await expect.poll(async () => [symbol, (await prices()) > 2]).toEqual([symbol, true]);
    // Only now: the first market is drawn when the page opens, and again when it next trades.
    await page.evaluate("drawn.length = 0");
  }
});
