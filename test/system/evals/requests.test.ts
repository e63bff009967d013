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

describe.concurrent("what people ask for, as a good assistant does it", () => {
  it.each(requests)("$id: $says", async (request) => {
    const { wrong } = await played(request);
    expect(wrong).toEqual([]);
  });
});

describe("the requests", () => {
  it("are at least eighty, about half of them in Korean", () => {
    const korean = requests.filter(({ says }) => /\p{Script=Hangul}/u.test(says)).length;
    expect(requests.length).toBeGreaterThanOrEqual(80);
    expect(korean / requests.length).toBeGreaterThan(0.4);
    expect(korean / requests.length).toBeLessThan(0.6);
  });

  it("need every tool", () => {
    const called = new Set(requests.flatMap(({ calls }) => calls.map(({ call }) => call)));
    expect(TOOLS.map(({ name }) => name).filter((name) => !called.has(name))).toEqual([]);
  });
});

describe("a request", () => {
  const [first] = requests;
  if (first === undefined) throw new Error("no requests");
  const facts = { ...first.facts, orders: [{ symbol: "BTC/KRW" }] };

  it("goes wrong where the exchange does not show what it should", async () => {
    const { wrong } = await played({ ...first, facts });
    expect(wrong).toEqual([`orders are [], not ${JSON.stringify(facts.orders)}`]);
  });

  it("goes wrong where an answer does not say what it should, or says what it should not", async () => {
    const { wrong } = await played({ ...first, facts: { ...first.facts, text: ["dear"], absent: ["BTC"] } });
    expect(wrong.slice(0, 2)).toEqual(['no answer says "dear"', 'an answer says "BTC"']);
  });

  it("goes wrong at a call that fails and should not, and the other way round", async () => {
    const call = { call: "get_ticker", with: { symbol: "BTC/KRW" }, fails: true };
    const { wrong } = await played({ ...first, calls: [call] });
    expect(wrong[0]).toMatch(/^get_ticker did not fail/);
  });
});
