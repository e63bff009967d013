import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { cleanUp } from "../fixture/command-line.ts";
import { venueOrders } from "../fixture/witness.ts";
import type { ToolResult } from "../story/story-client.ts";
import { type Asker, kinds, type Person, type Question, YES } from "./clients.ts";
import { confirmHome, LIMIT, setPolicy, waitingIn } from "./home.ts";

const askers: Asker[] = [];
// Many commands one after the other, as real programs too, on a machine that may be busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
afterAll(async () => {
  await Promise.all(askers.map((asker) => asker.close()));
  await cleanUp();
});

/** What the model sees where nobody is asked: how a person approves, as a result like any other. */
const TOLD = {
  isError: false,
  text: expect.stringMatching(
    /^\[sandbox\] WAITING FOR A PERSON: nothing was sent yet\.[\s\S]*\nNext: .* approve [0-9a-f-]{36} --profile paper`/,
  ),
  structured: {
    outcome: "not_sent",
    state: "awaiting_approval",
    approval: { order: { symbol: "BTC/KRW", side: "buy", price: "90000000" } },
    next_action: expect.stringMatching(/no PIN is set yet.* approve [0-9a-f-]{36} --profile paper` asks for it/),
  },
};

/** Over HTTP there is a console. */
const SENT = /^http:\/\/localhost:\d+\/#\/approvals\/([0-9a-f-]{36})$/;

let home: string;
let orders = 0;
beforeAll(async () => {
  home = await confirmHome();
});

describe.each(kinds())("$name", ({ name, open }) => {
  const hasConsole = !name.endsWith("stdio");
  let asked = 0;
  let pages: string[] = [];
  afterEach(async () => {
    expect(asked).toBe(0);
    expect(await venueOrders(home)).toEqual([]);
  });

  /** An order of a size of its own, so that none is like one that waits. */
  async function placed(person: Omit<Person, "answer">): Promise<ToolResult> {
    orders += 1;
    pages = [];
    // A yes to being sent somewhere is none to the order, whatever the client adds.
    const answer = (question: Question): typeof YES => {
      if ("url" in question) pages.push(String(question.url));
      else asked += 1;
      return YES;
    };
    const asker = await open(home, { ...person, answer });
    askers.push(asker);
    return asker.call("place_order", { ...LIMIT, base_volume: `0.${String(orders).padStart(3, "0")}` });
  }

  it("when it cannot ask, learns how a person approves", async () => {
    expect(await placed({})).toMatchObject(TOLD);
  });

  /** To the page of just this order, where there is one. */
  function expectSent({ structured }: ToolResult): void {
    const { intent_id } = structured as { readonly intent_id: string };
    expect(pages.map((page) => SENT.exec(page)?.[1])).toEqual(hasConsole ? [intent_id] : []);
  }

  it("when it shows addresses only, is sent to the console and learns how a person approves", async () => {
    const told = await placed({ elicitation: { url: {} } });
    expect(told).toMatchObject(TOLD);
    expectSent(told);
  });

  it("is not asked where the policy takes the PIN alone", async () => {
    setPolicy(home, { approve_by: '["pin"]' });
    const told = await placed({ elicitation: { form: {}, url: {} } });
    setPolicy(home, {});
    expect(told).toMatchObject(TOLD);
    expectSent(told);
  });
});

it("each of these orders waits in the list", async () => {
  expect(await waitingIn(home)).toHaveLength(orders);
});
