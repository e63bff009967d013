/**
 * The evaluation with a model, whose service is a stand-in that speaks the two usual APIs over HTTP; the runner, hoga and the exchange are
 * the real ones.
 */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { evaluate } from "../../../evals/evaluation.ts";
import { modelFrom } from "../../../evals/model.ts";
import { type Played, play } from "../../../evals/play.ts";
import { type Request, readRequests } from "../../../evals/request.ts";
import type { Reach } from "../../../evals/stage.ts";
import { cleanUp } from "../../fixture/command-line.ts";
import { drawn } from "../../fixture/drawn.ts";
import { modernStdio } from "../../fixture/stdio-transport.ts";
import { KEY, type Said, type StandIn, standIn, type Turns, turnsOf } from "./stand-in.ts";

const requests = readRequests(join(import.meta.dirname, "..", "..", "..", "evals", "requests.yaml"));
const [PLAYED, SOME] = [60, 3];
const APIS = ["openai", "anthropic"] as const;
type Api = (typeof APIS)[number];

const say = (text: string): Said => ({ text, calls: [] });
const call = (name: string, args: object | string): Said => ({ text: "", calls: [{ name, args }] });

/** Models that do otherwise than the file has it, by name. */
const OTHERS: Readonly<Record<string, Turns>> = {
  idle: () => say("I leave it at that."),
  endless: () => call("get_ticker", { symbol: "BTC/KRW" }),
  clumsy: ({ answers }) =>
    [call("get_tickre", {}), call("get_ticker", '{"symbol":'), call("get_ticker", { symbol: "BTC/KRW" })][
      answers.length
    ] ?? say(answers.join("\n")),
  indiscreet: () => say(`My key is ${KEY}.`),
};

let service: StandIn;
beforeAll(async () => {
  const ofFile = requests.map((request) => [request.id, turnsOf(request)] as const);
  service = await standIn(new Map([...ofFile, ...Object.entries(OTHERS)]));
});
afterAll(async () => {
  service.close();
  await cleanUp();
});

/** In this process, as a program for each would be most of the work. */
const reach: Reach = (env) => modernStdio({ env });

function settings(api: Api, model: string): Record<string, string> {
  return { EVALS_MODEL: "m-1", EVALS_API: api, EVALS_BASE_URL: service.url(model), EVALS_API_KEY: KEY };
}

function requestNamed(id: string): Request {
  return requests.find((request) => request.id === id) ?? expect.fail(`no request ${id}`);
}

function playedBy(api: Api, request: Request, model = request.id): Promise<Played> {
  return play(request, modelFrom(settings(api, model)) ?? expect.fail("no model"), reach);
}

describe.concurrent("a model that does well", () => {
  const cases = drawn(requests, PLAYED).map((request, at) => ({ request, api: APIS[at % 2] ?? "openai" }));

  it.each(cases)("$request.id, over $api: $request.says", async ({ request, api }) => {
    const { wrong, calls, tokens } = await playedBy(api, request);
    expect(wrong).toEqual([]);
    expect(calls.map(({ name }) => name)).toEqual(request.calls.map((made) => made.call));
    expect(tokens.read).toBeGreaterThan(tokens.written);
    expect(tokens.written).toBeGreaterThan(0);
  });
});

describe("what a model is sent", () => {
  const buy = requestNamed("buy-for-amount-en");

  it("is, over chat completions, the key, hoga's instructions, its tools, and what the person says", async () => {
    await playedBy("openai", buy);
    const first = service.asked.filter(({ path }) => path === `/${buy.id}/v1/chat/completions`)[0];
    expect(first?.headers).toMatchObject({ authorization: `Bearer ${KEY}` });
    expect(first?.body).toEqual({
      model: "m-1",
      messages: [
        { role: "system", content: expect.stringContaining("draft_id") },
        { role: "user", content: buy.says },
      ],
      tools: expect.arrayContaining([
        { type: "function", function: expect.objectContaining({ name: "place_order", parameters: expect.anything() }) },
      ]),
    });
  });

  it("is the same over messages", async () => {
    await playedBy("anthropic", buy);
    const first = service.asked.filter(({ path }) => path === `/${buy.id}/v1/messages`)[0];
    expect(first?.headers).toMatchObject({ "x-api-key": KEY, "anthropic-version": "2023-06-01" });
    expect(first?.body).toMatchObject({
      model: "m-1",
      system: expect.stringContaining("draft_id"),
      messages: [{ role: "user", content: buy.says }],
      tools: expect.arrayContaining([
        expect.objectContaining({ name: "place_order", input_schema: expect.anything() }),
      ]),
    });
  });
});

describe.each(APIS)("a model over %s", (api) => {
  it("fails a request where it does nothing, and where it does something else", async () => {
    const buy = requestNamed("buy-for-amount-en");
    expect((await playedBy(api, buy, "idle")).wrong).toEqual([expect.stringMatching(/^orders are \[\], not /)]);
    expect((await playedBy(api, requestNamed("far-price-ko"), buy.id)).wrong).toEqual([
      ...[expect.stringMatching(/^no answer says "price_collar_pct"/), expect.stringMatching(/^the answers: /)],
      expect.stringMatching(/^orders are \[\{"symbol":"ETH/),
    ]);
  });

  it("fails a request where it never ends", async () => {
    const { wrong, calls } = await playedBy(api, requestNamed("price-ko"), "endless");
    expect(wrong).toEqual(["after 16 rounds the model still calls tools"]);
    expect(calls).toHaveLength(16);
  });

  it("is told of a tool that there is not and of arguments that are none, and may go on", async () => {
    const { wrong, calls } = await playedBy(api, requestNamed("price-ko"), "clumsy");
    expect(wrong).toEqual([]);
    expect(calls.at(-1)).toMatchObject({ name: "get_ticker", answer: { isError: false } });
  });
});

describe("the evaluation", () => {
  async function evaluated(
    args: readonly string[],
    env: Record<string, string>,
  ): Promise<{ code: number; text: string }> {
    let text = "";
    const write = (more: string): void => {
      text += more;
    };
    const code = await evaluate({ args, env, write, reach });
    return { code, text };
  }

  it("tells request by request and in sums what passed, with calls and tokens, and ends with 1 where one failed", async () => {
    const only = ["price-other-spelling-en", "price-by-name-ko", "cancel-one-ko"].flatMap((id) => ["--only", id]);
    const { code, text } = await evaluated([...only, "--json"], settings("openai", "price-other-spelling-en"));
    const lines = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(code).toBe(1);
    expect(
      lines
        .slice(0, -1)
        .map(({ id, ok }) => ({ id, ok }))
        .sort((a, b) => `${a.id}`.localeCompare(`${b.id}`)),
    ).toEqual([
      { id: "cancel-one-ko", ok: false },
      { id: "price-by-name-ko", ok: false },
      { id: "price-other-spelling-en", ok: true },
    ]);
    const read = lines.slice(0, -1).reduce((sum, { tokens }) => sum + (tokens as { read: number }).read, 0);
    expect(lines.at(-1)).toEqual({
      totals: { requests: SOME, passed: 1, failed: 2, calls: 3, tokens: { read, written: expect.any(Number) } },
    });
    expect(read).toBeGreaterThan(1_000);
  });

  it.each([
    ["that a model repeats", "indiscreet", KEY, "[the key]"],
    ["that its service repeats in a refusal", "idle", `${KEY}-old`, "the model's service answered 401"],
  ])("prints no key %s", async (_, model, key, instead) => {
    for (const json of [["--json"], []]) {
      const env = { ...settings("anthropic", model), EVALS_API_KEY: key };
      const { code, text } = await evaluated(["--only", "minimum-ko", ...json], env);
      expect(code).toBe(1);
      expect(text).toContain(instead);
      expect(text).not.toContain(key);
    }
  });

  it("says what is wrong with its options and variables, and plays nothing", async () => {
    await expect(evaluated(["--only", "none-of-them"], {})).rejects.toThrow("--only: no request has that in its id");
    await expect(evaluated(["--parallel", "many"], {})).rejects.toThrow("--parallel: a whole number");
    await expect(evaluated([], { EVALS_MODEL: "m", EVALS_API: "other" })).rejects.toThrow("EVALS_API: openai or");
    expect((await evaluated(["--help"], {})).text).toContain("EVALS_BASE_URL");
  });
});
