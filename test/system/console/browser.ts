/**
 * One browser for all tests of the page, and what a person sees in it: a window of some size, in a language and a theme. What the
 * page complains about while it is looked at, the refusals of its own policy among it, is kept in `problems`.
 *
 * Its letters are those of a package, so that a page looks and fits the same whichever fonts a machine has; what scrolls has its bar.
 *
 * Chromium is the system's (`CHROMIUM` names another); where there is none, the tests fail.
 */
import { readFileSync } from "node:fs";
import axe from "axe-core";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

const PATH = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const WORDS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--font-render-hinting=none"];

/** Latin and Korean, and the sheets of ₩, of arrows and of dots. */
const LETTERS = ["latin", "korean", "103", "110", "106"];
/** Regular and bold. Given to the page as bytes, as its policy lets it load none from here. */
const FONT = [400, 700].flatMap((weight) =>
  LETTERS.map((letters) => {
    const name = `@fontsource/nanum-gothic/files/nanum-gothic-${letters}-${weight}-normal.woff2`;
    return { letters, weight, bytes: readFileSync(new URL(import.meta.resolve(name)), "base64") };
  }),
);
/** @param size of its letters beside that of other fonts, as a share */
const useFont = (size: string): string => `(() => {
  for (const { letters, weight, bytes } of ${JSON.stringify(FONT)})
    document.fonts.add(new FontFace("test-" + letters, Uint8Array.fromBase64(bytes), { weight, sizeAdjust: "${size}" }));
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(":root, code, pre { font-family: ${LETTERS.map((letters) => `test-${letters}`).join()}, sans-serif !important }");
  document.adoptedStyleSheets.push(sheet);
})()`;

export interface Look {
  readonly width: number;
  readonly height: number;
  readonly theme: "light" | "dark";
  readonly language: "en" | "ko";
  /** As large as those of the widest fonts that systems come with. */
  readonly letters?: "wide";
}

export interface Window {
  readonly page: Page;
  readonly problems: string[];
}

let launching: Promise<Browser> | undefined;
const contexts: BrowserContext[] = [];

export async function openWindow({ width, height, theme, language, letters }: Look): Promise<Window> {
  launching ??= chromium.launch({ executablePath: PATH, args: WORDS, ignoreDefaultArgs: ["--hide-scrollbars"] });
  const browser = await launching;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: "reduce",
  });
  contexts.push(context);
  const preferences = JSON.stringify({ theme: "auto", language, notify: false });
  await context.addInitScript(`localStorage.setItem("hoga.preferences", ${JSON.stringify(preferences)})`);
  await context.addInitScript(useFont(letters === "wide" ? "112%" : "100%"));
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
