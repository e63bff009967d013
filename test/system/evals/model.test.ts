import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { modelFrom } from "../../../evals/model.ts";
import { play } from "../../../evals/play.ts";
import { readRequests } from "../../../evals/request.ts";
import { textOf } from "../../fixture/order-sample.ts";

const requests = readRequests(join(import.meta.dirname, "..", "..", "..", "evals", "requests.yaml"));
const buy = requests.find(({ id }) => id === "buy-for-amount-en");
if (buy === undefined) throw new Error("no such request");

interface Asked {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Record<string, unknown>;
}

const closing: (() => void)[] = [];

afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** The service of a model that answers what the test wants, in turn. */
async function serve(answers: readonly ((asked: Asked) => object)[]): Promise<{ url: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  const answerRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = JSON.parse(await textOf(request)) as Record<string, unknown>;
    const one = { path: request.url ?? "", headers: request.headers, body };
    asked.push(one);
    const answer = answers[asked.length - 1];
    response.writeHead(answer === undefined ? 500 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(answer?.(one) ?? {}));
  };
  const server = createServer((request, response) => {
    answerRequest(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked };
}

const ORDER = { symbol: "ETH/KRW", side: "buy", type: "market", quote_amount: "100000" };

describe("a model", () => {
  it("is driven over chat completions", async () => {
    const tool = (id: string, name: string, args: object) => ({
      choices: [
        {
          message: {
            content: null,
            tool_calls: [{ id, type: "function", function: { name, arguments: JSON.stringify(args) } }],
          },
        },
      ],
    });
    const say = (content: string) => ({ choices: [{ message: { content } }] });
    const draftIn = ({ body }: Asked): string =>
      /draft_id ([0-9a-f-]{36})/.exec(JSON.stringify(body["messages"]))?.[1] ?? "";
    const { url, asked } = await serve([
      () => tool("1", "preview_order", ORDER),
      () => say("About 0.019 ETH. Shall I?"),
      (request) => tool("2", "place_order", { draft_id: draftIn(request) }),
      () => say("Done, on paper."),
    ]);
    const env = { EVALS_MODEL: "m", EVALS_BASE_URL: url, EVALS_API_KEY: "k" };
    const { wrong, calls } = await play(buy, modelFrom(env) ?? expect.fail("no model"));
    expect(wrong).toEqual([]);
    expect(calls.map(({ name }) => name)).toEqual(["preview_order", "place_order"]);
    expect(asked[0]).toMatchObject({ path: "/v1/chat/completions", headers: { authorization: "Bearer k" } });
    const { model, messages, tools } = (asked[0]?.body ?? {}) as {
      model?: string;
      messages?: unknown[];
      tools?: unknown[];
    };
    expect(model).toBe("m");
    expect(messages).toEqual([
      { role: "system", content: expect.stringContaining("draft_id") },
      { role: "user", content: buy.says },
    ]);
    expect(tools).toContainEqual(
      expect.objectContaining({ type: "function", function: expect.objectContaining({ name: "place_order" }) }),
    );
  });

  it("is driven over messages, and fails where it does not do what was asked", async () => {
    const { url, asked } = await serve([
      () => ({ content: [{ type: "tool_use", id: "t", name: "preview_order", input: ORDER }] }),
      () => ({ content: [{ type: "text", text: "It would work." }] }),
      () => ({ content: [{ type: "text", text: "I leave it at that." }] }),
    ]);
    const env = { EVALS_MODEL: "m", EVALS_API: "anthropic", EVALS_BASE_URL: url, EVALS_API_KEY: "k" };
    const { wrong } = await play(buy, modelFrom(env) ?? expect.fail("no model"));
    expect(wrong).toEqual([expect.stringMatching(/^orders are \[\], not /)]);
    expect(asked[0]).toMatchObject({ path: "/v1/messages", headers: { "x-api-key": "k" } });
    expect(asked[1]?.body["messages"]).toMatchObject([
      { role: "user", content: buy.says },
      { role: "assistant" },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t", is_error: false }] },
    ]);
  });

  it("is not there unless it is named, and its service's errors show no key", async () => {
    expect(modelFrom({})).toBeUndefined();
    expect(() => modelFrom({ EVALS_MODEL: "m", EVALS_API: "other" })).toThrow("EVALS_API");
    const { url } = await serve([]);
    const actor = modelFrom({ EVALS_MODEL: "m", EVALS_BASE_URL: url, EVALS_API_KEY: "k" }) ?? expect.fail("no model");
    await expect(play(buy, actor)).rejects.toThrow("the model's service answered 500");
  });
});
