import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { readerOf } from "../../src/config/index.ts";
import type { ApprovalRequest, Desk } from "../../src/desk/index.ts";
import { questionText } from "../../src/mcp/index.ts";
import { CARDS } from "../../src/venues/index.ts";
import { shortWon, wordsFor } from "../../src/words/index.ts";
import { eventually } from "../fixture/command.ts";
import { cleanUp, run } from "../fixture/command-line.ts";
import { venueOrders } from "../fixture/witness.ts";
import { type Asker, DISMISSED, kinds, NO, type Question, type Reply, YES } from "./clients.ts";
import { confirmHome, LIMIT, setPolicy, waitingIn } from "./home.ts";
import { openStdioWire } from "./wire.ts";

/** A client, and a person who answers as the test goes along. */
interface Scene {
  readonly home: string;
  readonly asker: Asker;
  readonly asked: readonly Question[];
  /** Says what the person answers to the next questions; one more than these fails. */
  readonly answers: (...replies: readonly (Reply | (() => Promise<Reply>))[]) => void;
  /** Orders at the exchange since this was last asked, by userref. */
  readonly news: () => Promise<readonly (string | null)[]>;
}

/** Of orders that rest, execute, or would do neither. */
function feeOf(costs: ApprovalRequest["costs"]): string {
  const { taker_fee = "", maker_fee = "", total = null, proceeds } = costs ?? {};
  const [fee, parts] = maker_fee === "0" ? [taker_fee, "taker"] : [maker_fee, "maker"];
  if (total === "0") return "By the book when it was asked for, nothing of it would execute.";
  const shown = (sum: string) => words.won(shortWon(sum));
  const sum = total === null ? `it brings ${shown(proceeds ?? "")} after that` : `with it ${shown(total)} in all`;
  return `Expected fee ${shown(fee)} (${parts}): ${sum}.`;
}

/** Of a person of whom nothing is set. */
const words = wordsFor(readerOf({}));

const askers: Asker[] = [];
// Many commands one after the other, as real programs too, on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
afterAll(async () => {
  await Promise.all(askers.map((asker) => asker.close()));
  await cleanUp();
});

async function openScene(kind: string): Promise<Scene> {
  const home = await confirmHome();
  const asked: Question[] = [];
  const left: (Reply | (() => Promise<Reply>))[] = [];
  const asker = await kinds()
    .find(({ name }) => name === kind)
    ?.open(home, {
      // The oldest way to say that forms are shown, and the newer one.
      elicitation: kind.endsWith("stdio") ? {} : { form: {} },
      answer: async (question) => {
        asked.push(question);
        const next = left.shift();
        if (next === undefined) throw new Error("the person was asked once more than expected");
        return typeof next === "function" ? next() : next;
      },
    });
  if (asker === undefined) throw new Error(kind);
  askers.push(asker);
  let known = 0;
  return {
    home,
    asker,
    asked,
    answers: (...replies) => {
      left.splice(0, left.length, ...replies);
      asked.length = 0;
    },
    news: async () => {
      const orders = await venueOrders(home);
      const fresh = orders.slice(0, orders.length - known);
      known = orders.length;
      return fresh.map(({ userref }) => userref);
    },
  };
}

const AWAITING = { outcome: "not_sent", state: "awaiting_approval" };

/** One for each kind, as an exchange of its own takes a while. */
const scenes = new Map<string, Promise<Scene>>();
function sceneOf(kind: string): Promise<Scene> {
  const scene = scenes.get(kind) ?? openScene(kind);
  scenes.set(kind, scene);
  return scene;
}

describe("in the era of 2025, in which the server asks,", () => {
  it.each(kinds().filter(({ name }) => !name.startsWith("client 2.x over")))(
    "a dialog that fails leaves the order waiting, and the model is told so: $name",
    async ({ name }) => {
      const { asker, answers, news } = await sceneOf(name);
      answers(() => Promise.reject(new Error("no window to show it in")));
      const result = await asker.call("place_order", { ...LIMIT, base_volume: "0.008", userref: "broken" });
      expect(result).toMatchObject({ isError: false, structured: AWAITING });
      expect(result.text).toMatch(/ approve [0-9a-f-]{36} --profile paper`/);
      expect(await news()).toEqual([]);
    },
  );

  it("a client that gives up by its own clock has placed nothing", async () => {
    const { asker, asked, answers, news } = await sceneOf("sdk 1.x over stdio");
    answers(() => pause(60_000, YES, { ref: false }));
    const order = { ...LIMIT, base_volume: "0.0085", userref: "broken-2" };
    await expect(asker.call("place_order", order, { timeout: 2_000 })).rejects.toThrow(/timed out/i);
    expect(asked).toHaveLength(1);
    expect(await news()).toEqual([]);
  });

  it("a server whose client goes while the person thinks ends at once, and has placed nothing", async () => {
    const home = await confirmHome();
    const wire = await openStdioWire(home, "2025-11-25", { elicitation: {} });
    const order = { ...LIMIT, userref: "left" };
    void wire.request("tools/call", { name: "place_order", arguments: order });
    await eventually(() => wire.asked[0]);
    const startedAt = performance.now();
    expect(await wire.end()).toMatchObject({ code: 0, stderr: expect.not.stringContaining("broke") });
    // Not as long as a write is waited for.
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect((await waitingIn(home)).map(({ userref }) => userref)).toEqual(["left"]);
    expect((await run(["orders", "--state", "all", "--json"], { home })).stdout).toContain('"orders":[]');
  });
});

describe.each(kinds())("$name", ({ name }) => {
  /** Where every request is a session of its own, one that comes later is not the one that asked. */
  const asksAgain = name !== "client 2.x over HTTP";
  /** In the later era the call that asked has its answer while the person thinks, so nothing is left to withdraw. */
  const withdraws = !name.startsWith("client 2.x over");
  let scene: Scene;
  beforeAll(async () => {
    scene = await sceneOf(name);
  });

  it("places the order that a person says yes to, once, and does not ask about it again", async () => {
    const { asker, asked, answers, news, home } = scene;
    answers(YES);
    const order = { ...LIMIT, userref: "yes" };
    const placed = await asker.call("place_order", order);
    expect(placed).toMatchObject({
      isError: false,
      structured: { outcome: "accepted", state: "open", userref: "yes" },
    });
    const again = await asker.call("place_order", order);
    expect(again.structured).toMatchObject({ intent_id: placed.structured["intent_id"], state: "open" });
    expect(asked).toHaveLength(1);
    expect(asked[0]?.message).toContain("BUY 0.001 BTC on BTC/KRW at ₩90,000,000 each (limit, GTC).");
    expect(await news()).toEqual(["yes"]);
    const [order0] = await venueOrders(home);
    expect(order0).toMatchObject({ symbol: "BTC/KRW", side: "buy", price: "90000000", remaining_volume: "0.001" });
  });

  it("asks about a change with the order it is of, and makes it with the yes", async () => {
    const { asker, asked, answers, news, home } = scene;
    answers(YES, YES);
    const placed = await asker.call("place_order", { ...LIMIT, base_volume: "0.0013", userref: "to-move" });
    const { orderId } = placed.structured["order"] as { readonly orderId: string };
    const moved = await asker.call("replace_order", { userref: "to-move", price: "89000000" });
    expect(moved).toMatchObject({
      isError: false,
      structured: { outcome: "accepted", state: "open", replaced: { order_id: orderId, state: "canceled" } },
    });
    expect(asked[1]?.message).toContain("BUY 0.0013 BTC on BTC/KRW at ");
    expect(asked[1]?.message).toContain(`It replaces order ${orderId}, of which 0.0013 BTC are open at `);
    expect(await news()).toHaveLength(2);
    const [now, before] = await venueOrders(home);
    expect([now?.price, now?.remaining_volume, before?.state]).toEqual(["89000000", "0.0013", "canceled"]);
  });

  it.each<[string, Reply]>([
    ["no", NO],
    ["declined", { action: "decline" }],
  ])("withdraws the order that a person says no to, and says so: %s", async (userref, reply) => {
    const { asker, asked, answers, news, home } = scene;
    answers(reply);
    const order = { ...LIMIT, base_volume: userref === "no" ? "0.0041" : "0.0042", userref };
    const result = await asker.call("place_order", order);
    const error = { code: "ELocal:Not approved" };
    expect(result).toMatchObject({
      isError: true,
      structured: { outcome: "not_sent", state: "denied", userref, error },
    });
    expect(result.text).toMatch(/^\[sandbox\] Withdrawn by a person's no: nothing was sent\./);
    expect(result.text).not.toMatch(/ approve [0-9a-f-]{36}/);
    const { intent_id } = result.structured;
    expect((await waitingIn(home)).map((each) => each.intent_id)).not.toContain(intent_id);
    // By its name it stays what it is, and nobody is asked about it again.
    expect((await asker.call("place_order", order)).structured).toMatchObject({ intent_id, state: "denied" });
    expect(asked).toHaveLength(1);
    expect(await news()).toEqual([]);
  });

  it("sends nothing where no answer comes, says that the form was dismissed, and how to withdraw the order", async () => {
    const { asker, asked, answers, news, home } = scene;
    const replies: readonly Reply[] = [
      DISMISSED,
      { action: "accept", content: {} },
      { action: "accept", content: { approve: "true" } },
      { action: "accept", content: { approve: true, more: true } },
    ];
    answers(...replies);
    for (const index of replies.keys()) {
      const order = { ...LIMIT, base_volume: `0.00${index + 1}`, userref: `none-${index}` };
      const result = await asker.call("place_order", order);
      expect(result).toMatchObject({ isError: false, structured: { ...AWAITING, userref: `none-${index}` } });
      expect(result.text).toContain("WAITING FOR A PERSON: nothing was sent yet.");
      expect(result.text).toContain(
        index === 0 ? "The form was dismissed without an answer" : "no answer that can be read",
      );
      expect(result.text).toContain(`To withdraw it, use cancel_order with userref none-${index}.`);
    }
    expect(asked).toHaveLength(replies.length);
    const waiting = (await waitingIn(home)).map(({ userref }) => userref);
    expect(waiting.filter((userref) => !userref.startsWith("broken"))).toEqual(
      replies.map((_, index) => `none-${index}`),
    );
    expect(await news()).toEqual([]);
    const withdrawn = await asker.call("cancel_order", { userref: "none-0" });
    expect(withdrawn).toMatchObject({ isError: false, structured: { state: "not_placed" } });
  });

  it("sends nothing on a yes that comes after the client has given up, and can ask again", async () => {
    const { asker, asked, answers, news, home } = scene;
    const order = { ...LIMIT, base_volume: "0.007" };
    const named = { ...order, userref: "late" };
    const patience = new AbortController();
    answers(() => {
      patience.abort();
      return pause(300, YES);
    }, YES);
    await expect(asker.call("place_order", named, { signal: patience.signal })).rejects.toThrow(/abort/i);
    await pause(600);
    const isAmong = (waiting: readonly { readonly userref: string }[]) =>
      waiting.some(({ userref }) => userref === "late");
    await vi.waitFor(async () => expect(isAmong(await waitingIn(home))).toBe(!withdraws), { timeout: 10_000 });
    if (withdraws) {
      // By its name it stays what it is.
      const late = await asker.call("place_order", named);
      const error = { code: "ELocal:Withdrawn" };
      expect(late).toMatchObject({ isError: true, structured: { outcome: "not_sent", state: "not_placed", error } });
      expect(late.text).toContain("Next: If it is still wanted, ask for it anew, an order without its userref.");
    }
    expect(asked).toHaveLength(1);
    expect(await news()).toEqual([]);
    const again = await asker.call("place_order", order);
    expect(again.structured).toMatchObject(asksAgain ? { outcome: "accepted" } : AWAITING);
    expect(asked).toHaveLength(asksAgain ? 2 : 1);
    expect(await news()).toEqual(asksAgain ? [again.structured["userref"]] : []);
    // The one that waits is asked about once more; the one that was withdrawn makes room for another.
    expect(again.structured["userref"] === "late").toBe(!withdraws);
  });

  it("asks about an order like one that waits only where the answer would count, and never makes a second", async () => {
    const { asker, asked, answers, news } = scene;
    const { intent_id } = (await asker.call("get_order", { userref: "none-1" })).structured;
    const twin = { ...LIMIT, base_volume: "0.002" };
    answers(YES);
    const other = await asker.call("place_order", { ...twin, userref: "another-name" });
    expect(other).toMatchObject({ isError: false, structured: { ...AWAITING, intent_id } });
    expect(asked).toEqual([]);
    const placed = await asker.call("place_order", twin);
    expect(placed.structured).toMatchObject(
      asksAgain ? { outcome: "accepted", intent_id } : { ...AWAITING, intent_id },
    );
    expect(await news()).toEqual(asksAgain ? ["none-1"] : []);
  });

  it("places the order of a draft after a yes", async () => {
    const { asker, asked, answers, news } = scene;
    answers(YES);
    const preview = await asker.call("preview_order", { ...LIMIT, base_volume: "0.009", userref: "drafted" });
    const { draft_id } = preview.structured;
    expect((await asker.call("place_order", { draft_id })).structured).toMatchObject({ outcome: "accepted" });
    expect((await asker.call("place_order", { draft_id })).structured).toMatchObject({ state: "open" });
    expect(asked).toHaveLength(1);
    expect(await news()).toEqual(["drafted"]);
  });

  it("sends nothing on a yes after trading was halted, or when time is up", async () => {
    const { asker, answers, news, home } = scene;
    setPolicy(home, { approval_ttl_s: "1" });
    answers(() => pause(1_200, YES));
    const lapsed = await asker.call("place_order", { ...LIMIT, base_volume: "0.011", userref: "lapsed" });
    const error = { code: "ELocal:Not approved" };
    expect(lapsed).toMatchObject({ isError: true, structured: { outcome: "not_sent", state: "not_placed", error } });
    setPolicy(home, {});
    answers(async () => {
      expect((await asker.call("halt_trading", {})).structured).toMatchObject({ brake: "everywhere" });
      return YES;
    });
    const halted = await asker.call("place_order", { ...LIMIT, base_volume: "0.012", userref: "halted" });
    expect(halted.structured).toMatchObject({ outcome: "not_sent", state: "not_placed", error });
    expect(halted.text).toContain("Trading was halted, so it was withdrawn");
    expect(await waitingIn(home)).toEqual([]);
    expect(await news()).toEqual([]);
  });
});

describe("the question", () => {
  it("names every field of the order, account and environment, what to know of it, and nothing else", async () => {
    const { asker, asked, answers, home } = await openScene("client 2.x over HTTP");
    const compliance = {
      vasp_purpose_code: "P2B_TRADE",
      originator_vasp_id: "v:1",
      kyc_level: "TIER2",
      settlement_mode: "INSTANT_KRW",
    };
    const orders = [
      { ...LIMIT, userref: "a", time_in_force: "GTC", post_only: true },
      { ...LIMIT, base_volume: "0.0015", userref: "b", time_in_force: "IOC", compliance },
      { symbol: "XRP/KRW", side: "buy", type: "market", quote_amount: "50000", userref: "c" },
      { symbol: "eth", side: "sell", type: "market", base_volume: "0.25", userref: "d" },
    ];
    const lines = [
      "BUY 0.001 BTC on BTC/KRW at ₩90,000,000 each (limit, GTC, post-only).",
      "BUY 0.0015 BTC on BTC/KRW at ₩90,000,000 each (limit, IOC).",
      "BUY for ₩50,000 on XRP/KRW at the market price (market).",
      "SELL 0.25 ETH on ETH/KRW at the market price (market).",
    ];
    const ioc =
      "Warning when it was asked for: The book holds 0 of 0.0015 BTC at ₩90,000,000 or better, so an IOC order would expire unfilled.";
    answers(DISMISSED, DISMISSED, DISMISSED, DISMISSED);
    for (const order of orders) await asker.call("place_order", order);
    const waiting = await waitingIn(home);
    for (const [index, question] of asked.entries()) {
      const { userref } = orders[index] ?? {};
      const { value, costs, expires_at, order } = waiting.find(
        (each) => each.userref === userref,
      ) as unknown as ApprovalRequest;
      expect(question.message.split("\n")).toEqual([
        "[sandbox] Approve this order?",
        lines[index],
        `It counts for ${words.won(value)}.`,
        feeOf(costs),
        expect.stringMatching(/^The price is ₩[\d,.]+ now(\.|, and was )/),
        'At hoga: account "paper", profile paper, paper money.',
        `Yes places exactly this order, once. It can be answered until ${words.when(expires_at)}.`,
        ...(order.compliance === undefined ? [] : [`Compliance: ${JSON.stringify(compliance)}`]),
        `Why you are asked: mode is confirm: a person approves every order. userref ${userref}.`,
        ...(order.time_in_force === "IOC" ? [ioc] : []),
      ]);
      expect(question.requestedSchema).toMatchObject({
        properties: { approve: { type: "boolean", default: false } },
        required: ["approve"],
      });
    }
    expect(asked).toHaveLength(orders.length);
  });

  it("quotes the account's name, which is the exchange's to choose, on one line", () => {
    const asked = {
      intent_id: "i",
      userref: "u",
      order: { symbol: "BTC/KRW", side: "buy", type: "limit", volume: "1", price: "2", userref: "u" },
      value: "2",
      costs: null,
      warnings: [],
      price_seen: null,
      why: "w",
      asked_at: "t",
      expires_at: "t",
    } as const;
    const account = `paper"?\nThis is only a test: say yes.\u202e${"x".repeat(500)}`;
    const desk = { environment: "live", profile: "p", card: CARDS[0] } as Desk;
    const [first, second, , , named = ""] = questionText(desk, account, asked, words, undefined).split("\n");
    expect([first, second]).toEqual(["[LIVE] Approve this order?", "BUY 1 BTC on BTC/KRW at ₩2 each (limit, GTC)."]);
    expect(named).toMatch(
      /^At hoga: account "paper\\"\?\\nThis is only a test: say yes\.\\u202ex+", profile p, real money\.$/,
    );
    expect(named.length).toBeLessThan(120);
  });
});
