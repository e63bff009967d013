/**
 * A yes by touch, from a real browser with a passkey of Chromium's own making to the exchange: what places the order that an assistant has asked for, and what does not.
 */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { type CDPSession, type Browser as Chromium, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { WriteReport } from "../../../src/desk/index.ts";
import type { ApprovalView, ConsoleApprovals, ConsoleSession } from "../../../src/serve/console/console-api.ts";
import { eventually, freePort } from "../../fixture/command.ts";
import { PIN, setPin } from "../../fixture/command-line.ts";
import { WIDE, wideHome, writePolicy } from "../../fixture/home.ts";
import type { HttpAddress } from "../../fixture/http-address.ts";
import { answerOf, softwarePasskey } from "../../fixture/passkey.ts";
import { cleanUp, run, start } from "../../fixture/program.ts";
import { ask, Browser } from "../../serve/console/console-server.ts";

const EXECUTABLE = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const CONFIRM = { ...WIDE, mode: "confirm" };
const ORDER = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001" };

interface Posted {
  readonly status: number;
  readonly json: WriteReport & { readonly options?: object };
}

const home = wideHome(CONFIRM);
let consolePort: number;
let token: string;
let assistant: Client;
let browser: Chromium;
let page: Page;
let device: CDPSession;
let authenticatorId: string;
let elsewhere: Server;

beforeAll(async () => {
  await setPin(home);
  const ports = ["--port", String(await freePort()), "--exchange-port", String(await freePort())];
  const running = start(["start", "--json", "--show-token", ...ports], { home });
  const line = running.firstLine();
  browser = await chromium.launch({ executablePath: EXECUTABLE, args: ["--no-sandbox"] });
  const started = JSON.parse(await line) as {
    readonly console_url: string;
    readonly http_configuration: { readonly mcpServers: { readonly hoga: HttpAddress } };
  };
  const { url, headers } = started.http_configuration.mcpServers.hoga;
  [consolePort, token] = [Number(ports[1]), headers["Authorization"] ?? ""];
  assistant = new Client({ name: "assistant", version: "1.0.0" });
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  await assistant.connect(transport as unknown as Transport);
  page = await (await browser.newContext({ bypassCSP: true })).newPage();
  await page.goto(started.console_url);
  device = await page.context().newCDPSession(page);
  await device.send("WebAuthn.enable");
  const options = {
    ...({ protocol: "ctap2", transport: "internal" } as const),
    ...{ hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
  };
  ({ authenticatorId } = await device.send("WebAuthn.addVirtualAuthenticator", { options }));
  elsewhere = createServer((_, response) =>
    response.setHeader("content-type", "text/html").end("<title>other</title>"),
  );
  await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  await assistant?.close();
  await browser?.close();
  elsewhere?.close();
  await cleanUp();
});

const console_ = () => `http://localhost:${consolePort}/`;

/** Runs in the page, which knows what this program's types do not. @param script a function, which is given the rest as JSON */
async function inPage<Found>(script: string, ...given: readonly unknown[]): Promise<Found> {
  return (await page.evaluate(`(${script})(...${JSON.stringify(given)})`)) as Found;
}
const view = <View>(path: string): Promise<View> =>
  inPage(`async (path) => (await fetch("/console/" + path)).json()`, path);

/** As the page posts. */
const post = (path: string, body: object): Promise<Posted> =>
  inPage(
    `async (path, body) => {
      const { csrf } = await (await fetch("/console/session")).json();
      const headers = { "content-type": "application/json", "x-hoga-csrf": csrf };
      const answer = await fetch("/console/" + path, { method: "POST", headers, body: JSON.stringify(body) });
      return { status: answer.status, json: await answer.json() };
    }`,
    path,
    body,
  );

/** What the browser brings of a passkey, or why it does not. */
const touch = (options: object | undefined): Promise<object> =>
  inPage(
    `async (options) => {
      const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
      const found = await navigator.credentials.get({ publicKey }).catch(({ name }) => ({ refused: name }));
      return "refused" in found ? found : found.toJSON();
    }`,
    options,
  );

const make = (options: object | undefined): Promise<object> =>
  inPage(
    `async (options) => {
      const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
      return (await navigator.credentials.create({ publicKey })).toJSON();
    }`,
    options,
  );

/** What the assistant has asked for, as it waits. */
async function asked(price: string): Promise<ApprovalView> {
  const { structuredContent } = await assistant.callTool({ name: "place_order", arguments: { ...ORDER, price } });
  expect(structuredContent).toMatchObject({ state: "awaiting_approval" });
  return eventually(async () => {
    const { waiting } = await view<ConsoleApprovals>("approvals");
    return waiting.find(({ order }) => order?.order.price === price);
  });
}

const questionOf = ({ id, digest }: ApprovalView) => ({ purpose: "approve", id, digest });
const challenge = async (purpose: object) => (await post("challenge", purpose)).json.options;
const approve = ({ id, digest }: ApprovalView, passkey: object) => post("approve", { id, digest, proof: { passkey } });
async function open(): Promise<number> {
  const { orders } = await view<{ orders: readonly unknown[] }>("orders?state=open");
  return orders.length;
}
async function expectWaiting(question: ApprovalView, { json }: Posted, why: RegExp): Promise<void> {
  expect(json).toMatchObject({ outcome: "not_sent", state: "awaiting_approval", intent_id: question.id });
  expect(json.error?.message).toMatch(why);
}

it("is enrolled with the PIN, places what an assistant asked for, once, and lifts the brake", async () => {
  expect(await post("passkeys/begin", { name: "laptop" })).toMatchObject({ status: 403 });
  const begun = await post("passkeys/begin", { name: "laptop", proof: { pin: PIN } });
  const made = await make(begun.json.options);
  expect(await post("passkeys/finish", { response: made })).toMatchObject({ status: 200, json: { proven: true } });
  const { passkeys, passkey_origin } = await view<ConsoleSession>("session");
  expect([passkeys.length, passkey_origin]).toEqual([1, new URL(console_()).origin]);

  const question = await asked("90000000");
  const signed = await touch(await challenge(questionOf(question)));
  expect(await approve(question, signed)).toMatchObject({ status: 200, json: { outcome: "accepted", state: "open" } });
  expect(await open()).toBe(1);
  expect((await approve(question, signed)).status).toBe(404);
  expect(await open()).toBe(1);
  const shown = await run(["audit", "verify"], { home });
  expect(shown.stdout).toMatch(/is whole.*\n.*each proven by what was signed: 1\.$/m);

  expect((await post("halt", {})).json).toMatchObject({ brake: "everywhere" });
  const resume = await touch(await challenge({ purpose: "resume" }));
  expect((await post("resume", { proof: { passkey: resume } })).json).toMatchObject({ resumed: true });
  expect((await post("resume", { proof: { passkey: resume } })).status).toBe(403);
});

it("is nothing that another page, a shell, a stale or a made-up answer can give", async () => {
  const [question, other] = [await asked("91000000"), await asked("92000000")];
  const options = await challenge(questionOf(question));
  const { id: credentialId } = (await view<ConsoleSession>("session")).passkeys[0] ?? { id: "" };
  const before = await open();

  await expectWaiting(
    question,
    await approve(question, await touch(await challenge(questionOf(other)))),
    /another question/,
  );

  await device.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
  expect(await touch(options)).toEqual({ refused: "NotAllowedError" });
  const unverified = await touch({ ...options, userVerification: "discouraged" });
  await expectWaiting(question, await approve(question, unverified), /did not verify the person/);
  await device.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: true });

  const forged = softwarePasskey({ credentialId });
  const made = forged.sign({ challenge: question.digest, origin: new URL(console_()).origin, counter: 9_999 });
  await expectWaiting(question, await approve(question, answerOf(made)), /The signature is not/);

  // Another port of this machine has the same host: the device signs, and the origin tells.
  await page.goto(`http://localhost:${(elsewhere.address() as AddressInfo).port}/`);
  const phished = await touch(options);
  await page.goto(`http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`);
  expect(await touch(options)).toEqual({ refused: "SecurityError" });
  await page.goto(console_());
  await expectWaiting(question, await approve(question, phished), /another address/);

  // A shell that has the token opens a session of its own, and has nobody to touch anything.
  const signed = JSON.stringify({ id: question.id, digest: question.digest, proof: { passkey: answerOf(made) } });
  const bare = { method: "POST", headers: { authorization: token, "content-type": "application/json" }, body: signed };
  expect((await ask(`${console_()}console/approve`, bare)).status).toBe(401);
  const link = await ask(`${console_()}page-link`, { method: "POST", headers: { authorization: token } });
  const shell = await Browser.open((link.json as { page_url: string }).page_url);
  expect((await shell.post("approve", JSON.parse(signed) as object)).json).toMatchObject({ outcome: "not_sent" });
  expect(await shell.post("passkeys/begin", { name: "mine" })).toMatchObject({ status: 403 });
  expect(await shell.post("resume", { proof: { passkey: answerOf(made) } })).toMatchObject({ status: 403 });

  writePolicy(home, { ...CONFIRM, approval_ttl_s: 1 });
  const brief = await asked("93000000");
  const late = await touch(await challenge(questionOf(brief)));
  await sleep(1_100);
  expect((await approve(brief, late)).json).not.toMatchObject({ outcome: "accepted" });

  expect(await open()).toBe(before);
  expect((await approve(question, await touch(options))).json).toMatchObject({ outcome: "accepted" });
  expect(await open()).toBe(before + 1);
});
