/** Plans at the console, over the real desk: what it shows, what every page is told, and what a person does with one. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { ok } from "../../../src/contract/index.ts";
import type { Desk, PlanDesk, PlanView, PlanWriteReport } from "../../../src/desk/index.ts";
import type {
  ApprovalView,
  ConsoleApprovals,
  ConsoleFailure,
  ConsolePlan,
  ConsolePlans,
} from "../../../src/serve/console/console-api.ts";
import { eventually } from "../../fixture/command.ts";
import { type ExchangeFixture, startExchange } from "../../fixture/exchange.ts";
import { LOOSE } from "../../fixture/policy.ts";
import { type Answer, Browser, PIN, startConsole } from "./console-server.ts";
import { Listener } from "./event-client.ts";

let exchange: ExchangeFixture;
let plans: PlanDesk;

beforeAll(async () => {
  exchange = await startExchange({ marketMaker: true, stream: true });
  const { desk } = exchange;
  if (desk.plans === undefined) throw new Error("the desk keeps no plans");
  plans = desk.plans;
});
afterAll(() => exchange.close());
beforeEach(() => {
  exchange.policy.value = ok(LOOSE);
});

async function open(desk: Desk = exchange.desk): Promise<Browser> {
  const { http, store } = await startConsole({ desk });
  await store.pin.set(PIN, Date.now());
  return Browser.open(http.pageLink());
}

/** As of a desk that trades with real money: what is done is the practice desk's. */
const realMoney = (): Desk => ({ ...exchange.desk, isPractice: () => false });

let price = 900;

/** Each is another, as the same one twice is one. @returns its id */
async function alert(): Promise<string> {
  price += 1;
  const { plan } = await plans.create({ kind: "alert", symbol: "BTC/KRW", above: `${price}000000` }, "assistant");
  return idOf(plan);
}

function idOf(plan: PlanView | undefined): string {
  if (typeof plan?.plan_id !== "string") throw new Error("no plan was recorded");
  return plan.plan_id;
}

const stateOf = async (browser: Browser, id: string) =>
  (await browser.view<ConsolePlan>(`plan?plan_id=${id}`)).plan.state;
const failureOf = ({ status, json }: Answer) => [status, (json as ConsoleFailure).error.code];
const reportOf = ({ json }: Answer) => json as PlanWriteReport;

describe("what the console shows of plans", () => {
  it("has those that are open, those that have ended, one by its id, and who watches", async () => {
    const [kept, ended] = [await alert(), await alert()];
    await plans.change(ended, "cancel", "person");
    const browser = await open();
    const idsOf = async (path: string) => (await browser.view<ConsolePlans>(path)).plans.map(({ plan_id }) => plan_id);
    expect(await idsOf("plans")).toContain(kept);
    expect(await idsOf("plans")).not.toContain(ended);
    expect(await idsOf("plans?which=ended")).toContain(ended);
    expect(await idsOf("plans?which=all")).toEqual(expect.arrayContaining([kept, ended]));
    const one = await browser.view<ConsolePlan>(`plan?plan_id=${kept}`);
    expect(one).toMatchObject({ plan: { plan_id: kept, kind: "alert", state: "active" }, unit: "KRW" });
    expect(one.watch.watched_since).toBeNull();
    expect(failureOf(await browser.get("plan?plan_id=plan-0"))).toEqual([400, "ELocal:Unknown plan"]);
    expect(failureOf(await browser.get("plans?which=some"))).toEqual([400, "bad_request"]);
  });

  it("says since when a plan is watched, once a process looks after it", async () => {
    const id = await alert();
    const browser = await open();
    await exchange.desk.upkeep();
    const since = await eventually(
      async () => (await browser.view<ConsolePlan>(`plan?plan_id=${id}`)).plan.watched_since ?? undefined,
    );
    expect(Date.parse(since)).toBeGreaterThan(0);
  });
});

describe("every page", () => {
  it("is told of a plan that is made, changed and ended elsewhere, and not of each look at it", async () => {
    const browser = await open();
    const page = new Listener(browser);
    onTestFinished(() => page.close());
    await page.next("plans");
    const id = await alert();
    const made = await page.next("plans", (view) => view.plans.some(({ plan_id }) => plan_id === id));
    expect(made.watch).toHaveProperty("gaps");
    await plans.change(id, "pause", "person");
    await page.next("plans", (view) => view.plans.some((plan) => plan.plan_id === id && plan.state === "paused"));
    await eventually(() => page.changed.has("audit") || undefined);
    await plans.change(id, "cancel", "person");
    await page.next("plans", (view) => view.plans.every(({ plan_id }) => plan_id !== id));
    const told = page.of("plans").length;
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    // The watch is renewed every second meanwhile; a minute may begin.
    expect(page.of("plans").length).toBeLessThanOrEqual(told + 1);
  });
});

/** Everything that may trade waits for a person, and so does taking a protection away. */
const ASKING = { ...LOOSE, plans: { ...LOOSE.plans, approve: "always", stopRemoval: "ask" } } as const;

describe("what of plans waits for a person", () => {
  /** A stop over coins that are held, and what is asked about it. */
  async function stopAsked(browser: Browser): Promise<ApprovalView> {
    exchange.policy.value = ok(ASKING);
    const { desk } = exchange;
    await desk.place({ symbol: "BTC/KRW", side: "buy", type: "market", quote_amount: "1000000" });
    const stop = { kind: "stop", symbol: "BTC/KRW", base_volume: "0.001", stop_price: "-20%" };
    const report = await plans.create(stop, "assistant");
    if (report.approval === undefined) throw new Error(JSON.stringify(report));
    return askedOf(browser, report.approval.id);
  }

  const askedOf = (browser: Browser, id: string): Promise<ApprovalView> =>
    eventually(async () => {
      const { waiting } = await browser.view<ConsoleApprovals>("approvals");
      return waiting.find((each) => each.id === id);
    });

  it("begins with the yes to exactly the sheet that was read, by the PIN, and ends with one to its removal", async () => {
    const browser = await open();
    const asked = await stopAsked(browser);
    expect(asked).toMatchObject({ kind: "plan", plan_action: "start", plan: { kind: "stop", symbol: "BTC/KRW" } });
    expect(asked.question).toMatch(/^\[sandbox\] Approve this plan .*\nSell up to 0\.001 BTC on BTC\/KRW when/);
    const yes = { id: asked.id, digest: asked.digest, proof: { pin: PIN } };
    expect(failureOf(await browser.post("approve", { ...yes, digest: "0".repeat(64) }))).toEqual([
      409,
      "another_question",
    ]);
    expect(failureOf(await browser.post("approve", { ...yes, proof: { pin: "wrong horse" } }))).toEqual([
      403,
      "pin_wrong",
    ]);
    expect(reportOf(await browser.post("approve", yes))).toMatchObject({ outcome: "accepted", state: "active" });

    const removal = await plans.change(asked.id, "cancel", "assistant");
    expect(removal).toMatchObject({ outcome: "not_sent", state: "active" });
    const change = await askedOf(browser, asked.id);
    expect(change).toMatchObject({ kind: "plan_change", plan_action: "cancel" });
    expect(change.question).toContain("Take this protection away?");
    expect(reportOf(await browser.post("deny", { id: asked.id }))).toMatchObject({ state: "active" });
    expect(await stateOf(browser, asked.id)).toBe("active");
    await plans.change(asked.id, "cancel", "assistant");
    const again = await askedOf(browser, asked.id);
    const agreed = { id: again.id, digest: again.digest, proof: { pin: PIN } };
    expect(reportOf(await browser.post("approve", agreed))).toMatchObject({ outcome: "accepted", state: "canceled" });
  });

  it("does not begin after a no, which takes no proof", async () => {
    const browser = await open();
    const { id, digest } = await stopAsked(browser);
    expect(reportOf(await browser.post("deny", { id }))).toMatchObject({ state: "denied" });
    const yes = { id, digest, proof: { pin: PIN } };
    expect(failureOf(await browser.post("approve", yes))).toEqual([404, "not_waiting"]);
    expect(await stateOf(browser, id)).toBe("denied");
  });

  it("is a protection that a person takes away by a proof where money may be real, and by a press on practice", async () => {
    const [practice, browser] = [await open(), await open(realMoney())];
    const { id, digest } = await stopAsked(browser);
    await browser.post("approve", { id, digest, proof: { pin: PIN } });
    const act = (of: Browser, action: string, proof?: object) => of.post("plan", { plan_id: id, action, proof });
    expect(failureOf(await act(browser, "pause"))).toEqual([403, "proof_needed"]);
    expect(failureOf(await act(browser, "cancel"))).toEqual([403, "proof_needed"]);
    expect(await stateOf(browser, id)).toBe("active");
    expect(reportOf(await act(browser, "pause", { pin: PIN }))).toMatchObject({ state: "paused" });
    expect(reportOf(await act(browser, "resume", { pin: PIN }))).toMatchObject({ state: "active" });
    expect(reportOf(await act(practice, "cancel"))).toMatchObject({ state: "canceled" });
  });
});

describe("a person", () => {
  it("pauses, starts again and cancels a plan of practice with a press", async () => {
    const id = await alert();
    const browser = await open();
    const act = async (action: string) => reportOf(await browser.post("plan", { plan_id: id, action }));
    expect(await act("pause")).toMatchObject({ outcome: "accepted", state: "paused" });
    expect(await act("resume")).toMatchObject({ outcome: "accepted", state: "active" });
    expect(await act("cancel")).toMatchObject({ outcome: "accepted", state: "canceled" });
    expect(await act("resume")).toMatchObject({ outcome: "not_sent", error: { code: "ELocal:Plan ended" } });
    expect(await stateOf(browser, id)).toBe("canceled");
    expect(failureOf(await browser.post("plan", { plan_id: "plan-0", action: "pause" }))).toEqual([
      400,
      "ELocal:Unknown plan",
    ]);
    expect(failureOf(await browser.post("plan", { plan_id: id, action: "sell" }))).toEqual([400, "bad_request"]);
  });

  it("shows a proof to start a plan again where money may be real, and none to stop an alert", async () => {
    const id = await alert();
    const browser = await open(realMoney());
    const act = (action: string, proof?: object) => browser.post("plan", { plan_id: id, action, proof });
    expect(reportOf(await act("pause"))).toMatchObject({ state: "paused" });
    expect(failureOf(await act("resume"))).toEqual([403, "proof_needed"]);
    expect(failureOf(await act("resume", { pin: "wrong horse" }))).toEqual([403, "pin_wrong"]);
    expect(await stateOf(browser, id)).toBe("paused");
    expect(reportOf(await act("resume", { pin: PIN }))).toMatchObject({ outcome: "accepted", state: "active" });
    expect(reportOf(await act("cancel"))).toMatchObject({ state: "canceled" });
  });
});
