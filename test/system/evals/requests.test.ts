import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type Played, play, scripted } from "../../../evals/play.ts";
import { type Request, readRequests } from "../../../evals/request.ts";
import { TOOLS } from "../../../src/mcp/index.ts";
import { cleanUp } from "../../fixture/command-line.ts";
import { modernStdio } from "../../fixture/stdio-transport.ts";

const requests = readRequests(join(import.meta.dirname, "..", "..", "..", "evals", "requests.yaml"));

afterAll(cleanUp);

/** In this process: starting a program for each would be most of the work, and what is asked for does not depend on it. */
const played = (request: Request): Promise<Played> => play(request, scripted, (env) => modernStdio({ env }));

/** What waits in turn with what computes, so that the processor is never idle. */
function inTurn(): readonly Request[] {
  const isLong = ({ after }: Request) => after.length > 0;
  const groups = [requests.filter(isLong), requests.filter((request) => !isLong(request))];
  const placed = groups.flatMap((group) => group.map((request, at) => ({ request, part: (at + 0.5) / group.length })));
  return placed.sort((one, other) => one.part - other.part).map(({ request }) => request);
}

describe.concurrent("what people ask for, as a good assistant does it", () => {
  it.each(inTurn())("$id: $says", async (request) => {
    const { wrong } = await played(request);
    expect(wrong).toEqual([]);
  });
});

describe.concurrent("a request", () => {
  const [first] = requests;
  if (first === undefined) throw new Error("no requests");
  const named = (id: string): Request => requests.find((each) => each.id === id) ?? expect.fail(`no request ${id}`);
  const facts = { ...first.facts, orders: [{ symbol: "BTC/KRW" }] };

  it("goes wrong where the exchange does not show what it should", async () => {
    const { wrong } = await played({ ...first, facts });
    expect(wrong).toEqual([`orders are [], not ${JSON.stringify(facts.orders)}`]);
  });

  it("goes wrong where an answer does not say what it should, or says what it should not", async () => {
    const { wrong } = await played({ ...first, facts: { ...first.facts, text: ["dear"], absent: ["BTC"] } });
    expect(wrong.slice(0, 2)).toEqual(['no answer says "dear"', 'an answer says "BTC"']);
  });

  it("goes wrong where there is a plan that should not be there, and where one is missing", async () => {
    const plans = [{ kind: "stop" }];
    expect((await played({ ...first, facts: { ...first.facts, plans } })).wrong).toEqual([
      `plans are [], not ${JSON.stringify(plans)}`,
    ]);
    const alert = { ...named("alert-en"), facts: { ...first.facts, text: [] } };
    expect((await played(alert)).wrong).toEqual([
      expect.stringMatching(/^plans are \[\{.*"kind":"alert".*\], not \[\]$/),
    ]);
  });

  it("goes wrong where a stop sells that should not have, or does not sell that should have", async () => {
    const [refused, approved] = [named("stop-refused-en"), named("stop-ko")];
    const calls = refused.calls.map((call) => ({ ...call, fails: false }));
    const [sold, kept] = await Promise.all([
      played({ ...refused, calls, person: "yes" }),
      played({ ...approved, calls: approved.calls.slice(0, 2) }),
    ]);
    expect(sold.wrong).toEqual([
      expect.stringMatching(/^orders are \[\{"symbol":"BTC\/KRW","side":"sell".*"state":"filled".*\], not \[\]$/),
      expect.stringMatching(/^BTC is \{"total":"0"/),
      expect.stringMatching(/^plans are .*"state":"done".*, not .*denied/),
    ]);
    expect(kept.wrong).toEqual([
      expect.stringMatching(/^orders are \[\], not /),
      expect.stringMatching(/^BTC is \{"total":"0.02"/),
      expect.stringMatching(/^plans are \[\], not /),
    ]);
  });

  it("goes wrong at a call that fails and should not, and the other way round", async () => {
    const call = { call: "get_ticker", with: { symbol: "BTC/KRW" }, fails: true };
    const { wrong } = await played({ ...first, calls: [call] });
    expect(wrong[0]).toMatch(/^get_ticker did not fail/);
  });
});

describe("the requests", () => {
  it("are at least eighty, about half of them in Korean", () => {
    const korean = requests.filter(({ says }) => /\p{Script=Hangul}/u.test(says)).length;
    expect(requests.length).toBeGreaterThanOrEqual(80);
    expect(korean / requests.length).toBeGreaterThan(0.4);
    expect(korean / requests.length).toBeLessThan(0.6);
  });

  it("are of plans in at least twelve cases of each language, and mostly of what came of them", () => {
    const ofPlans = requests.filter(
      ({ calls, facts }) => facts.plans.length > 0 || calls.some(({ call }) => call === "create_plan"),
    );
    const korean = ofPlans.filter(({ says }) => /\p{Script=Hangul}/u.test(says)).length;
    expect(korean).toBeGreaterThanOrEqual(12);
    expect(ofPlans.length - korean).toBeGreaterThanOrEqual(12);
    expect(ofPlans.filter(({ after }) => after.length > 0).length).toBeGreaterThan(ofPlans.length / 2);
  });

  it("need every tool", () => {
    const called = new Set(requests.flatMap(({ calls }) => calls.map(({ call }) => call)));
    expect(TOOLS.map(({ name }) => name).filter((name) => !called.has(name))).toEqual([]);
  });
});
