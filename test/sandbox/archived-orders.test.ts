/** Over HTTP, in every dialect, a restart that archives most orders of an account changes no answer. Source: decision 0027. */
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SandboxStartError, startSandbox } from "../../src/sandbox/index.ts";
import { type Command, ONE, type PlaceCommand } from "../../src/sandbox/model/index.ts";
import { AliasClient, type Parameters } from "./alias/alias-client.ts";
import type { Reply } from "./http/signed-client.ts";
import { must, openVenue, START, type Venue } from "./http/venue.ts";
import { type Form, TradingCaller } from "./trading/trading-caller.ts";

/** The paper account's; the newest 1 000 stay in memory. */
const ORDERS = 1_300;

const clock = { now: START };
let dir: string;
let venue: Venue;
let before: Awaited<ReturnType<typeof answers>>;
const open = (): Promise<Venue> => openVenue({ dir, now: () => clock.now });
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "sandbox-archive-"));
  venue = await open();
  trade();
  await venue.sandbox.durable();
  before = await answers();
  await venue.sandbox.close();
  venue = await open();
});
afterAll(async () => {
  await venue.sandbox.close();
  await rm(dir, { recursive: true, force: true });
});

const idOf = (index: number, owner: "paper" | "maker" = "paper"): string =>
  `01980000-0000-7000-8000-${owner === "paper" ? "0" : "1"}${String(index).padStart(11, "0")}`;

/** Of ten orders one is canceled and one stays open; the others trade. */
function trade(): void {
  const { sandbox } = venue;
  const apply = (command: Command): void => must(sandbox.exchange.apply(command, clock.now));
  apply({ type: "deposit", accountId: "paper", asset: "KRW", amount: 100_000_000n * ONE });
  for (let index = 0; index < ORDERS; index++) {
    clock.now += 1_000;
    const isResting = index % 10 < 2;
    const side = { accountId: "paper", side: "buy", userref: `bot-${index % 40}` } as const;
    const terms = { price: (isResting ? 80_000_000n : 90_000_000n) * ONE, volume: ONE / 10_000n };
    if (!isResting) apply(limit({ ...terms, orderId: idOf(index, "maker"), accountId: "maker", side: "sell" }));
    apply(limit({ ...terms, ...side, orderId: idOf(index) }));
    if (index % 10 === 0) apply({ type: "cancel", accountId: "paper", symbol: "BTC/KRW", orderId: idOf(index) });
  }
}

function limit(terms: Partial<PlaceCommand> & Pick<PlaceCommand, "orderId" | "accountId" | "side">): PlaceCommand {
  return {
    ...{ type: "place", keyId: null, symbol: "BTC/KRW", orderType: "limit", price: null, volume: null, amount: null },
    ...{ timeInForce: "GTC", postOnly: false, userref: null, settlementMode: "INSTANT_KRW" },
    ...terms,
  };
}

/** The answers, by their question. */
async function answers(): Promise<Record<string, unknown>> {
  const { paper, sandbox } = venue;
  const trading = new TradingCaller(sandbox.baseUrl, paper.credentials);
  const alias = new AliasClient(sandbox.baseUrl, paper.credentials, clock);
  const found: Record<string, unknown> = {};
  const note = (question: string, { status, json }: Reply): void => {
    expect([question, status, json.error ?? []]).toEqual([question, 200, []]);
    found[question] = json.result ?? json;
  };
  const ask = async (target: string): Promise<void> => note(target, await paper.get(target));
  const post = async (operation: string, form: Form): Promise<void> =>
    note(`${operation} ${JSON.stringify(form)}`, await trading.post(operation, form));
  const get = async (path: string, parameters: Parameters): Promise<void> =>
    note(`${path} ${JSON.stringify(parameters)}`, await alias.get(path, { symbol: "BTCKRW", ...parameters }));

  const seconds = Math.floor(clock.now / 1000);
  const [first, last] = [seconds - ORDERS + 30, seconds - ORDERS + 90];
  found["pages of orders"] = await pages("/v1/orders?state=all&limit=170", "orders");
  found["pages of fills"] = await pages("/v1/trades/history?limit=170", "trades");
  await ask("/v1/orders?state=closed&userref=bot-3&limit=100");
  await ask(`/v1/orders?state=all&from=${first * 1000}&to=${last * 1000}`);
  await ask(`/v1/trades/history?from=${first * 1000}&to=${last * 1000}`);
  for (const index of [0, 1, 2, ORDERS - 1]) await ask(`/v1/orders/BTCKRW/${idOf(index)}`);
  await post("OpenOrders", {});
  // At the beginning, where memory ends and the archive begins, and near the end.
  for (const ofs of ["0", "880", "1130"]) await post("ClosedOrders", { ofs, limit: "40", trades: "true" });
  for (const ofs of ["0", "780", "1010"]) await post("TradesHistory", { ofs, limit: "40" });
  await post("ClosedOrders", { start: String(first), end: String(last), closetime: "close" });
  await post("ClosedOrders", { start: idOf(20), end: idOf(50), status: "canceled" });
  await post("ClosedOrders", { userref: "bot-3" });
  await post("QueryOrders", { txid: `${idOf(2)},${idOf(ORDERS - 1)}`, trades: "true" });
  await post("QueryOrders", { userref: "bot-7" });
  await get("allOrders", { limit: "1000" });
  await get("allOrders", { orderId: idOf(5), limit: "20" });
  await get("allOrders", { startTime: String(first * 1000), endTime: String(last * 1000) });
  await get("order", { orderId: idOf(2) });
  await get("order", { origClientOrderId: "bot-2" });
  await get("myTrades", { fromId: "3", limit: "20" });
  await get("myTrades", { orderId: idOf(2) });
  await get("myTrades", { startTime: String(first * 1000), limit: "20" });
  return found;
}

async function pages(path: string, list: "orders" | "trades"): Promise<unknown[]> {
  const found: unknown[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const { json } = await venue.paper.get(cursor === "" ? path : `${path}&cursor=${cursor}`);
    found.push(...json[list]);
    cursor = json.next_cursor;
  }
  return found;
}

describe("archived orders", () => {
  it("are in every answer of every API as before, after a restart", async () => {
    expect(existsSync(join(dir, "archive.db"))).toBe(true);
    expect(before["pages of orders"]).toHaveLength(ORDERS);
    expect(before["pages of fills"]).toHaveLength((ORDERS / 10) * 8);
    const after = await answers();
    for (const [question, answer] of Object.entries(before))
      expect([question, JSON.stringify(answer)]).toEqual([question, expect.stringContaining(idOf(0).slice(0, 30))]);
    for (const [question, answer] of Object.entries(before))
      expect([question, after[question]]).toEqual([question, answer]);
    expect(venue.defects).toEqual([]);
  });

  it("cannot be canceled, and say how they ended", async () => {
    const { status, json } = await venue.paper.delete(`/v1/orders/BTCKRW/${idOf(2)}`);
    expect([status, json.error]).toMatchObject([409, { code: "EOrder:Order already closed", state: "filled" }]);
  });

  it("are missed at the start when their file is gone, by its name", async () => {
    await venue.sandbox.close();
    await rm(join(dir, "archive.db"));
    const error = await startSandbox({ dir, marketMaker: false }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(SandboxStartError);
    expect(error).toMatchObject({
      code: "journal_unreadable",
      message: expect.stringMatching(/archive\.db: the archive of \d+ ended orders is missing$/),
      fix: expect.stringContaining("restore it from a copy"),
    });
  });
});
