/**
 * What a desk tells of an account at an exchange that lists trades of the last 36 hours alone: in the test's own process, at the exchange's API over real
 * HTTP, with a clock that leaps over days.
 */
import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type Clock,
  createDesk,
  createIds,
  type Desk,
  type IntentBody,
  type IntentState,
} from "../../../src/desk/index.ts";
import { type Sandbox, startSandbox } from "../../../src/sandbox/index.ts";
import { openStore, type Store } from "../../../src/store/index.ts";
import { CARDS } from "../../../src/venues/index.ts";
import { KorbitVenue } from "../../../src/venues/korbit/venue.ts";
import { wordsFor } from "../../../src/words/index.ts";
import { safetyParts } from "../../fixture/policy.ts";
import { unwrap } from "../../fixture/result.ts";
import { openAccount } from "./exchange-desk.ts";

const ONE = 100_000_000n;
const HOUR_MS = 3_600_000;
const SLACK_MS = 60_000;

let skewMs = 0;
let sandbox: Sandbox;
let store: Store<IntentState, IntentBody>;
let venue: KorbitVenue;
let desk: Desk;
let made = 0;
const now = (): number => Date.now() + skewMs;

let credentials: { readonly apiKey: string; readonly apiSecret: string };

beforeEach(async () => {
  skewMs = 0;
  sandbox = await startSandbox({ as: "korbit", marketMaker: false, now, limits: { venueRateFactor: 1_000 } });
  openAccount(sandbox, "maker");
  credentials = openAccount(sandbox, "own");
  store = await openStore<IntentState, IntentBody>({ memory: true }, { clock, random: Math.random });
  takeSeat();
});

const clock: Clock = {
  now,
  rising: now,
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      signal?.addEventListener("abort", () => {
        clearTimeout(timer);
        resolve();
      });
    }),
};

/** As of a process that has just begun. */
function takeSeat(): void {
  const { baseUrl } = sandbox;
  venue = new KorbitVenue({ environment: "sandbox", baseUrl, credentials, account: "own", clock });
  desk = createDesk({
    ...{ venue, journal: store.journal, audit: store.audit, ...safetyParts(store), clock },
    ...{ ids: createIds(clock, randomBytes), profile: "korbit", timeZone: "UTC" },
  });
}

afterEach(async () => {
  await venue.close();
  store.close();
  await sandbox.close();
});

/** 0.01 BTC, between the account and the maker. */
function trade(side: "buy" | "sell", price: bigint): void {
  for (const [accountId, own] of [
    ["maker", side === "buy" ? "sell" : "buy"],
    ["own", side],
  ] as const) {
    const size = { price: price * ONE, volume: ONE / 100n, amount: null };
    const terms = { timeInForce: "GTC", postOnly: false, userref: null, settlementMode: "INSTANT_KRW" } as const;
    const order = {
      orderId: String(1_700_000_000_000_000 + ++made),
      accountId,
      side: own,
      symbol: "BTC/KRW",
      orderType: "limit",
    } as const;
    const applied = sandbox.exchange.apply({ type: "place", keyId: null, ...order, ...size, ...terms }, now());
    if (!applied.ok) throw new Error(applied.message);
  }
}

const later = (hours: number): void => {
  skewMs += hours * HOUR_MS;
};

/** Trades are listed some seconds late. */
async function read() {
  later(0.01);
  return unwrap(desk.portfolio({}));
}

/** Of each time: how many hours before the last one it ends and begins, and `null` for no beginning. */
function hoursAgo(unread = ""): readonly (readonly [from: number | null, to: number])[] {
  const spans = unread === "" ? [] : unread.split(",");
  return spans.map((span) => {
    const [from = "", to = ""] = span.split("/");
    const ago = (text: string): number => Math.round((now() - Date.parse(text) - SLACK_MS) / HOUR_MS);
    return [from === ".." ? null : ago(from), ago(to)];
  });
}

describe("trades that Korbit does not list any more", () => {
  it("are named with the figures that lack them, though hoga reads again in time from then on", async () => {
    trade("buy", 100_000_000n);
    const first = await read();
    expect(hoursAgo(first.unread)).toEqual([[null, 36]]);
    expect(first.warnings).toHaveLength(1);
    later(5);
    trade("sell", 110_000_000n);
    later(45);
    const late = await read();
    expect(hoursAgo(late.unread)).toEqual([
      [null, 86],
      [50, 36],
    ]);
    // The sale was in that time: it has earned nothing that hoga knows of.
    expect(late.totals.realized).toBe("0");
    const spans = (late.unread?.split(",") ?? []).map((span) => span.split("/"));
    const [[, start] = [], [from, to] = []] = spans;
    expect(late.warnings[0]).toBe(
      `Trades are not known of this time: before ${start}, ${from} to ${to}. The exchange lists those of the last 36 hours alone, and hoga did not look in time. They are in no figure.`,
    );
    const { told, when } = wordsFor({ locale: "ko", timeZone: "UTC" });
    const korean = told(late.warnings[0] ?? "");
    const [before, since, until] = [start, from, to].map((text) => when(text ?? ""));
    expect(korean).toContain(`${before} 이전, ${since} ~ ${until}`);
    expect(korean).toContain("최근 36시간");
    later(10);
    expect(hoursAgo((await read()).unread)).toEqual([
      [null, 96],
      [60, 46],
    ]);
  });

  it("are not lost while a process stays: upkeep reads them in time", async () => {
    trade("buy", 100_000_000n);
    await desk.balances();
    later(0.01);
    await desk.upkeep();
    later(5);
    trade("sell", 110_000_000n);
    later(25);
    await desk.upkeep();
    later(25);
    const { unread, totals } = await read();
    expect(hoursAgo(unread)).toEqual([[null, 91]]);
    expect(totals.realized).toBe("96850");
  });

  it("are in a period's totals as far as they were read, and the list says that it is shorter", async () => {
    trade("buy", 100_000_000n);
    await read();
    later(50);
    trade("sell", 110_000_000n);
    later(0.01);
    await venue.close();
    takeSeat();
    const whole = await unwrap(desk.fills({ withTotals: true }));
    expect(whole.trades.map(({ side }) => side)).toEqual(["sell"]);
    expect(whole.totals).toMatchObject({ buy_value: "1000000", sell_value: "1100000" });
    expect(hoursAgo(whole.unread)).toEqual([
      [null, 86],
      [50, 36],
    ]);
    expect(whole.warnings[0]).toMatch(/^Trades before \S+ may be missing from the list, .+ the last 36 hours alone\.$/);
    expect(wordsFor({ locale: "ko", timeZone: "UTC" }).told(whole.warnings[0] ?? "")).toContain("목록에 없을 수 있고");
    const day = await unwrap(desk.fills({ withTotals: true, fromMs: now() - 24 * HOUR_MS }));
    expect(day).toMatchObject({ totals: { buy_value: "0", sell_value: "1100000" }, warnings: [] });
    expect(day.unread).toBeUndefined();
  });

  it("are never those of today, whose loss is counted: a day is shorter than what any exchange lists", () => {
    const longestDay = 25 / 24;
    const shorter = CARDS.filter(({ history: { closed_days: days } }) => days !== null && days <= longestDay);
    expect(shorter).toEqual([]);
    expect(CARDS.filter(({ history }) => history.closed_days !== null).map(({ name }) => name)).toEqual(["korbit"]);
  });
});
