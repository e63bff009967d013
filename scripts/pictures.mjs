/**
 * Makes the pictures of README and guides that show hoga at work: an exchange of its own runs in a new directory, a person begins (`hoga init`),
 * looks (`hoga doctor`) and trades, and what is on the screen is taken. `npm run pictures` writes them to docs/images; on Linux, with Chromium
 * (`CHROMIUM` names another).
 *
 * Those that tests hold to the page, with views that never change, are made by their tests: test/system/console/looks.test.ts.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { PNG } from "pngjs";
import { castOf, pageOf, paletted, played } from "./recording.mjs";

const ROOT = join(import.meta.dirname, "..");
const IMAGES = join(ROOT, "docs", "images");
const CLI = join(ROOT, "dist", "cli.js");
const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
/** A README is read on slow lines too. */
const BYTES_MAX = 60_000;
const CHARTS = [
  ["candles", "get_candles", "--interval", "1h"],
  ["book", "get_orderbook"],
];
const CONSOLE = { width: 1280, height: 760 };

const home = mkdtempSync(join(tmpdir(), "hoga-pictures-"));
const env = { PATH: process.env["PATH"], HOME: home, LANG: "C.UTF-8", TZ: "Asia/Seoul", NO_UPDATE_NOTIFIER: "1" };
const KOREAN = { HOGA_LOCALE: "ko" };
/** A person's machine, in place of this one. */
const renamed = { [CLI]: "/home/you/hoga/dist/cli.js", [process.execPath]: "/usr/bin/node", [home]: "/home/you" };

function hoga(...words) {
  return execFileSync(process.execPath, [CLI, ...words], { env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

const call = (tool, fields) => JSON.parse(hoga("call", "--json", tool, JSON.stringify(fields)));

function terminal(words, more = {}) {
  const { language = {}, ...rest } = more;
  const given = { shown: `hoga ${words.join(" ")}`, words: [process.execPath, CLI, ...words], renamed };
  return played({ ...given, env: { ...env, ...language }, ...rest });
}

function keep(name, bytes, largest = BYTES_MAX) {
  if (bytes.length > largest) throw new Error(`${name} has ${bytes.length} bytes, more than ${largest}`);
  writeFileSync(join(IMAGES, name), bytes);
  console.log(`${name}: ${bytes.length} bytes`);
}

/** Assistants whose files are there, as `hoga init` looks for them. */
function installAssistants() {
  mkdirSync(join(home, ".cursor"));
  writeFileSync(join(home, ".cursor", "mcp.json"), '{\n  "mcpServers": {}\n}\n');
  writeFileSync(join(home, ".claude.json"), '{\n  "numStartups": 3\n}\n');
}

async function startAll() {
  const words = [CLI, "start", "--json", "--show-token", "--port", "0", "--exchange-port", "0"];
  const child = spawn(process.execPath, words, { env, stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  return { child, page: JSON.parse(line).console_url };
}

/** Orders as somebody has them after a day: some filled, one open, one that waits for a yes. */
function trade() {
  const [{ last }] = call("get_ticker", { symbols: ["BTC/KRW"] }).tickers;
  const below = String(Math.floor(Number(last) / 100_000) * 99_000); // not money: a price for a picture
  for (const [symbol, quote_amount] of [
    ["BTC/KRW", "400000"],
    ["ETH/KRW", "250000"],
    ["XRP/KRW", "150000"],
  ])
    call("place_order", { symbol, side: "buy", type: "market", quote_amount });
  call("place_order", { symbol: "BTC/KRW", side: "buy", type: "limit", price: below, base_volume: "0.001" });
  writeFileSync(policyFile(), 'mode = "bounded"\napproval_over_krw = "300000"\n', { mode: 0o600 });
  // Ends with another code than 0, as it waits.
  try {
    call("place_order", { symbol: "ETH/KRW", side: "buy", type: "market", quote_amount: "500000" });
  } catch (error) {
    if (error.status !== 3) throw error;
  }
}

const policyFile = () => join(home, ".local", "share", "hoga", "policy.toml");

/** Letters as they are on every machine: those of a package, bundled for the tests of the page. */
function letters() {
  const nanum = ["latin", "korean", "103", "106", "110"].map((part) => {
    const file = `@fontsource/nanum-gothic/files/nanum-gothic-${part}-400-normal.woff2`;
    return [`nanum-${part}`, readFileSync(fileURLToPath(import.meta.resolve(file)), "base64")];
  });
  return Object.fromEntries(nanum);
}

async function pictureOf(browser, name, events, about) {
  keep(`${name}.cast`, Buffer.from(castOf(events, about)));
  const page = await browser.newPage({ viewport: { width: 1200, height: 400 } });
  await page.setContent(pageOf(events, letters()));
  await page.evaluate("document.fonts.ready");
  keep(`${name}.png`, paletted(PNG.sync.read(await page.locator("pre").screenshot())));
  await page.close();
}

async function consolePicture(browser, address) {
  const page = await browser.newPage({
    viewport: CONSOLE,
    timezoneId: env.TZ,
    locale: "en-US",
    reducedMotion: "reduce",
  });
  await page.goto(address);
  await page.locator(".picture canvas").first().waitFor();
  // Until the book has moved, and the candles of the past are there.
  await wait(5_000);
  keep("console-at-work.png", await page.screenshot({ animations: "disabled", caret: "hide" }), 250_000);
  await page.close();
}

async function main() {
  installAssistants();
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu", "--disable-lcd-text"],
  });
  try {
    const answers = [["n: nothing: ", "\r"]];
    await pictureOf(
      browser,
      "init",
      await terminal(["init"], { answers }),
      "hoga init: one Enter, and assistants launch hoga",
    );
    const { child, page } = await startAll();
    try {
      trade();
      await pictureOf(browser, "doctor", await terminal(["doctor"]), "hoga doctor: whether all is well");
      const korean = await terminal(["doctor"], { language: KOREAN });
      await pictureOf(browser, "doctor.ko", korean, "hoga doctor: 모두 괜찮은지 살펴보기");
      await consolePicture(browser, page);
      for (const [name, ...words] of CHARTS) {
        rmSync(join(home, `${name}.png`), { force: true });
        hoga("call", ...words, "--symbol", "BTC/KRW", "--chart", join(home, `${name}.png`));
        keep(`${name}.png`, readFileSync(join(home, `${name}.png`)), 100_000);
      }
    } finally {
      child.kill("SIGTERM");
      await once(child, "close");
    }
  } finally {
    await browser.close();
    rmSync(home, { recursive: true, force: true });
  }
}

await main();
