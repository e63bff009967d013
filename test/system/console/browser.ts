/**
 * One browser for all tests of the page, and what a person sees in it: a window of some size, in a language and a theme. What the
 * page complains about while it is looked at, the refusals of its own policy among it, is kept in `problems`.
 *
 * Chromium is the system's (`CHROMIUM` names another); where there is none, the tests fail.
 */
import axe from "axe-core";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

const PATH = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const WORDS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--font-render-hinting=none"];

export interface Look {
  readonly width: number;
  readonly height: number;
  readonly theme: "light" | "dark";
  readonly language: "en" | "ko";
}

export interface Window {
  readonly page: Page;
  readonly problems: string[];
}

let launching: Promise<Browser> | undefined;
const contexts: BrowserContext[] = [];

export async function openWindow({ width, height, theme, language }: Look): Promise<Window> {
  launching ??= chromium.launch({ executablePath: PATH, args: WORDS });
  const browser = await launching;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: "reduce",
  });
  contexts.push(context);
  const preferences = JSON.stringify({ theme: "auto", language, notify: false });
  await context.addInitScript(`localStorage.setItem("hoga.preferences", ${JSON.stringify(preferences)})`);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("pageerror", ({ message }) => problems.push(message));
  page.on("console", (said) => {
    if (said.type() === "error" || said.type() === "warning") problems.push(said.text());
  });
  return { page, problems };
}

export async function closeWindows(): Promise<void> {
  await Promise.all(contexts.splice(0).map((context) => context.close()));
}

export async function closeBrowser(): Promise<void> {
  await (await launching)?.close();
  launching = undefined;
}

/** What a screen reader or somebody who sees little would stumble over, each with where it is. */
export async function barriersOn(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<axe.AxeResults>("axe.run(document, { resultTypes: ['violations'] })");
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(" ")}`));
}

/** By how much the page is wider than its window. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth");
}
