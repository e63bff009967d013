import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cleanUp } from "../cli/program.ts";
import { venueOrders } from "../process/witness.ts";
import { type Asker, KINDS, type Person, YES } from "./clients.ts";
import { confirmHome, LIMIT, setPolicy, waitingIn } from "./home.ts";

const askers: Asker[] = [];
afterAll(async () => {
  await Promise.all(askers.map((asker) => asker.close()));
  await cleanUp();
});

describe.each(KINDS)("$name", ({ open }) => {
  let home: string;
  let asked = 0;
  beforeAll(async () => {
    home = await confirmHome();
  });

  /** What the model sees where nobody is asked: how a person approves, as a result like any other. */
  async function placesNothing(person: Omit<Person, "answer">, userref: string, base_volume: string): Promise<void> {
    const answer = (): typeof YES => {
      asked += 1;
      return YES;
    };
    const asker = await open(home, { ...person, answer });
    askers.push(asker);
    const result = await asker.call("place_order", { ...LIMIT, base_volume, userref });
    const { intent_id, approval, next_action } = result.structured;
    expect(result).toMatchObject({
      isError: false,
      structured: { outcome: "not_sent", state: "awaiting_approval", userref },
    });
    expect(approval).toMatchObject({ intent_id, order: { symbol: "BTC/KRW", price: "90000000", volume: base_volume } });
    expect(next_action).toContain(`hoga approve ${String(intent_id)}`);
    expect(result.text).toMatch(/^\[sandbox\] WAITING FOR A PERSON: nothing was sent yet\./);
    expect(result.text).toContain(String(next_action));
    expect(asked).toBe(0);
    expect(await venueOrders(home)).toEqual([]);
  }

  it("without the capability is told how a person approves", () => placesNothing({}, "none", "0.001"));

  it("that shows addresses only is told how a person approves", () =>
    placesNothing({ elicitation: { url: {} } }, "url", "0.002"));

  it("is not asked where the policy takes the PIN alone", async () => {
    setPolicy(home, { approve_by: '["pin"]' });
    await placesNothing({ elicitation: { form: {}, url: {} } }, "pin", "0.003");
    expect((await waitingIn(home)).map(({ userref }) => userref).sort()).toEqual(["none", "pin", "url"]);
  });
});
