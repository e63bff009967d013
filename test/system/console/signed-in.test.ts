/**
 * A browser that is signed in at the real program, when that stands still or is started again: what is old is said to be, and a session
 * lasts until the person ends it.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, afterEach, expect, it } from "vitest";
import { freePort } from "../../fixture/command.ts";
import { setPin } from "../../fixture/command-line.ts";
import { addressIn, type HttpAddress } from "../../fixture/http-address.ts";
import { paperHome } from "../../fixture/paper-home.ts";
import { cleanUp, type RunningProgram, start } from "../../fixture/program.ts";
import { sdk } from "../../story/story-client.ts";
import { closeBrowser, closeWindows, openWindow } from "./browser.ts";

const LOOK = { width: 1280, height: 900, theme: "light", language: "en" } as const;
const POLICY = 'mode = "bounded"\nmax_order_krw = "5000000"\napproval_over_krw = "100000"\napprove_by = ["pin"]\n';

afterEach(closeWindows);
afterAll(async () => {
  await closeBrowser();
  await cleanUp();
});

interface Started {
  readonly program: RunningProgram;
  readonly address: HttpAddress;
  readonly link: string;
}

async function started(home: string, port: number): Promise<Started> {
  const ports = ["--port", String(port), "--exchange-port", "0"];
  const program = start(["start", "--json", "--show-token", ...ports], { home });
  const line = await program.firstLine();
  const { console_url: link } = JSON.parse(line) as { readonly console_url: string };
  return { program, address: addressIn(line), link };
}

it("a server that stands still is noticed within five seconds: since when is said, and nothing but a halt can be pressed", async () => {
  const home = await paperHome();
  await setPin(home);
  writeFileSync(join(home, "policy.toml"), POLICY);
  const { program, address, link } = await started(home, await freePort());
  const assistant = await sdk.overHttp(address);
  await assistant.call("place_order", { symbol: "BTC/KRW", side: "buy", type: "market", quote_amount: "200000" });
  await assistant.close();
  const { page } = await openWindow(LOOK);
  await page.goto(link);
  await page.goto(`${new URL(link).origin}/#/approvals`);
  const yes = page.getByRole("button", { name: "Place this order …" });
  await yes.waitFor();
  await page.waitForTimeout(6_000);
  expect(await page.getByText("Connection lost.").count()).toBe(0);
  program.child.kill("SIGSTOP");
  const stoppedAt = Date.now();
  await page.getByText("Connection lost.").waitFor({ timeout: 8_000 });
  // Of the five seconds those count in which something has come last, and the page looks once a second.
  expect(Date.now() - stoppedAt).toBeLessThan(6_500);
  expect(await page.locator(".connection-line").innerText()).toMatch(/Nothing has come since \d\d:\d\d:\d\d/);
  const pressed = [];
  for (const button of [yes, page.getByRole("button", { name: "No, do not place it" })])
    pressed.push(await button.isEnabled());
  pressed.push(await page.getByRole("button", { name: "Halt trading", exact: true }).isEnabled());
  expect(pressed).toEqual([false, false, true]);
  program.child.kill("SIGCONT");
  await page.getByText("Connection lost.").waitFor({ state: "detached", timeout: 10_000 });
  expect(await yes.isEnabled()).toBe(true);
  await program.stop();
}, 60_000);

const isOpen = async (page: Page): Promise<boolean> => {
  await page.goto(new URL("/", page.url()).href);
  await page.locator("h1").first().waitFor();
  return (await page.getByText("This page is closed").count()) === 0;
};

it("a browser stays signed in when the server is started again, and one that has signed out stays out", async () => {
  const [home, port] = [await paperHome(), await freePort()];
  const first = await started(home, port);
  const { page } = await openWindow(LOOK);
  const { page: leaving } = await openWindow(LOOK);
  await page.goto(first.link);
  const link = await fetch(new URL("/page-link", first.address.url), {
    method: "POST",
    headers: first.address.headers,
  });
  await leaving.goto(((await link.json()) as { readonly page_url: string }).page_url);
  for (const each of [page, leaving]) await each.locator("nav").waitFor();
  const cookies = await leaving.context().cookies();
  await first.program.stop();
  const second = await started(home, port);
  expect([await isOpen(page), await isOpen(leaving)]).toEqual([true, true]);
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Orders" }).click();
  await page.getByText("No open orders.").waitFor();
  await leaving.goto(`${new URL(leaving.url()).origin}/#/settings`);
  await leaving.getByRole("button", { name: "Sign out" }).click();
  await leaving.getByText("This session has ended.").waitFor();
  await second.program.stop();
  const third = await started(home, port);
  await leaving.context().addCookies(cookies);
  expect([await isOpen(page), await isOpen(leaving)]).toEqual([true, false]);
  await third.program.stop();
}, 60_000);
