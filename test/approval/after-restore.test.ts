/** Before trading goes on in a store that was put back from a copy, a person sees the account's orders that it lacks. Source: decision 0100. */
import { afterAll, describe, expect, it, vi } from "vitest";
import type { ResumeReport } from "../../src/desk/index.ts";
import type { ConsoleFailure, ConsoleSinceCopy } from "../../src/serve/console/console-api.ts";
import { oneLine } from "../fixture/command.ts";
import { cleanUp, PIN, run, runTerminal, start } from "../fixture/command-line.ts";
import { WIDE, writePolicy } from "../fixture/home.ts";
import { addressIn } from "../fixture/http-address.ts";
import { Browser } from "../serve/console/console-server.ts";
import { type ExchangeHere, exchangeHere, goOn, type SeatAt } from "./after-restore.ts";

vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 });
afterAll(cleanUp);

const MARKET = ["--side", "buy", "--type", "market", "--quote-amount", "50000"];

/** A store that was put back, and an order that was sent since. */
async function putBack({ seat }: Pick<ExchangeHere, "seat">, locale?: string) {
  const desk = await seat(locale);
  const known = await desk.place("--userref", "known");
  const restore = desk.copied();
  const [newest] = await desk.log(1);
  const since = await desk.place("--userref", "since");
  restore();
  return { desk, known, since, newestStep: new Date(newest?.atMs ?? 0).toISOString() };
}

async function expectHalted(desk: SeatAt): Promise<void> {
  expect(oneLine(await desk.hoga("call", "get_desk_status"))).toMatchObject({
    can_trade: false,
    brake: { reason: expect.stringContaining("put back from a copy") as string },
  });
}

describe.each(["hoga", "upbit"] as const)("a store that was put back, over the API of %s", (name) => {
  it("shows a person which orders it lacks before the PIN, and goes on for exactly those", async () => {
    const desk = await (await exchangeHere(name)).seat();
    const known = await desk.place("--userref", "known");
    const restore = desk.copied();
    const since = [await desk.place("--userref", "since"), await desk.place(...MARKET)];
    restore();
    await expectHalted(desk);
    const { shown, screen, code } = await goOn(desk.resume("--json"));
    for (const id of since) expect(shown).toContain(id);
    expect(shown).not.toContain(known);
    expect(shown).toMatch(/put back from a copy.*\n.*that are not in this store, nor in its budgets: 2\n/);
    expect(shown).toMatch(/BTC\/KRW +buy +\S*0\.001 BTC +\S*90,?000,?000 +open /);
    expect(code).toBe(0);
    const { resumed, since_copy } = oneLine<ResumeReport>({ stdout: screen.slice(screen.indexOf("{")) });
    expect([resumed, since_copy?.complete]).toEqual([true, true]);
    // Some exchanges tell the time to the second, so which of the two is newer is not known.
    expect(new Set(since_copy?.orders.map(({ orderId }) => orderId))).toEqual(new Set(since));
    expect((await desk.lacked()).toSorted()).toEqual(since.toSorted());
    await desk.place("--userref", "later");
  });

  it("shows what a person has approved since, which waits in the copy", async () => {
    const desk = await (await exchangeHere(name)).seat();
    writePolicy(desk.home, { ...WIDE, mode: "confirm", approval_drift_pct: "50" });
    const asked = await desk.hoga(
      ...["call", "place_order", "--symbol", "BTC/KRW", "--side", "buy", "--type", "limit"],
      ...["--base-volume", "0.001", "--price", "90000000"],
    );
    const { intent_id: id } = oneLine<{ intent_id: string }>(asked);
    const restore = desk.copied();
    const approved = await runTerminal(["approve", id, "--json"], desk, [["PIN: ", PIN]]);
    const [, orderId = "none"] = /"orderId":"([^"]+)"/.exec(approved.screen) ?? [];
    restore();
    const { shown } = await goOn(desk.resume());
    expect(shown).toContain(orderId);
    expect(shown).toMatch(/nor in its budgets: 1\n/);
  });

  it("shows the list anew where it has changed since, and asks once more", async () => {
    const exchange = await exchangeHere(name);
    const other = await exchange.seat();
    const { desk, since } = await putBack(exchange);
    const terminal = desk.resume();
    await terminal.see("PIN: ");
    const newest = await other.place("--userref", "elsewhere");
    expect(terminal.screen()).not.toContain(newest);
    terminal.type(`${PIN}\r`);
    const { shown, screen } = await goOn(terminal);
    const anew = shown.slice(shown.indexOf("by now the account has other orders"));
    expect(anew).toContain(newest);
    expect(anew).toContain(since);
    expect(screen).toContain("Trading goes on.");
    expect((await desk.lacked()).toSorted()).toEqual([newest, since].toSorted());
  });
});

describe("a store that was put back", () => {
  it("stays halted where the exchange cannot be asked, unless a person says that it is done without", async () => {
    const exchange = await exchangeHere("hoga");
    const { desk } = await putBack(exchange);
    await exchange.sandbox.stop();
    const refused = await desk.resume().ended;
    expect(refused.code).toBe(3);
    expect(refused.screen).toMatch(/cannot be listed, so trading is still halted[\s\S]*resume --unseen/);
    expect(await desk.resumedWith()).toBeUndefined();
    const { screen, shown } = await goOn(desk.resume("--unseen"));
    expect(shown).toContain("As you say --unseen, trading goes on without the list.");
    expect(screen).toContain("Trading goes on.");
    const checked = await run(["doctor"], desk);
    expect(checked.stdout).toMatch(
      /restore: This store was found to have been put back.*without a list of the orders that it lacks/,
    );
  });

  it("is looked at from the first copy on where it was put back more than once", async () => {
    const exchange = await exchangeHere("hoga");
    const { desk, since, newestStep } = await putBack(exchange);
    await expectHalted(desk);
    const again = desk.copied();
    await desk.hoga("halt");
    again();
    await expectHalted(desk);
    expect((await desk.log(50)).filter(({ event }) => event === "restored")).toHaveLength(2);
    const { shown, screen } = await goOn(desk.resume("--json"));
    expect(shown).toContain(since);
    const { since_copy } = oneLine<ResumeReport>({ stdout: screen.slice(screen.indexOf("{")) });
    // Not what the store has done since.
    expect(since_copy?.since).toBe(newestStep);
  });

  it("says so in the doctor until a person has resumed, and how many orders they were shown", async () => {
    const { desk } = await putBack(await exchangeHere("hoga"));
    await expectHalted(desk);
    const before = await run(["doctor"], desk);
    expect(before.stdout).toMatch(/warning {2}restore: .*put back on .*nobody has resumed since\.\n.*resume/);
    await goOn(desk.resume());
    const after = await run(["doctor"], desk);
    expect(after.stdout).toMatch(
      /ok {7}restore: .*A person resumed on .*, and was shown the orders that it lacks: 1\./,
    );
  });

  it("says it in Korean", async () => {
    const { desk, since } = await putBack(await exchangeHere("hoga"), "ko_KR.UTF-8");
    const { shown, screen } = await goOn(desk.resume(), "PIN 입력: ");
    expect(shown).toMatch(/이 저장소는 사본에서 복원되었습니다.*\n.*없는 것 1건\n/);
    expect(shown).toMatch(new RegExp(`매수 .*미체결 +${since} +since`));
    expect(screen).toContain("거래를 재개했습니다.");
  });
});

/** A server over it, and a person's browser. */
async function browserAt({ home, env }: SeatAt): Promise<Browser> {
  const server = start(["serve", "--http", "--json", "--show-token", "--port", "0"], { home, env });
  const { url, headers } = addressIn(await server.firstLine());
  const link = await fetch(new URL("/page-link", url), { method: "POST", headers });
  return Browser.open(((await link.json()) as { readonly page_url: string }).page_url);
}

describe("the console of a store that was put back", () => {
  it("shows which orders it lacks, and takes a person's go for exactly those", async () => {
    const exchange = await exchangeHere("upbit");
    const other = await exchange.seat();
    const { desk, since } = await putBack(exchange);
    const browser = await browserAt(desk);
    const look = async () => (await browser.view<ConsoleSinceCopy>("since-copy")).since_copy;
    const list = await look();
    // A server that is halted cancels what is open: of its state no more is said.
    expect(list).toMatchObject({ complete: true, orders: [{ orderId: since, symbol: "BTC/KRW", side: "buy" }] });
    const go = (shown?: string) => browser.post("resume", { proof: { pin: PIN }, ...(shown && { shown }) });
    const refused = { status: 409, json: { error: { code: "another_list" } } };
    expect(await go()).toMatchObject(refused);
    // Before a try of the PIN is spent on it.
    const unread = { proof: { pin: "not the PIN" }, shown: "another" };
    expect(await browser.post("resume", unread)).toMatchObject(refused);
    const newest = await other.place("--userref", "elsewhere");
    expect(await go(list?.digest)).toMatchObject(refused);
    expect(await browser.view("status")).toMatchObject({ can_trade: false });
    const anew = await look();
    expect(new Set(anew?.orders.map(({ orderId }) => orderId))).toEqual(new Set([newest, since]));
    expect(await go(anew?.digest)).toMatchObject({ status: 200, json: { resumed: true } });
    expect((await desk.lacked()).toSorted()).toEqual([newest, since].toSorted());
    expect(await look()).toBeNull();
  });

  it("takes no go where the exchange cannot be asked, and says how a person goes on", async () => {
    const exchange = await exchangeHere("hoga");
    const { desk } = await putBack(exchange);
    const browser = await browserAt(desk);
    await exchange.sandbox.stop();
    const { status, json } = await browser.get("since-copy");
    expect([status, (json as ConsoleFailure).error.message]).toEqual([503, expect.any(String)]);
    const gone = await browser.post("resume", { proof: { pin: PIN } });
    expect([gone.status, (gone.json as ConsoleFailure).error.code]).toEqual([503, "ELocal:Venue unreachable"]);
    expect(await desk.resumedWith()).toBeUndefined();
  });
});

describe("any other store", () => {
  it("asks the exchange nothing before it is resumed", async () => {
    const exchange = await exchangeHere("hoga");
    const desk = await exchange.seat();
    await desk.place();
    await desk.hoga("halt");
    await exchange.sandbox.stop();
    const { screen, shown } = await goOn(desk.resume());
    expect(shown).not.toMatch(/copy|cannot be listed/);
    expect(screen).toContain("Trading goes on.");
    expect((await run(["doctor"], desk)).stdout).not.toContain("restore:");
  });
});
