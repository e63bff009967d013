import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ok } from "../../../src/contract/index.ts";
import { inUnit } from "../../../src/decimal/index.ts";
import type { Desk, HaltReport, ResumeReport, WriteReport } from "../../../src/desk/index.ts";
import type { ApprovalView, ConsoleApprovals, ConsoleFailure } from "../../../src/serve/console/console-api.ts";
import { eventually } from "../../fixture/command.ts";
import { type ExchangeFixture, startExchange } from "../../fixture/exchange.ts";
import { LOOSE } from "../../fixture/policy.ts";
import { type Answer, Browser, type ConsoleServer, PIN, startConsole } from "./console-server.ts";

let exchange: ExchangeFixture;
let server: ConsoleServer;
let browser: Browser;

beforeAll(async () => {
  exchange = await startExchange();
});
afterAll(() => exchange.close());
beforeEach(async () => {
  exchange.policy.value = ok({ ...LOOSE, approvalOver: inUnit("1000") });
  server = await startConsole(exchange);
  await server.store.pin.set(PIN, Date.now());
  browser = await Browser.open(server.http.pageLink());
  exchange.relay.seen.length = 0;
});
afterEach(async () => {
  await exchange.desk.cancelAll();
});

async function asked(price: string): Promise<ApprovalView> {
  await exchange.desk.place({ symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.01", price });
  return eventually(async () => {
    const { waiting } = await browser.view<ConsoleApprovals>("approvals");
    return waiting.find(({ order }) => order?.order.price === price);
  });
}

const failureOf = ({ status, json }: Answer) => [status, (json as ConsoleFailure).error.code];
const sentOrders = () => exchange.relay.writes().filter((line) => /^POST \S*\/orders/.test(line)).length;

describe("a yes", () => {
  it("places the order that was read, by the right PIN, once", async () => {
    const [wanted, other] = [await asked("90000000"), await asked("91000000")];
    const yes = { id: wanted.id, digest: wanted.digest, proof: { pin: PIN } };
    expect(failureOf(await browser.post("approve", { ...yes, digest: other.digest }))).toEqual([
      409,
      "another_question",
    ]);
    expect(failureOf(await browser.post("approve", { ...yes, id: "nothing" }))).toEqual([404, "not_waiting"]);
    const wrong = await browser.post("approve", { ...yes, proof: { pin: "wrong horse" } });
    expect(failureOf(wrong)).toEqual([403, "pin_wrong"]);
    expect((wrong.json as ConsoleFailure).next_action).toMatch(/left before it is locked.*: 4/);
    expect(failureOf(await browser.post("approve", { ...yes, proof: { passkey: {} } }))).toEqual([
      501,
      "not_available",
    ]);
    expect(sentOrders()).toBe(0);
    const [first, second] = await Promise.all([browser.post("approve", yes), browser.post("approve", yes)]);
    const reports = [first, second].map(({ status, json }) => [status, (json as WriteReport).outcome]);
    expect(reports).toContainEqual([200, "accepted"]);
    expect(sentOrders()).toBe(1);
    expect(failureOf(await browser.post("approve", yes))).toEqual([404, "not_waiting"]);
    const { entries } = await browser.view<{ entries: readonly { event: string; detail: { approvedBy?: string } }[] }>(
      "audit",
    );
    expect(JSON.stringify(entries)).not.toContain(PIN);
  });

  it("closes a session to PINs after five wrong ones, and the console after twelve, and never a terminal", async () => {
    const { id, digest } = await asked("92000000");
    const tryPin = (page: Browser, pin: string) => page.post("approve", { id, digest, proof: { pin } });
    const miss = (page: Browser) => tryPin(page, "000");
    await server.store.pin.check("000", Date.now());
    for (let n = 0; n < 4; n += 1) expect(failureOf(await miss(browser))).toEqual([403, "pin_wrong"]);
    expect(failureOf(await miss(browser))).toEqual([403, "pin_closed"]);
    const closed = await tryPin(browser, PIN);
    expect(failureOf(closed)).toEqual([403, "pin_closed"]);
    expect((closed.json as ConsoleFailure).next_action).toContain("passkey");
    expect(failureOf(await browser.post("resume", { proof: { pin: PIN } }))).toEqual([403, "pin_closed"]);
    expect((await browser.get("status")).status).toBe(200);

    const others = [await Browser.open(server.http.pageLink()), await Browser.open(server.http.pageLink())];
    for (let n = 0; n < 6; n += 1) expect(failureOf(await miss(others[n % 2] ?? browser))).toEqual([403, "pin_wrong"]);
    expect(failureOf(await miss(others[0] ?? browser))).toEqual([429, "pin_passkeys_only"]);
    const last = await Browser.open(server.http.pageLink());
    const locked = await tryPin(last, PIN);
    expect(failureOf(locked)).toEqual([429, "pin_passkeys_only"]);
    expect(Number(locked.headers["retry-after"])).toBeGreaterThan(3_000);
    expect(sentOrders()).toBe(0);

    // Nothing of this counts on a terminal, where one right PIN opens all of it again.
    expect(await server.store.pin.check(PIN, Date.now())).toEqual({ ok: true });
    expect((await tryPin(browser, PIN)).json).toMatchObject({ outcome: "accepted" });
  });

  it("waits for no lock of a terminal", async () => {
    const { id, digest } = await asked("93000000");
    for (let n = 0; n < 5; n += 1) await server.store.pin.check("000", Date.now());
    expect(await server.store.pin.check(PIN, Date.now())).toMatchObject({ why: "locked" });
    const yes = await browser.post("approve", { id, digest, proof: { pin: PIN } });
    expect(yes.json).toMatchObject({ outcome: "accepted" });
  });

  it("says so where there is no PIN, and how to set one", async () => {
    const unset = { isSet: async () => false, checkAtConsole: async () => ({ ok: false, why: "unset" }) as const };
    const { http } = await startConsole(exchange, { parts: { pin: unset, pinCommand: "hoga pin --profile x" } });
    const answer = await (await Browser.open(http.pageLink())).post("resume", { proof: { pin: "123456" } });
    expect(failureOf(answer)).toEqual([403, "pin_unset"]);
    expect((answer.json as ConsoleFailure).next_action).toContain("hoga pin --profile x");
  });
});

it("denies without a proof, and nothing was sent", async () => {
  const { id } = await asked("94000000");
  expect((await browser.post("deny", { id })).json).toMatchObject({ state: "denied", outcome: "not_sent" });
  expect((await browser.view<ConsoleApprovals>("approvals")).waiting).toEqual([]);
  expect((await browser.post("deny", { id: "nothing" })).status).toBeGreaterThanOrEqual(400);
  expect(sentOrders()).toBe(0);
});

it("halts whatever is said, and resumes for who knows the PIN", async () => {
  exchange.policy.value = ok(LOOSE);
  const open = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.01", price: "90000000" } as const;
  await exchange.desk.place({ ...open, price: "85000000" });
  for (const body of [
    "",
    "{",
    "[1]",
    '{"reason":7}',
    `{"reason":"${"x".repeat(100_000)}"}`,
    '{"reason":"enough","more":1}',
  ]) {
    const { status, json } = await browser.post("halt", body, { "content-type": undefined });
    expect([body.slice(0, 20), status, (json as HaltReport).brake]).toEqual([body.slice(0, 20), 200, "everywhere"]);
  }
  expect(await browser.view("status")).toMatchObject({ brake: { by: "a person at the console" }, can_trade: false });
  expect((await browser.view<{ orders: readonly unknown[] }>("orders?state=open")).orders).toEqual([]);
  expect(failureOf(await browser.post("resume", { proof: { pin: "wrong horse" } }))).toEqual([403, "pin_wrong"]);
  expect((await exchange.desk.status()).brake).toBeDefined();
  expect((await browser.post("resume", { proof: { pin: PIN } })).json as ResumeReport).toMatchObject({ resumed: true });
  expect((await exchange.desk.status()).brake).toBeUndefined();
});

it("cancels without a proof", async () => {
  exchange.policy.value = ok(LOOSE);
  const open = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.01", price: "80000000" } as const;
  const { order } = await exchange.desk.place(open);
  const canceled = await browser.post("cancel", { order_id: order?.orderId });
  expect([canceled.status, (canceled.json as WriteReport).state]).toEqual([200, "canceled"]);
});

it("lets a yes end that has begun, when the server stops, and halts until the last", async () => {
  const { id, digest } = await asked("96000000");
  let goOn: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const approve: Desk["approve"] = async (...yes) => {
    begin();
    await held;
    return exchange.desk.approve(...yes);
  };
  const slow = await startConsole({ desk: { ...exchange.desk, approve } });
  await slow.store.pin.set(PIN, Date.now());
  const page = await Browser.open(slow.http.pageLink());
  const yes = page.post("approve", { id, digest, proof: { pin: PIN } });
  await begun;
  const stopped = slow.http.close();
  await eventually(async () => (await page.post("cancel", { order_id: "x" })).status === 503 || undefined);
  expect((await page.post("halt", {})).status).toBe(200);
  await exchange.desk.resume("test");
  goOn();
  expect((await yes).status).toBe(200);
  await stopped;
});
