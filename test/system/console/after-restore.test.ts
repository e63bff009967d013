/** In a real browser: whoever resumes in a store that was put back reads first which orders it lacks. Source: decision 0100. */
import { afterAll, expect, it } from "vitest";
import { exchangeHere } from "../../approval/after-restore.ts";
import { cleanUp, PIN, start, useRealPrograms } from "../../fixture/command-line.ts";
import { addressIn } from "../../fixture/http-address.ts";
import { closeBrowser, openWindow } from "./browser.ts";

useRealPrograms();

afterAll(async () => {
  await closeBrowser();
  await cleanUp();
});

it("a person reads which orders are not in it, is shown those that came meanwhile, and resumes by the PIN", async () => {
  const exchange = await exchangeHere("upbit");
  const [desk, other] = [await exchange.seat(), await exchange.seat()];
  const known = await desk.place("--userref", "known");
  const restore = desk.copied();
  const since = await desk.place("--userref", "since");
  restore();
  const server = start(["serve", "--http", "--json", "--show-token", "--port", "0"], desk);
  const { url, headers } = addressIn(await server.firstLine());
  const link = await fetch(new URL("/page-link", url), { method: "POST", headers });
  const { page_url } = (await link.json()) as { readonly page_url: string };
  const { page } = await openWindow({ width: 1280, height: 900, theme: "light", language: "en" });
  await page.goto(page_url);
  await page.getByRole("status").getByRole("button", { name: "Resume trading" }).click();
  const dialog = page.getByRole("dialog", { name: "Resume trading?" });
  await dialog.getByRole("row", { name: new RegExp(since) }).waitFor();
  expect(await dialog.innerText()).toMatch(
    /put back from a copy[\s\S]*that are not in this store, nor in its budgets: 1/,
  );
  expect(await dialog.innerText()).not.toContain(known);
  const prove = async (): Promise<void> => {
    await dialog.getByLabel("PIN", { exact: true }).fill(PIN);
    await dialog.getByRole("button", { name: "Resume trading", exact: true }).click();
  };
  const newest = await other.place("--userref", "elsewhere");
  await prove();
  await dialog.getByRole("alert").getByText("has other orders since then than were shown").waitFor();
  await dialog.getByRole("row", { name: new RegExp(newest) }).waitFor();
  expect(await desk.resumedWith()).toBeUndefined();
  await prove();
  await page.getByText("Trading goes on.").waitFor();
  await server.stop();
  expect((await desk.lacked()).toSorted()).toEqual([newest, since].toSorted());
}, 90_000);
