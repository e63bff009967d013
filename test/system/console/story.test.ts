/**
 * A person at the console, over the real program: an assistant proposes by MCP, the page shows it, a PIN lets it through, it fills, the
 * portfolio moves; the brake stops everything and a PIN lifts it.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../fixture/command.ts";
import { PIN, setPin } from "../../fixture/command-line.ts";
import { switchOnDrafts } from "../../fixture/drafts-home.ts";
import { addressIn, type HttpAddress } from "../../fixture/http-address.ts";
import { paperHome } from "../../fixture/paper-home.ts";
import { cleanUp, start } from "../../fixture/program.ts";
import { type StoryClient, sdk } from "../../story/story-client.ts";
import { closeBrowser, closeWindows, openWindow } from "./browser.ts";

const POLICY = `mode = "bounded"
max_order_krw = "5000000"
approval_over_krw = "100000"
approve_by = ["passkey", "pin"]
[payments]
max_krw = "100000"
max_day_krw = "300000"
approval_over_krw = "10000"
`;

/** Keeps what the desktop is told, which shows it as well. */
const KEEP_NOTIFICATIONS = `window.told = [];
window.Notification = class extends Notification {
  constructor(title, options) {
    super(title, options);
    told.push({ title, body: options.body, shown: this });
  }
};`;
/** As behind another window. */
const HIDE = `Object.defineProperty(document, "hidden", { get: () => true, configurable: true })`;

let assistant: StoryClient;
let address: HttpAddress;
let page: Page;
let problems: readonly string[];

beforeAll(async () => {
  const home = await paperHome();
  await setPin(home);
  switchOnDrafts(home);
  writeFileSync(join(home, "policy.toml"), POLICY);
  const ports = ["--port", String(await freePort()), "--exchange-port", "0"];
  const running = start(["start", "--json", "--show-token", ...ports], { home });
  const line = await running.firstLine();
  address = addressIn(line);
  assistant = await sdk.overHttp(address);
  const look = { width: 1280, height: 900, theme: "light", language: "en" } as const;
  ({ page, problems } = await openWindow(look));
  await page.goto((JSON.parse(line) as { readonly console_url: string }).console_url);
});

afterAll(async () => {
  await assistant?.close();
  await closeWindows();
  await closeBrowser();
  await cleanUp();
});

async function look(view: string): Promise<void> {
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: view }).click();
}

const buy = (quote_amount: string) => ({ symbol: "BTC/KRW", side: "buy", type: "market", quote_amount });

async function prove(pin: string): Promise<void> {
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("PIN").fill(pin);
  await page.keyboard.press("Enter");
}

/** Of an asset, in the table of the portfolio. */
const held = (asset: string) =>
  page
    .getByRole("row", { name: new RegExp(`^${asset} `) })
    .locator("td")
    .first();

describe("a person at the console", () => {
  it("sees live markets", async () => {
    await page.getByRole("heading", { level: 1, name: /Bitcoin BTC\/KRW/ }).waitFor();
    await expect.poll(() => page.locator(".book tr.bid").count()).toBeGreaterThan(5);
    await page.getByLabel("Symbol or name").fill("이더");
    await page.getByRole("link", { name: /Ethereum/ }).click();
    await page.getByRole("heading", { level: 1, name: /Ethereum ETH\/KRW/ }).waitFor();
    await page.locator(".picture canvas").first().waitFor();
  });

  it("says no to what an assistant proposes, and nothing is sent", async () => {
    const { structured } = await assistant.call("place_order", buy("200000"));
    expect(structured).toMatchObject({ state: "awaiting_approval" });
    await page
      .getByRole("status")
      .getByRole("link", { name: /Waits for you: Buy ₩200,000/ })
      .waitFor();
    const [, where = ""] = /(#\/approvals\/[\w-]+)/.exec(String(structured["next_action"])) ?? [];
    await page.evaluate(`location.assign(${JSON.stringify(where)})`);
    const asked = page.getByRole("article", { name: /Buy ₩200,000/ });
    await page.locator("article.named:focus").waitFor();
    expect(await asked.innerText()).toMatch(/more than approval_over_krw ₩100,000/);
    await asked.getByRole("button", { name: "No, do not place it" }).click();
    await page.getByText("Nothing was sent: denied.").waitFor();
    await page.getByText("What you were sent to does not wait any more").waitFor();
    const { structured: after } = await assistant.call("get_order_history", {});
    expect(after).toMatchObject({ orders: [] });
  });

  it("is told of a wrong PIN, and the right one places the order", async () => {
    await assistant.call("place_order", buy("300000"));
    await page.getByRole("button", { name: "Place this order …" }).click();
    await prove("not the PIN 1");
    await page.getByRole("alert").getByText("The PIN is wrong.").waitFor();
    await prove(PIN);
    await page.getByText("Placed: filled.").waitFor();
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
    await page.getByText("Nothing waits for you.").waitFor();
  });

  it("sees it in the history with its fills and every step, and in the portfolio", async () => {
    await look("Orders");
    await page
      .getByRole("row", { name: /BTC\/KRW buy market .* filled/ })
      .getByRole("link")
      .click();
    await page.getByText("Order → approved").waitFor();
    expect(await page.locator(".facts").first().innerText()).toMatch(/₩300,000/);
    await page.getByText("The chain of the log holds.").waitFor({ timeout: 20_000 });
    await look("Portfolio");
    await held("BTC").waitFor();
    const before = await held("BTC").innerText();
    await assistant.call("place_order", buy("90000"));
    await expect.poll(() => held("BTC").innerText(), { timeout: 15_000 }).not.toBe(before);
    await look("Assistants");
    await page
      .getByRole("row", { name: /place_order/ })
      .first()
      .waitFor();
    expect(await page.getByRole("row", { name: /storyteller/ }).count()).toBeGreaterThan(0);
  });

  it("halts with one press, and only the PIN lifts it", async () => {
    await assistant.call("place_order", buy("400000"));
    await page.getByRole("button", { name: "Halt trading", exact: true }).click();
    const report = page.getByRole("dialog", { name: "What the halt did" });
    await report.getByText("Trading is halted, in every process of this data directory.").waitFor();
    expect(await report.innerText()).toMatch(/0 still open[\s\S]*Withdrawn, not approved any more/);
    await page.keyboard.press("Escape");
    expect(await assistant.call("place_order", buy("50000"))).toMatchObject({ structured: { state: "denied" } });
    await page.getByRole("status").getByRole("button", { name: "Resume trading" }).click();
    await prove("not the PIN 2");
    await page.getByRole("alert").getByText("The PIN is wrong.").waitFor();
    await prove(PIN);
    await page.getByText("Trading goes on.").waitFor();
    await expect.poll(() => page.getByText("Trading is halted.").count()).toBe(0);
    expect(await assistant.call("place_order", buy("50000"))).toMatchObject({ structured: { state: "filled" } });
  });

  it("adds a passkey with the PIN, says yes with a touch, and removes it with another", async () => {
    const device = await page.context().newCDPSession(page);
    await device.send("WebAuthn.enable");
    const options = {
      ...({ protocol: "ctap2", transport: "internal" } as const),
      ...{ hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
    };
    await device.send("WebAuthn.addVirtualAuthenticator", { options });
    await look("Settings");
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("Desk key");
    await prove(PIN);
    const row = page.getByRole("row", { name: /^Desk key/ });
    await row.getByText("real money").waitFor();
    await assistant.call("place_order", buy("500000"));
    await look("Approvals");
    await page.getByRole("button", { name: "Place this order …" }).click();
    await page.getByRole("button", { name: "Place this order with a passkey" }).click();
    await expect.poll(() => page.getByText("Placed: filled.").count()).toBe(2);
    await look("Settings");
    await page.getByRole("button", { name: "Remove the passkey Desk key" }).click();
    await page.getByRole("button", { name: "Remove with a passkey" }).click();
    await page.getByText("No passkey yet.").waitFor();
  });

  it("is told by the desktop of a payment that waits, when they want that, and it is paid with the PIN", async () => {
    await page.context().grantPermissions(["notifications"], { origin: new URL(page.url()).origin });
    await page.evaluate(KEEP_NOTIFICATIONS);
    const pay = async (order_ref: string) => {
      const quoted = await assistant.call("quote_payment", { amount: "50000", pay_asset: "BTC", order_ref });
      const { payment_id } = quoted.structured["payment"] as { readonly payment_id: string };
      const { structured } = await assistant.call("confirm_payment", { payment_id });
      expect(structured).toMatchObject({ state: "awaiting_approval" });
    };
    const told = () => page.evaluate<readonly object[]>("told.map(({ title, body }) => ({ title, body }))");
    await look("Settings");
    await page.evaluate(HIDE);
    await pay("cart-1");
    const waits = page.getByRole("status").getByRole("link", { name: /Waits for you: pay ₩50,000/ });
    await waits.waitFor();
    expect(await told()).toEqual([]);
    await page.getByLabel(/^Notify me/).check();
    await pay("cart-2");
    await expect
      .poll(told)
      .toEqual([
        { title: "Something waits for you", body: expect.stringMatching(/^pay ₩50,000 with .* BTC .*cart-2/) },
      ]);
    await page.evaluate("delete document.hidden; told[0].shown.dispatchEvent(new Event('click'))");
    const named = page.locator("article.named:focus");
    await named.getByRole("button", { name: "Let this money move" }).click();
    await page.getByRole("dialog").getByText("Draft API. Approve this").waitFor();
    await prove(PIN);
    await page.getByText("Done: paid.").waitFor();
    const other = page.getByRole("article", { name: /cart-1/ });
    await other.getByRole("button", { name: "No, it stays where it is" }).click();
    await page.getByText("Nothing was sent: denied.").last().waitFor();
    await page.getByText("Nothing waits for you.").waitFor();
  });

  it("signs out, is told how to sign in again, and comes to what an assistant sent them to", async () => {
    await look("Settings");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("This session has ended.").waitFor();
    const { structured } = await assistant.call("place_order", buy("450000"));
    const [where = ""] = /http:\/\/localhost:\d+\/#\/approvals\/[\w-]+/.exec(String(structured["next_action"])) ?? [];
    await page.goto(new URL("/healthz", where).href);
    await page.goto(where);
    await page.getByText("This page is closed").waitFor();
    const link = await fetch(new URL("/page-link", address.url), { method: "POST", headers: address.headers });
    await page.goto(((await link.json()) as { readonly page_url: string }).page_url);
    await page
      .locator("article.named:focus")
      .getByRole("heading", { name: /Buy ₩450,000/ })
      .waitFor();
    // The two wrong PINs, and perhaps what was asked for at the end; nothing else was refused, and nothing was against the page's policy.
    const refused = problems.map((said) => /status of (\d+)/.exec(said)?.[1] ?? said);
    expect(refused.filter((status) => status !== "401")).toEqual(["403", "403"]);
  });
});
