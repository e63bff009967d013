/** The page of plans before fixed views: what stands out, what keeps nobody out, and the lines in the picture of a market. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { barriersOn, closeBrowser, closeWindows, type Look, openWindow, overflowOf } from "./browser.ts";
import { BASKET, BLIND, NEEDING, NOW, PLAN_QUESTIONS, PLANS } from "./fixed-plans.ts";
import { type FixedServer, startFixed } from "./fixed-server.ts";
import { EVENTS } from "./fixed-views.ts";

const WIDE = { width: 1280, height: 900, theme: "light", language: "en" } as const;
const PHONE = { width: 390, height: 844, theme: "dark", language: "ko" } as const;

let server: FixedServer;
beforeAll(async () => {
  server = await startFixed();
});
afterEach(async () => {
  await closeWindows();
  server.forget();
});
afterAll(async () => {
  await closeBrowser();
  await server.close();
});

async function open(look: Look, view = "plans"): Promise<Page> {
  const { page } = await openWindow(look);
  await page.clock.setFixedTime(NOW);
  await page.goto(`${server.url}#/${view}`);
  await page.locator(".plans-line a").first().waitFor();
  return page;
}

const colorOf = (page: Page, selector: string): Promise<string> =>
  page.evaluate<string>(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).color`);

describe("the line about plans", () => {
  it("is red on every view while nobody watches, and there is none without a plan", async () => {
    const page = await open(WIDE, "portfolio");
    expect(await page.locator(".plans-line").innerText()).toMatch(/^4 plans wait; watched since \d\d:\d\d/);
    server.tell("plans", BLIND);
    await page.locator(".plans-line .notice.bad", { hasText: "4 plans wait, and nobody watches." }).waitFor();
    const [first] = PLANS.plans;
    server.tell("plans", { ...PLANS, plans: [...(first ? [first] : []), ...BLIND.plans.slice(1)] });
    await page.getByText("4 plans wait; 3 of them nobody watches.").waitFor();
    server.tell("plans", NEEDING);
    await page.getByText("One plan needs you: it cannot go on alone.").waitFor();
    server.tell("plans", { ...PLANS, plans: [] });
    await expect.poll(() => page.locator(".plans-line a").count()).toBe(0);
  });
});

describe("a plan", () => {
  it("says in the colour of what is wrong that nobody watches", async () => {
    const page = await open(WIDE);
    server.tell("plans", BLIND);
    await page.locator(".plan .blind").first().waitFor();
    expect(await colorOf(page, ".plan .blind")).toBe("rgb(179, 38, 30)");
    expect(await page.locator(".plan .blind").count()).toBe(4);
  });

  it("shows, where it has several markets, what it has spent and sets aside, and what each step did with which coin", async () => {
    const page = await open({ ...WIDE, language: "ko" }, `plans/${BASKET.plan_id}`);
    await page.locator(".plan dl").first().waitFor();
    expect(await page.locator(".plan dl").innerText()).toMatch(/₩821,837.*₩821,839/s);
    const rows = await page.locator("tbody tr").allInnerTexts();
    expect(rows.slice(0, 2).map((row) => row.split(/\s*[\t\n]\s*/))).toEqual([
      expect.arrayContaining(["ETH/KRW 매수", "0.15148693 ETH"]),
      expect.arrayContaining(["XRP/KRW 매도", "431.7 XRP"]),
    ]);
  });

  it.each<Look>([WIDE, PHONE])("keeps nobody out, also in its dialogs and questions: %j", async (look) => {
    const page = await open(look);
    server.tell("plans", NEEDING);
    await page.locator(".plan-acts button").first().click();
    await page.getByRole("dialog").waitFor();
    expect(await barriersOn(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.evaluate(`location.hash = "#/approvals"`);
    server.tell("approvals", { ...EVENTS.approvals, waiting: PLAN_QUESTIONS });
    await page.locator(".approval .sheet").nth(1).waitFor();
    expect({ barriers: await barriersOn(page), overflow: await overflowOf(page) }).toEqual({
      ...{ barriers: [], overflow: 0 },
    });
    await page.evaluate(`location.hash = "#/plans"`);
    await page.locator(".choice button").nth(1).click();
    await page.locator(".plan .state.done").waitFor();
    expect({ barriers: await barriersOn(page), overflow: await overflowOf(page) }).toEqual({
      ...{ barriers: [], overflow: 0 },
    });
  });
});

describe("the picture of a market", () => {
  it("has a line for each price that a plan of it waits for, and beside it in words; none of other markets", async () => {
    const { page } = await openWindow(WIDE);
    await page.addInitScript(`globalThis.drawn = [];
      const fillText = CanvasRenderingContext2D.prototype.fillText;
      CanvasRenderingContext2D.prototype.fillText = function (text, ...where) {
        drawn.push(text);
        return fillText.call(this, text, ...where);
      };`);
    await page.clock.setFixedTime(NOW);
    await page.goto(`${server.url}#/trade/BTC-KRW`);
    const named = ["Stop · active", "OCO Stop · paused", "OCO Take-profit · paused"];
    await expect.poll(() => page.getByRole("list", { name: "Plans" }).getByRole("link").allInnerTexts()).toEqual(named);
    const drawn = () => page.evaluate<readonly string[]>("drawn");
    await expect
      .poll(async () => {
        const texts = new Set(await drawn());
        return named.filter((name) => !texts.has(name));
      })
      .toEqual([]);
    await page.evaluate(`location.hash = "#/trade/XRP-KRW"`);
    await page.locator("h1", { hasText: "XRP/KRW" }).waitFor();
    expect(await page.getByRole("list", { name: "Plans" }).count()).toBe(0);
  });
});
