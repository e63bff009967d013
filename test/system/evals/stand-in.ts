/**
 * Stands in for the service of a model, over HTTP, by either of the two usual APIs: it plays the turns that a model would have, those of
 * `requests.yaml`, and refuses a conversation that the real services refuse. It keeps nothing between two requests, as they do not:
 * everything is in what it is sent. Entry point: `standIn`.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";
import type { Request } from "../../../evals/request.ts";
import { textOf } from "../../fixture/order-sample.ts";

export const KEY = "sk-of-the-stand-in-0123456789";

/** What is in a conversation, whichever way it is written. */
interface Heard {
  /** Words of the person, in order. */
  readonly person: readonly string[];
  /** What each call was answered, in order. */
  readonly answers: readonly string[];
  /** Why the real service would refuse it. */
  readonly fault?: string;
}

export interface Wish {
  readonly name: string;
  /** A text is sent as it is: a model may write what is no JSON. */
  readonly args: object | string;
}

export interface Said {
  readonly text: string;
  readonly calls: readonly Wish[];
}

/** The next turn, of what was heard so far. */
export type Turns = (heard: Heard) => Said;

export interface Asked {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Readonly<Record<string, unknown>>;
}

export interface StandIn {
  /** Of the API, with `name` before it: which turns are played. */
  url(name: string): string;
  readonly asked: readonly Asked[];
  close(): void;
}

/** @param turns by name; a name of its own is the first part of the path */
export async function standIn(turns: ReadonlyMap<string, Turns>): Promise<StandIn> {
  const asked: Asked[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { url: path = "", headers } = request;
    const body = JSON.parse(await textOf(request)) as Asked["body"];
    asked.push({ path, headers, body });
    const reply = (status: number, content: object, more: Record<string, string> = {}): void => {
      response.writeHead(status, { "content-type": "application/json", ...more }).end(JSON.stringify(content));
    };
    // Busy at first, as a service can be at any time.
    if (asked.length === 1) return reply(429, { error: "busy" }, { "retry-after": "0.05" });
    const [, name = "", ...rest] = path.split("/");
    const api = { "v1/chat/completions": completions, "v1/messages": messages }[rest.join("/")];
    const played = turns.get(name);
    if (api === undefined || played === undefined) return reply(404, { error: path });
    const shown = headers.authorization ?? headers["x-api-key"];
    if (shown !== api.key) return reply(401, { error: `no such key: ${String(shown)}` });
    const heard = api.heard(body["messages"]);
    if (heard.fault !== undefined) return reply(400, { error: heard.fault });
    const said = played(heard);
    const size = JSON.stringify(said).length;
    reply(200, api.said(said, { read: JSON.stringify(body).length, written: size }, heard.answers.length));
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: (name) => `http://127.0.0.1:${port}/${name}/v1`, asked, close: () => server.close() };
}

interface Api {
  /** The header that lets a client in. */
  readonly key: string;
  heard(messages: unknown): Heard;
  said(said: Said, tokens: { readonly read: number; readonly written: number }, from: number): object;
}

const completionsMessage = z.discriminatedUnion("role", [
  z.strictObject({ role: z.literal("system"), content: z.string() }),
  z.strictObject({ role: z.literal("user"), content: z.string() }),
  z.looseObject({ role: z.literal("assistant"), tool_calls: z.array(z.looseObject({ id: z.string() })).optional() }),
  z.strictObject({ role: z.literal("tool"), tool_call_id: z.string(), content: z.string() }),
]);

const completions: Api = {
  key: `Bearer ${KEY}`,
  heard(given) {
    const list = z.array(completionsMessage).parse(given);
    let due: readonly string[] = [];
    for (const message of list) {
      const isNext = message.role === "tool" ? message.tool_call_id === due[0] : due.length === 0;
      if (!isNext) return { person: [], answers: [], fault: `"${message.role}" where ${due[0] ?? "no call"} is due` };
      if (message.role === "tool") due = due.slice(1);
      if (message.role === "assistant") due = (message.tool_calls ?? []).map(({ id }) => id);
    }
    return {
      person: list.flatMap((message) => (message.role === "user" ? [message.content] : [])),
      answers: list.flatMap((message) => (message.role === "tool" ? [message.content] : [])),
    };
  },
  said({ text, calls }, { read, written }, from) {
    const tool_calls = calls.map(({ name, args }, at) => ({
      id: `call_${from + at}`,
      type: "function",
      function: { name, arguments: typeof args === "string" ? args : JSON.stringify(args) },
    }));
    const message = { role: "assistant", content: text, ...(calls.length > 0 && { tool_calls }) };
    const choices = [{ index: 0, message, finish_reason: calls.length > 0 ? "tool_calls" : "stop" }];
    return { object: "chat.completion", choices, usage: { prompt_tokens: read, completion_tokens: written } };
  },
};

const result = z.strictObject({
  type: z.literal("tool_result"),
  tool_use_id: z.string(),
  content: z.string(),
  is_error: z.boolean(),
});
const messagesMessage = z.discriminatedUnion("role", [
  z.strictObject({ role: z.literal("user"), content: z.union([z.string(), z.array(result)]) }),
  z.strictObject({
    role: z.literal("assistant"),
    content: z.array(z.looseObject({ type: z.string(), id: z.string().optional() })).min(1),
  }),
]);

/** Of the calls that a message has, or answers. */
function idsIn(message: z.infer<typeof messagesMessage>): readonly string[] {
  if (message.role === "assistant") return message.content.flatMap(({ id }) => id ?? []);
  return typeof message.content === "string" ? [] : message.content.map((part) => part.tool_use_id);
}

const messages: Api = {
  key: KEY,
  heard(given) {
    const list = z.array(messagesMessage).parse(given);
    let due: readonly string[] = [];
    for (const [at, message] of list.entries()) {
      const ids = idsIn(message);
      const isTurn = message.role === (at % 2 === 0 ? "user" : "assistant");
      const isDue = message.role === "assistant" || ids.join() === due.join();
      if (!isTurn || !isDue)
        return { person: [], answers: [], fault: `"${message.role}" with ${ids.join()} where ${due.join()} is due` };
      due = message.role === "assistant" ? ids : [];
    }
    const ofUser = list.flatMap((message) => (message.role === "user" ? [message.content] : []));
    return {
      person: ofUser.flatMap((content) => (typeof content === "string" ? [content] : [])),
      answers: ofUser.flatMap((content) => (typeof content === "string" ? [] : content.map((each) => each.content))),
    };
  },
  said({ text, calls }, { read, written }, from) {
    const uses = calls.map(({ name, args }, at) => ({ type: "tool_use", id: `toolu_${from + at}`, name, input: args }));
    const content = [{ type: "text", text }, ...uses];
    const usage = { input_tokens: read, output_tokens: written };
    return {
      type: "message",
      role: "assistant",
      content,
      stop_reason: calls.length > 0 ? "tool_use" : "end_turn",
      usage,
    };
  },
};

/** The calls of a request, as a model makes them: it has read the answers, and asks the person before it does what it has previewed. */
export function turnsOf({ calls }: Request): Turns {
  return ({ person, answers }) => {
    const left = calls.slice(answers.length);
    if (follows(left[0], calls[answers.length - 1]) && person.length === 1)
      return { text: "Shall I do it?", calls: [] };
    if (left.length === 0) return { text: "That is how it stands.", calls: [] };
    // What needs no answer yet is asked for at once.
    const next = left.slice(0, needsAnswer(left));
    return { text: "I will see to it.", calls: next.map(({ call, with: args }) => ({ name: call, args: read(args) })) };

    function read(args: object): object {
      const text = JSON.stringify(args).replaceAll(/\{(\w+)(?:\.[\w.]+)?\}/g, (_, name: string) => textOfAnswer(name));
      return JSON.parse(text) as object;
    }

    function textOfAnswer(name: string): string {
      const now = new Date();
      if (name === "now") return now.toISOString();
      if (name === "day") return `${new Date(now.getTime() + 9 * 3_600_000).toISOString().slice(0, 10)}T00:00:00+09:00`;
      const answer = answers[calls.findIndex((call) => call.as === name)] ?? "";
      return /(?:draft_id |order_id |(?=plan-))((?:plan-)?[0-9a-f-]{36})/.exec(answer)?.[1] ?? "";
    }
  };
}

type Call = Request["calls"][number];

/** Whether it does what that has previewed. */
function follows(call: Call | undefined, before: Call | undefined): boolean {
  if (call?.call === "place_order") return before?.call === "preview_order";
  return call?.call === "create_plan" && isPreview(before);
}

function isPreview(call: Call | undefined): boolean {
  return call?.call === "create_plan" && call.with["preview"] === true;
}

/** Where among the calls that are left the first is that waits for an answer that is not there yet. */
function needsAnswer(left: Request["calls"]): number {
  const at = left.findIndex(
    ({ call, with: args }, place) =>
      place > 0 && (call === "place_order" || isPreview(left[place - 1]) || /\{\w+\./.test(JSON.stringify(args))),
  );
  return at === -1 ? left.length : at;
}
