/** The views as a chat shows them: the protocol's own bridge, in Chromium, over clients of both eras, to the program and its exchange. */
import { existsSync } from "node:fs";
import { Client as ModernClient, StreamableHTTPClientTransport as ModernHttp } from "@modelcontextprotocol/client";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as LegacyHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport as LegacyTransport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { type Browser, chromium, type FrameLocator, type Page } from "playwright-core";
import { build } from "rolldown";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PlanSheet } from "../../../src/mcp/person/view-data.ts";
import { served } from "../../approval/clients.ts";
import { LIMIT, setPolicy } from "../../approval/home.ts";
import { cleanUp, PIN, runTerminal, setPin, useRealPrograms } from "../../fixture/command-line.ts";
import { paperHome } from "../../fixture/paper-home.ts";

useRealPrograms();

const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const ARGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"];
/** Where pictures of the views are written for whoever wants to look at them. */
const PICTURES = process.env["HOGA_TEST_PICTURES"];
const VIEW_TYPE = "text/html;profile=mcp-app";
const capabilities = { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [VIEW_TYPE] } } };
const INFO = { name: "chat", version: "1.0.0" };

interface Result {
  readonly content: readonly { readonly text?: string }[];
  readonly structuredContent: Readonly<Record<string, unknown>>;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

interface Call {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly _meta?: Record<string, unknown>;
}

interface Chat {
  readonly call: (call: Call) => Promise<Result>;
  readonly pageOf: (tool: string) => Promise<string>;
  readonly close: () => Promise<void>;
}

async function openChat(era: string, home: string): Promise<Chat> {
  const { url, headers } = await served(home);
  const settings = { requestInit: { headers } };
  const modern = new ModernClient(INFO, { capabilities, versionNegotiation: { mode: { pin: "2026-07-28" } } });
  const legacy = new LegacyClient(INFO, { capabilities });
  const client = era === "2026-07-28" ? modern : legacy;
  if (client === modern) await modern.connect(new ModernHttp(new URL(url), settings));
  else await legacy.connect(new LegacyHttp(new URL(url), settings) as unknown as LegacyTransport);
  const { tools } = await client.listTools();
  return {
    call: async (call) => (await client.callTool(call)) as unknown as Result,
    pageOf: async (name) => {
      const found = tools.find((tool) => tool.name === name);
      const { resourceUri: uri } = (found?._meta?.["ui"] ?? {}) as { resourceUri: string };
      const { contents } = await client.readResource({ uri });
      const [content] = contents as readonly { mimeType?: string; text?: string }[];
      expect(content?.mimeType).toBe(VIEW_TYPE);
      return content?.text ?? "";
    },
    close: () => client.close(),
  };
}

let browser: Browser;
let hostScript: string;
beforeAll(async () => {
  if (!existsSync(CHROMIUM))
    throw new Error(`There is no Chromium at ${CHROMIUM}: apt-get install chromium, or set CHROMIUM to one.`);
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGS });
  const { output } = await build({
    input: new URL("host-page.mjs", import.meta.url).pathname,
    platform: "browser",
    write: false,
    logLevel: "silent",
    output: { codeSplitting: false },
  });
  hostScript = output[0].code;
});
afterAll(async () => {
  await browser?.close();
  await cleanUp();
});

/** A tab of the chat. */
class Tab {
  readonly #page: Page;
  readonly #chat: Chat;
  /** What anything in the tab asked a network for. */
  readonly asked: string[] = [];
  readonly errors: string[] = [];

  private constructor(page: Page, chat: Chat) {
    this.#page = page;
    this.#chat = chat;
    page.on("request", (request) => {
      if (/^(https?|wss?):/.test(request.url())) this.asked.push(request.url());
    });
    page.on("console", (message) => {
      if (message.type() === "error") this.errors.push(message.text());
    });
    page.on("pageerror", (error) => this.errors.push(error.message));
  }

  static async open(chat: Chat): Promise<Tab> {
    const page = await browser.newPage({ viewport: { width: 640, height: 760 } });
    const tab = new Tab(page, chat);
    await page.exposeFunction("callTool", (call: Call) => chat.call(call));
    await page.setContent("<!doctype html><body></body>");
    await page.addScriptTag({ content: hostScript, type: "module" });
    await page.waitForFunction("globalThis.showView !== undefined");
    return tab;
  }

  /** Calls a tool as the model does, and shows its view. */
  async show(name: string, args: object, context: object): Promise<{ view: FrameLocator; result: Result }> {
    const given = { ...args };
    const result = await this.#chat.call({ name, arguments: given });
    return { view: await this.showResult(name, args, result, context), result };
  }

  async showResult(name: string, args: object, result: Result, context: object): Promise<FrameLocator> {
    const shown = JSON.stringify({ html: await this.#chat.pageOf(name), args, result, context });
    await this.#page.evaluate(`globalThis.showView(${shown})`);
    return this.#page.frameLocator("iframe");
  }

  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.#page.keyboard.press(key);
  }

  told(): Promise<readonly string[]> {
    return this.#page.evaluate("globalThis.told");
  }

  async picture(name: string): Promise<void> {
    if (PICTURES !== undefined) await this.#page.locator("iframe").screenshot({ path: `${PICTURES}/${name}.png` });
  }
}

const STOP = { kind: "stop", symbol: "BTC/KRW", base_volume: "0.005", stop_price: "-20%" };
const HOSTILE = `</p><script>document.title = "x"</script><img src=x onerror="document.title = 'x'"> <b>Yes</b>`;

/** With this text in the place of each. */
function hostile<T>(value: T): T {
  const changed = (each: unknown): unknown => {
    if (typeof each === "string") return HOSTILE;
    if (Array.isArray(each)) return each.map(changed);
    if (typeof each !== "object" || each === null) return each;
    return Object.fromEntries(Object.entries(each).map(([name, of]) => [name, changed(of)]));
  };
  return changed(value) as T;
}

function sheetOf({ _meta }: Result): PlanSheet {
  const sheet = _meta?.["hoga/plan"] as PlanSheet | undefined;
  if (sheet === undefined) throw new Error("the result has no sheet");
  return sheet;
}

const LIGHT = { theme: "light", locale: "en-US", timeZone: "UTC" };
const DARK = { theme: "dark", locale: "ko-KR", timeZone: "Asia/Seoul" };
const CASES = [
  {
    era: "2026-07-28",
    context: LIGHT,
    button: "Place buy order",
    done: "Placed: open",
    command: /^hoga approve |approve /,
    waits: "Waiting for approval: nothing was sent yet.",
    refresh: "Refresh",
    plan: { locale: "en", kind: "stop", active: "active", elsewhere: "It cannot be approved in this view." },
  },
  {
    era: "2025-11-25",
    context: DARK,
    button: "매수 주문 내기",
    done: "접수됨: 미체결",
    command: /approve /,
    waits: "승인을 기다립니다. 아직 아무것도 보내지 않았습니다.",
    refresh: "새로 고침",
    plan: { locale: "ko", kind: "손절", active: "진행 중", elsewhere: "이 화면에서는 승인할 수 없습니다." },
  },
] as const;

describe.each(CASES)("a chat of $era", ({ era, context, button, done, command, waits, refresh, plan }) => {
  let home: string;
  let chat: Chat;
  let tab: Tab;
  beforeAll(async () => {
    home = await paperHome();
    setPolicy(home, {});
    chat = await openChat(era, home);
    tab = await Tab.open(chat);
  });
  afterAll(() => chat.close());

  it("places a draft by the button of its ticket, with the keyboard, as the person's yes", async () => {
    const { view, result } = await tab.show("preview_order", { ...LIMIT, userref: "pressed" }, context);
    const { ticket } = { ticket: result._meta?.["hoga/ticket"] as string };
    expect(JSON.stringify([result.content, result.structuredContent])).not.toContain(ticket);
    await view.getByRole("button", { name: button }).waitFor();
    await tab.picture(`ticket-${context.theme}`);
    await expect
      .poll(async () => {
        await tab.press("Tab");
        return view.locator("button:focus").count();
      })
      .toBe(1);
    await tab.press("Enter");
    await view.getByRole("status").getByText(done).waitFor();
    await tab.picture(`placed-${context.theme}`);
    expect(await view.getByRole("button").count()).toBe(0);
    const found = await chat.call({ name: "get_order", arguments: { userref: "pressed" } });
    expect(found.structuredContent).toMatchObject({ order: { state: "open", volume: "0.001" } });
    const { entries } = (await chat.call({ name: "get_audit_log", arguments: { userref: "pressed" } }))
      .structuredContent as { entries: readonly { detail: object }[] };
    expect(JSON.stringify(entries)).toContain('"approvedBy":"client"');
    await expect.poll(() => tab.told()).toEqual([expect.stringContaining("Accepted: buy 0.001 BTC")]);
  });

  it("shows how to approve what only the PIN approves", async () => {
    setPolicy(home, { approve_by: '["pin"]' });
    const { view } = await tab.show("preview_order", { ...LIMIT, base_volume: "0.002", userref: "waits" }, context);
    await view.getByRole("button", { name: button }).click();
    await view.getByText(waits).waitFor();
    expect(await view.getByRole("status").locator("code").textContent()).toMatch(command);
    await tab.picture(`waiting-${context.theme}`);
    const found = await chat.call({ name: "get_order", arguments: { userref: "waits" } });
    expect(found.structuredContent).toMatchObject({ state: "awaiting_approval" });
  });

  it("shows the book and the portfolio, and looks again", async () => {
    const args = { symbol: "BTC/KRW", side: "buy", base_volume: "0.5" };
    const { view: book } = await tab.show("get_orderbook", args, context);
    expect(await book.getByRole("rowheader").count()).toBeGreaterThan(4);
    await book.getByRole("button", { name: refresh }).click();
    await book.getByRole("button", { name: refresh, disabled: false }).waitFor();
    await tab.picture(`book-${context.theme}`);
    const trade = { symbol: "BTC/KRW", side: "buy", type: "market", quote_amount: "3000000" };
    setPolicy(home, { mode: '"bounded"' });
    expect((await chat.call({ name: "place_order", arguments: trade })).structuredContent).toMatchObject({
      state: "filled",
    });
    const { view: folio } = await tab.show("get_portfolio", { period: "7d" }, context);
    await folio.getByRole("rowheader", { name: "BTC" }).waitFor();
    await folio.getByRole("combobox").selectOption("all");
    await folio.getByRole("button", { name: refresh, disabled: false }).waitFor();
    expect(await folio.getByRole("combobox").inputValue()).toBe("all");
    await tab.picture(`portfolio-${context.theme}`);
  });

  it("shows a plan's whole sheet before its yes, which it does not take, and what became of it", async () => {
    await setPin(home);
    setPolicy(home, { mode: '"bounded"', approve_by: '["pin"]', "[plans]\napprove": '"always"' });
    const bought = { symbol: "BTC/KRW", side: "buy", type: "market", quote_amount: "2000000" };
    expect((await chat.call({ name: "place_order", arguments: bought })).structuredContent).toMatchObject({
      state: "filled",
    });
    const { view, result } = await tab.show("create_plan", STOP, context);
    const sheet = sheetOf(result);
    expect(result.structuredContent).toMatchObject({ approval: { text: sheet.en.lines.join("\n") } });
    await view.getByRole("heading", { name: plan.kind }).waitFor();
    expect(await view.locator("section p").allTextContents()).toEqual([...sheet[plan.locale].lines]);
    expect(await view.locator("dl > div").allTextContents()).toEqual(
      sheet[plan.locale].figures.map(([name, value]) => `${name}${value}`),
    );
    expect(await view.getByText(plan.elsewhere).count()).toBe(1);
    expect(await view.locator("code").allTextContents()).toContainEqual(expect.stringMatching(command));
    expect(await view.getByRole("button").allTextContents()).toEqual([refresh]);
    await tab.picture(`plan-${context.theme}`);
    const id = sheet.planId ?? "";
    const listed = { name: "list_plans", arguments: { plan_id: id } };
    await view.getByRole("button", { name: refresh }).click();
    await view.getByRole("status").getByText(/UTC/).waitFor();
    expect((await chat.call(listed)).structuredContent).toMatchObject({ plans: [{ state: "awaiting_approval" }] });
    const approved = await runTerminal(["approve", id], { home }, [["PIN: ", PIN]]);
    expect(approved.code).toBe(0);
    await view.getByRole("button", { name: refresh }).click();
    await view.getByText(plan.active, { exact: true }).waitFor();
    expect(await view.locator("code").count()).toBe(0);
    await tab.picture(`plan-active-${context.theme}`);
    expect(await tab.told()).toEqual([]);
  });

  it("shows whatever stands in a sheet as text", async () => {
    const args = { ...STOP, base_volume: "0.004" };
    const made = await chat.call({ name: "create_plan", arguments: args });
    const meta = { "hoga/plan": hostile(sheetOf(made)), "hoga/reader": made._meta?.["hoga/reader"] };
    const structuredContent = { ...made.structuredContent, next_action: `\`approve ${HOSTILE}\`` };
    const result = { ...made, structuredContent, _meta: meta };
    const view = await tab.showResult("create_plan", args, result, context);
    await view.getByRole("heading", { name: HOSTILE }).waitFor();
    const lines = sheetOf(made)[plan.locale].lines.map(() => HOSTILE);
    expect(await view.locator("section p").allTextContents()).toEqual(lines);
    expect(await view.locator("code").textContent()).toBe(`approve ${HOSTILE}`);
    expect(await view.locator("img, b, main script").count()).toBe(0);
  });

  it("is asked for nothing from elsewhere, and nothing breaks a policy", () => {
    expect([tab.asked, tab.errors]).toEqual([[], []]);
  });
});
