/**
 * Plans at the console, over the real program: an assistant asks for a stop by MCP, a person reads its sheet and starts it with the PIN, it stands in the
 * picture of its market and is watched; the assistant's wish to take it away waits; a person pauses an alert and cancels the stop.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../fixture/command.ts";
import { PIN, setPin } from "../../fixture/command-line.ts";
import { addressIn } from "../../fixture/http-address.ts";
import { paperHome } from "../../fixture/paper-home.ts";
import { cleanUp, start } from "../../fixture/program.ts";
import { type StoryClient, sdk } from "../../story/story-client.ts";
import { closeBrowser, closeWindows, openWindow } from "./browser.ts";

const POLICY = `mode = "bounded"
max_order_krw = "50000000"
max_day_krw = "200000000"
approval_over_krw = "50000000"
max_slippage_pct = "60"
approve_by = ["pin"]
[plans]
approve = "always"
stop_removal = "ask"
`;

let assistant: StoryClient;
let page: Page;
let problems: readonly string[];

beforeAll(async () => {
  const home = await paperHome();
  await setPin(home);
  writeFileSync(join(home, "policy.toml"), POLICY);
  const ports = ["--port", String(await freePort()), "--exchange-port", "0"];
  const running = start(["start", "--json", "--show-token", ...ports], { home });
  const line = await running.firstLine();
  assistant = await sdk.overHttp(addressIn(line));
  ({ page, problems } = await openWindow({ width: 1280, height: 900, theme: "light", language: "en" }));
  await page.goto((JSON.parse(line) as { readonly console_url: string }).console_url);
  await assistant.call("place_order", { symbol: "BTC/KRW", side: "buy", type: "market", quote_amount: "5000000" });
}, 60_000);

afterAll(async () => {
  await assistant?.close();
  await closeWindows();
  await closeBrowser();
  await cleanUp();
});

async function look(view: string): Promise<void> {
  await page
    .getByRole("navigation", { name: "Views" })
    .getByRole("link", { name: view, exact: view !== "Approvals" })
    .click();
}

async function prove(pin: string): Promise<void> {
  await page.getByRole("dialog").getByLabel("PIN").fill(pin);
  await page.keyboard.press("Enter");
}

const stop = () => page.getByRole("article", { name: "Stop on BTC/KRW" });

describe("a person with plans", () => {
  it("reads how one is made where there is none", async () => {
    await look("Plans");
    await page.getByText("No plan is open.").waitFor();
    expect(await page.locator("main").innerText()).toContain("hoga plans create");
  });

  it("starts a stop that an assistant asks for, from its sheet, with the PIN", async () => {
    const request = { kind: "stop", symbol: "BTC/KRW", base_volume: "0.01", stop_price: "-8%" };
    const { structured } = await assistant.call("create_plan", request);
    expect(structured).toMatchObject({ state: "awaiting_approval" });
    await stop().getByRole("link", { name: "It waits for your answer" }).click();
    const asked = page.locator("article.named:focus");
    expect(await asked.innerText()).toMatch(/Approve this plan[\s\S]*Sell up to 0\.01 BTC[\s\S]*only while hoga runs/);
    await asked.getByRole("button", { name: "Start this plan" }).click();
    await page.getByRole("dialog").getByText("Yes starts exactly this plan.").waitFor();
    await prove(PIN);
    await page.getByText("Done. The plan: active.").waitFor();
  });

  it("sees since when it is watched, how far the market is, and its line in the picture", async () => {
    await page.getByRole("status").getByRole("link", { name: "One plan waits; watched since" }).click();
    await stop()
      .getByText(/^-\d\.\d\d% from now$/)
      .waitFor();
    await expect.poll(() => stop().getByText("Watched since").count()).toBe(1);
    await look("Markets");
    const said = page.getByRole("list", { name: "Plans" }).getByRole("link", { name: "Stop · active" });
    await said.waitFor();
    await said.click();
    await page.getByRole("heading", { level: 1, name: /Stop on BTC\/KRW/ }).waitFor();
    await page.getByText("Nothing has come of it yet.").waitFor();
  });

  it("is asked when an assistant would take it away, and it stays after a no", async () => {
    const [{ plan_id }] = (await assistant.call("list_plans", {})).structured["plans"] as [{ plan_id: string }];
    const { structured } = await assistant.call("change_plan", { plan_id, action: "cancel" });
    expect(structured).toMatchObject({ outcome: "not_sent", state: "active" });
    await look("Approvals");
    const asked = page.getByRole("article", { name: /Cancel the plan: Stop on BTC\/KRW/ });
    await asked.getByText("Take this protection away?").waitFor();
    await asked.getByRole("button", { name: "No, leave it as it is" }).click();
    await page.getByText("Nothing waits for you.").waitFor();
    expect((await assistant.call("list_plans", {})).structured).toMatchObject({ plans: [{ state: "active" }] });
  });

  it("stops an alert with a press, and takes the stop away once they have said so", async () => {
    await assistant.call("create_plan", { kind: "alert", symbol: "ETH/KRW", above: "+50%" });
    await look("Plans");
    await page.getByRole("button", { name: "Pause: Alert on ETH/KRW" }).click();
    await page.getByRole("article", { name: "Alert on ETH/KRW" }).getByText("paused", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Cancel the plan: Stop on BTC/KRW" }).click();
    const dialog = page.getByRole("dialog", { name: "Take this protection away?" });
    await dialog.getByText("0.01 BTC will not be sold by it any more").waitFor();
    await dialog.getByRole("button", { name: "Cancel the plan" }).click();
    await page.getByText("Done. The plan: canceled.").waitFor();
    await expect.poll(() => stop().count()).toBe(0);
    await page.getByRole("button", { name: "Ended" }).click();
    await stop().getByText("canceled", { exact: true }).waitFor();
    expect(problems).toEqual([]);
  });
});
