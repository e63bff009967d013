/**
 * The page in a real browser, before fixed views: every view in both languages, both themes, on a phone and a wide window; what a
 * screen reader needs; the pictures of the documents, which are what the page looks like; a thousand changes a second.
 */
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import pixelmatch from "pixelmatch";
import type { Page } from "playwright-core";
import { PNG } from "pngjs";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { barriersOn, closeBrowser, closeWindows, type Look, openWindow, overflowOf } from "./browser.ts";
import { RECURRING } from "./fixed-plans.ts";
import { type FixedServer, startFixed } from "./fixed-server.ts";
import { bookAt, EVENTS, NOW, ORDER } from "./fixed-views.ts";

const WIDE = { width: 1440, height: 900 } as const;
const TABLET = { width: 768, height: 1024 } as const;
const PHONE = { width: 390, height: 844 } as const;
const VIEWS = [
  ...["trade", "portfolio", "orders", "plans", "approvals", "policy", "audit", "assistants", "settings", "more"],
  `orders/${ORDER.order?.orderId}`,
  `plans/${RECURRING.plan_id}`,
];

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

async function open(look: Look, view = "trade", at = server): Promise<{ page: Page; problems: string[] }> {
  const window = await openWindow(look);
  await window.page.clock.setFixedTime(NOW);
  await window.page.goto(`${at.url}#/${view}`);
  await window.page.locator("nav").waitFor();
  return window;
}

async function goTo(page: Page, view: string): Promise<void> {
  await page.evaluate(`location.hash = "#/${view}"`);
  await page
    .locator(`main.view-${view.split("/")[0]} h1`)
    .first()
    .waitFor();
  await page.locator(".loading").first().waitFor({ state: "detached" });
}

describe("the first load", () => {
  it("is at most 200 KB as it travels, and has no chart in it", () => {
    const built = join(import.meta.dirname, "../../../dist/web/console");
    const html = readFileSync(join(built, "index.html"), "utf8");
    const named = [...html.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, name = ""]) => name);
    expect(named.length).toBeGreaterThan(2);
    expect(named.filter((name) => name.includes("chart"))).toEqual([]);
    const sizes = named.map((name) => gzipSync(readFileSync(join(built, name))).length);
    const bytes = sizes.reduce((sum, size) => sum + size, gzipSync(html).length);
    console.error(`console: the first load is ${(bytes / 1_000).toFixed(1)} KB gzipped`);
    expect(bytes).toBeLessThanOrEqual(200_000);
  });
});

describe("every view", () => {
  it.each<Look>([
    { ...WIDE, theme: "light", language: "en" },
    { ...PHONE, theme: "dark", language: "ko" },
  ])("keeps nobody out, and needs no more width than there is: %j", async (look) => {
    const { page, problems } = await open(look);
    for (const view of VIEWS) {
      await goTo(page, view);
      const barriers = await barriersOn(page);
      const overflows = [];
      for (const { width, height } of [PHONE, TABLET, WIDE]) {
        await page.setViewportSize({ width, height });
        overflows.push(await overflowOf(page));
      }
      await page.setViewportSize(look);
      expect({ view, barriers, overflows }).toEqual({ view, barriers: [], overflows: [0, 0, 0] });
    }
    expect(problems).toEqual([]);
  });
});

describe("live and sandbox", () => {
  it("differ in word, colour, title and icon", async () => {
    const live = await startFixed({ environment: "live", is_practice: false });
    const seen = [];
    for (const at of [server, live]) {
      const { page } = await open({ ...WIDE, theme: "light", language: "en" }, "trade", at);
      const badge = page.locator(".money");
      // What waits is read after the page is there.
      await expect.poll(() => page.title()).toContain("(1)");
      seen.push({
        words: await badge.innerText(),
        color: await page.evaluate("getComputedStyle(document.querySelector('.page'), '::before').borderTopColor"),
        title: await page.title(),
        icon: await page.locator("link[rel=icon]").getAttribute("href"),
      });
    }
    const [sandbox, real] = seen;
    expect(sandbox).toMatchObject({ words: "SANDBOX paper money", title: "(1) [SANDBOX] Markets · hoga" });
    expect(real).toMatchObject({ words: "LIVE real money", title: "(1) [LIVE] Markets · hoga" });
    expect(real?.color).not.toEqual(sandbox?.color);
    expect([sandbox?.icon, real?.icon]).toEqual([
      expect.stringContaining("icon-sandbox"),
      expect.stringContaining("icon-live"),
    ]);
    await live.close();
  });
});

describe("another exchange than the one that hoga specifies", () => {
  it("is named at the head of the page, over what is open and on what waits for a yes", async () => {
    const upbit = await startFixed({ exchange: { name: "upbit", title: { en: "Upbit", ko: "업비트" } } });
    const { page } = await open({ ...WIDE, theme: "light", language: "en" }, "orders", upbit);
    expect(await page.locator(".head .account").innerText()).toMatch(/^Upbit, account /);
    await expect.poll(() => page.getByRole("heading", { name: "Open orders" }).innerText()).toMatch(/at Upbit$/);
    await goTo(page, "approvals");
    await expect.poll(() => page.locator(".approval h2").first().innerText()).toMatch(/at Upbit$/);
    const korean = await open({ ...WIDE, theme: "light", language: "ko" }, "orders", upbit);
    expect(await korean.page.locator(".head .account").innerText()).toMatch(/^업비트, 계좌 /);
    await upbit.close();
  });
});

describe("the dialog of a yes", () => {
  it("is named, holds the focus, closes with Esc and gives the focus back", async () => {
    const { page } = await open({ ...WIDE, theme: "light", language: "en" }, "approvals");
    const yes = page.getByRole("button", { name: "Place this order …" });
    await yes.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Do you approve this?" }).waitFor();
    expect(await barriersOn(page)).toEqual([]);
    expect(await page.evaluate("document.activeElement.name")).toBe("pin");
    const inside = [];
    for (let step = 0; step < 6; step++) {
      await page.keyboard.press("Tab");
      inside.push(
        await page.evaluate("document.activeElement === document.body || !!document.activeElement.closest('dialog')"),
      );
    }
    expect(inside).toEqual(inside.map(() => true));
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Place this order …");
  });
});

describe("the connection", () => {
  it("is said to be lost while it is, and taken up again; an ended session says how to sign in", async () => {
    const own = await startFixed();
    const { page } = await open({ ...WIDE, theme: "light", language: "en" }, "trade", own);
    await page.getByText("148,642,500").waitFor();
    own.hangUp();
    await page.getByText("Connection lost.").waitFor();
    await page.getByText("Connection lost.").waitFor({ state: "detached", timeout: 10_000 });
    own.tell("orders", { ...EVENTS.orders, orders: [], waiting: [] });
    await page.getByText("No open orders.").waitFor();
    own.hangUp("ended");
    await expect.poll(() => page.getByText("This session has ended.").count(), { timeout: 10_000 }).toBe(1);
    await own.close();
  });
});

describe("a picture of the documents", () => {
  /** Parts of the pixels that may differ: text is smoothed a little differently on every machine. */
  const TOLERANCE = 0.0025;
  const TRIES = 40;

  it.each<[string, Look, string]>([
    ["console", { ...WIDE, height: 860, theme: "light", language: "en" }, "trade"],
    ["console-approval", { width: 1100, height: 420, theme: "light", language: "en" }, "approvals"],
    ["console-phone", { ...PHONE, theme: "dark", language: "ko" }, "approvals"],
  ])("%s is what the page looks like", async (name, look, view) => {
    const { page } = await open(look, view);
    const isThere = async (): Promise<void> => {
      await goTo(page, view);
      if (view === "trade") await page.locator(".picture canvas").first().waitFor();
    };
    await isThere();
    const file = join(import.meta.dirname, `../../../docs/images/${name}.png`);
    const take = () => page.screenshot({ animations: "disabled", caret: "hide" });
    if (process.env["UPDATE_PICTURES"] === "1" || !existsSync(file)) {
      await page.waitForTimeout(3_000);
      writeFileSync(file, await take());
    }
    const known = PNG.sync.read(readFileSync(file));
    const { width, height } = known;
    const difference = new PNG({ width, height });
    // What is drawn outside of the page's own elements shows in no other way when it is there.
    let [different, shot] = [Number.POSITIVE_INFINITY, await take()];
    for (let tries = 0; tries < TRIES; tries += 1) {
      const seen = PNG.sync.read(shot);
      expect({ width: seen.width, height: seen.height }).toEqual({ width, height });
      different = pixelmatch(known.data, seen.data, difference.data, width, height, { threshold: 0.2 });
      if (different / (width * height) <= TOLERANCE) return;
      await page.waitForTimeout(300);
      // How many candles a chart begins with hangs on how much room there was when they came, before or after what is beside it.
      if (tries % 10 === 9) await page.reload().then(isThere);
      shot = await take();
    }
    const kept = mkdtempSync(join(tmpdir(), "hoga-picture-"));
    writeFileSync(join(kept, `${name}.png`), shot);
    writeFileSync(join(kept, `${name}-difference.png`), PNG.sync.write(difference));
    expect.fail(`${different} pixels differ: see ${kept}; UPDATE_PICTURES=1 takes it as the new picture`);
  });
});

describe("a thousand changes of the book a second", () => {
  /** Of one second of the page's thread, so that it does not depend on what else the machine does. */
  const BUSY_MS = 300;

  it("cost at most a third of the page's time and are drawn some twenty times; how many frames are dropped is told", async () => {
    const { page } = await openWindow({ ...WIDE, theme: "light", language: "en" });
    await page.goto(`${server.url}#/trade`);
    await page.locator(".book tr.bid").first().waitFor();
    await page.locator(".picture canvas").first().waitFor();
    const session = await page.context().newCDPSession(page);
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    const busyMs = async (): Promise<number> => {
      const { metrics } = await session.send("Performance.getMetrics");
      return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0) * 1_000;
    };
    const measured = async (ms: number) => {
      const before = await busyMs();
      const frames = await page.evaluate<Frames>(countFrames(ms));
      const share = (frames.dropped / (frames.frames + frames.dropped)) * 100;
      return { ...frames, share, busy: ((await busyMs()) - before) / (frames.ms / 1_000) };
    };
    const idle = await measured(1_000);
    const stop = tellBooks();
    await page.evaluate("new Promise((done) => setTimeout(done, 300))");
    const told = await measured(2_000);
    const perSecond = stop();
    // A machine that does much else drops frames of its own, so that their share is printed and held to nothing.
    console.error(
      `console: ${Math.round(perSecond)} books a second: ${told.frames} frames, ${told.share.toFixed(1)} % dropped (idle ${idle.share.toFixed(1)} %), ` +
        `${told.pictures} pictures, busy ${Math.round(told.busy)} ms of each second (idle ${Math.round(idle.busy)})`,
    );
    expect(perSecond).toBeGreaterThan(900);
    expect(told.pictures).toBeGreaterThan(3);
    expect(told.pictures / (told.ms / 1_000)).toBeLessThanOrEqual(25);
    expect(told.busy).toBeLessThan(BUSY_MS);
  });

  /** @returns ends it; how many there were in each second */
  function tellBooks(): () => number {
    const books = Array.from({ length: 50 }, (_, seq) => bookAt(seq + 2));
    const startedAt = performance.now();
    let told = 0;
    const telling = setInterval(() => {
      const due = Math.floor(performance.now() - startedAt) - told;
      for (let count = 0; count < due; count++) {
        told += 1;
        server.tell("book", { ...(books[told % books.length] ?? bookAt(1)), seq: told });
      }
    }, 4);
    return () => {
      clearInterval(telling);
      return told / ((performance.now() - startedAt) / 1_000);
    };
  }
});

interface Frames {
  readonly frames: number;
  readonly dropped: number;
  /** How often the book was drawn anew. */
  readonly pictures: number;
  readonly ms: number;
}

/** For so long: frames drawn, and those for which there would have been time, at sixty a second. */
const countFrames = (lastsMs: number): string => `new Promise((done) => {
  const began = performance.now();
  let [last, frames, dropped, pictures] = [began, 0, 0, 0];
  const watch = new MutationObserver(() => { pictures += 1; });
  watch.observe(document.querySelector(".book tbody"), { subtree: true, childList: true, characterData: true });
  const frame = (now) => {
    frames += 1;
    dropped += Math.max(0, Math.round((now - last) / (1000 / 60)) - 1);
    last = now;
    if (now - began < ${lastsMs}) return requestAnimationFrame(frame);
    watch.disconnect();
    done({ frames, dropped, pictures, ms: now - began });
  };
  requestAnimationFrame(frame);
})`;
