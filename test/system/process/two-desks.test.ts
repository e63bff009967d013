import { afterAll, describe, expect, it } from "vitest";
import { quartet } from "../../fixture/command.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { wideHome } from "../../fixture/home.ts";
import { cleanUp, startSandbox } from "../../fixture/program.ts";
import { startRelay } from "../../fixture/relay.ts";
import { expectBalanced, firstReversal, journalOf, venueFills, venueOrders } from "../../fixture/witness.ts";
import { type Assistant, connect, endAssistants, type Reply } from "./assistant.ts";

afterAll(async () => {
  endAssistants();
  await cleanUp();
});

/** Calls of one assistant that are under way at the same time. */
const AT_ONCE = 16;

/** Mostly orders that rest far below the market; every fifth fills at once. No two alike: one like an order without an answer has to wait for that. */
function wish(index: number, own: number): object {
  const symbol = "BTC/KRW";
  switch (index % 10) {
    case 3:
      return { symbol, side: "buy", type: "market", quote_amount: String(7_000 + own) };
    case 8:
      return { symbol, side: "sell", type: "market", base_volume: `0.0000${4_000 + own}` };
    default:
      return { symbol, side: "buy", type: "limit", base_volume: `0.0000${7_000 + own}`, price: "80000000" };
  }
}

/** Under userrefs that are minted for them: for a caller's own the exchange is asked first, which its limits would make the whole of this test. */
async function placeMany(assistant: Assistant, from: number, count: number): Promise<readonly Reply[]> {
  const replies: Reply[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const index = next++;
      replies.push(await assistant.call("place_order", wish(index, from + index)));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return replies;
}

const refused = (replies: readonly Reply[]): readonly Reply[] =>
  replies.filter(({ outcome }) => outcome !== "accepted");

function expectEachOnce(found: readonly { readonly userref?: string | null }[], asked: readonly string[]): void {
  expect(found).toHaveLength(asked.length);
  expect(new Set(found.map(({ userref }) => userref))).toEqual(new Set(asked));
}

describe("two assistants on one paper account", () => {
  it("place 400 orders side by side, and each is there exactly once", async () => {
    const EACH = 200;
    const home = wideHome();
    const [first, second] = await Promise.all([connect({ home }), connect({ home })]);
    // Coins to sell, and both have found the exchange.
    const coins = { symbol: "BTC/KRW", side: "buy", type: "market", base_volume: "0.005", userref: "coins" };
    expect(await first.call("place_order", coins)).toMatchObject({ outcome: "accepted", state: "filled" });
    expect((await second.call("get_desk_status")).isError).toBe(false);

    const startedAt = performance.now();
    const replies = (await Promise.all([placeMany(first, 0, EACH), placeMany(second, EACH, EACH)])).flat();
    const seconds = (performance.now() - startedAt) / 1000;
    process.stderr.write(`two desks: ${replies.length} orders in ${seconds.toFixed(1)} s\n`);
    expect(refused(replies)).toEqual([]);
    // 30 calls a second is the limit of the exchange.
    expect(seconds).toBeGreaterThan((2 * EACH) / 30 - 1);

    const asked = ["coins", ...replies.map(({ order }) => order?.userref ?? "none")];
    const orders = await venueOrders(home);
    expectEachOnce(orders, asked);
    expect(new Set(replies.map(({ order }) => order?.orderId)).size).toBe(2 * EACH);
    const ids = new Map(orders.map(({ userref, orderId }) => [userref, orderId]));
    for (const { order } of replies) expect(order?.orderId).toBe(ids.get(order?.userref ?? null));
    expect(orders.filter(({ state }) => state === "open")).toHaveLength((2 * EACH * 8) / 10);
    expect((await venueFills(home)).length).toBeGreaterThanOrEqual((2 * EACH * 2) / 10);

    // What the exchange wrote down: every order once, right behind its own nonce, and every nonce larger than the one before.
    const journal = journalOf(home);
    const places = journal.filter(({ command }) => command.type === "place" && command.accountId === "paper");
    expectEachOnce(
      places.map(({ command }) => command),
      asked,
    );
    const bySeq = new Map(journal.map((record) => [record.seq, record.command]));
    expect(places.filter(({ seq }) => bySeq.get(seq - 1)?.type !== "nonce")).toEqual([]);
    const nonces = journal.flatMap(({ command }) => command.nonce ?? []);
    expect(nonces.length).toBeGreaterThan(2 * EACH);
    expect(firstReversal(nonces)).toBeUndefined();

    const [balances, seenBySecond] = await Promise.all([first.call("get_balances"), second.call("get_balances")]);
    await expectBalanced(home, balances.balances);
    await expectBalanced(home, seenBySecond.balances);
    await Promise.all([first.close(), second.close()]);
  }, 90_000);

  it("number their requests in one sequence, as they arrive", async () => {
    const EACH = 40;
    const home = wideHome();
    const { line } = await startSandbox({ home: freshHome() }, []);
    const relay = await startRelay(line.base_url);
    const place = { home, env: quartet(relay.url, line.api_key, line.api_secret) };
    const [first, second] = await Promise.all([connect(place), connect(place)]);
    const coins = { symbol: "BTC/KRW", side: "buy", type: "market", base_volume: "0.005", userref: "coins" };
    await first.call("place_order", coins);
    const replies = (await Promise.all([placeMany(first, 0, EACH), placeMany(second, EACH, EACH)])).flat();
    expect(refused(replies)).toEqual([]);
    const posts = relay.arrivals.filter(({ method }) => method === "POST");
    expect(posts).toHaveLength(2 * EACH + 1);
    // Refused ones would be among these, in the order in which they came.
    expect(firstReversal(relay.arrivals.flatMap(({ nonce }) => nonce ?? []))).toBeUndefined();
    await Promise.all([first.close(), second.close()]);
    await relay.close();
  }, 60_000);
});
