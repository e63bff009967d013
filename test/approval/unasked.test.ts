import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { cleanUp } from "../cli/program.ts";
import { venueOrders } from "../process/witness.ts";
import type { ToolResult } from "../story/story-client.ts";
import { type Asker, KINDS, type Person, YES } from "./clients.ts";
import { confirmHome, LIMIT, setPolicy, waitingIn } from "./home.ts";

const askers: Asker[] = [];
afterAll(async () => {
  await Promise.all(askers.map((asker) => asker.close()));
  await cleanUp();
});

/** What the model sees where nobody is asked: how a person approves, as a result like any other. */
const TOLD = {
  isError: false,
  text: expect.stringMatching(
    /^\[sandbox\] WAITING FOR A PERSON: nothing was sent yet\.[\s\S]*\nNext: .*hoga approve [0-9a-f-]{36}/,
  ),
  structured: {
    outcome: "not_sent",
    state: "awaiting_approval",
    approval: { order: { symbol: "BTC/KRW", side: "buy", price: "90000000" } },
    next_action: expect.stringMatching(/hoga approve [0-9a-f-]{36}.*asks for the PIN/),
  },
};

describe.each(KINDS)("$name", ({ open }) => {
  let home: string;
  let asked = 0;
  beforeAll(async () => {
    home = await confirmHome();
  });
  afterEach(async () => {
    expect(asked).toBe(0);
    expect(await venueOrders(home)).toEqual([]);
  });

  async function placed(person: Omit<Person, "answer">, order: object): Promise<ToolResult> {
    const answer = (): typeof YES => {
      asked += 1;
      return YES;
    };
    const asker = await open(home, { ...person, answer });
    askers.push(asker);
    return asker.call("place_order", { ...LIMIT, ...order });
  }

  it("without the capability is told how a person approves", async () => {
    expect(await placed({}, { base_volume: "0.001", userref: "none" })).toMatchObject(TOLD);
  });

  it("that shows addresses only is told how a person approves", async () => {
    expect(await placed({ elicitation: { url: {} } }, { base_volume: "0.002", userref: "url" })).toMatchObject(TOLD);
  });

  it("is not asked where the policy takes the PIN alone", async () => {
    setPolicy(home, { approve_by: '["pin"]' });
    const forms = { elicitation: { form: {}, url: {} } };
    expect(await placed(forms, { base_volume: "0.003", userref: "pin" })).toMatchObject(TOLD);
    expect((await waitingIn(home)).map(({ userref }) => userref).sort()).toEqual(["none", "pin", "url"]);
  });
});
