/**
 * Lets a model make the calls: over the chat completions of OpenAI and of whoever speaks like it, or over the messages of Anthropic.
 * Entry point: `modelFrom`.
 *
 * The model sees what an assistant's model sees: hoga's instructions, its tools, the text of its answers, and what the person says. The
 * person agrees to what was asked for, as no request of the file lets the assistant do more than was said.
 */
import type { Actor } from "./play.ts";
import type { Answer, ListedTool } from "./stage.ts";

/** More rounds than any request needs; a model that goes on has lost its way. */
const ROUNDS = 16;
/** What the person answers when the model asks back instead of calling a tool, once. */
const GO_ON = "Yes, exactly as I said. If it can't be done like that, tell me why and do nothing else.";
const MAX_TOKENS = 2_048;
const ANSWER_MS = 120_000;

interface Wanted {
  readonly id: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** A conversation with one model. */
interface Conversation {
  /** @returns what it says, and the calls that it wants */
  next(): Promise<{ readonly said: string; readonly wanted: readonly Wanted[] }>;
  person(words: string): void;
  answers(given: readonly { readonly wanted: Wanted; readonly answer: Answer }[]): void;
}

interface Opening {
  readonly model: string;
  readonly baseUrl: string;
  readonly key: string;
  readonly system: string;
  readonly tools: readonly ListedTool[];
}

const APIS = {
  openai: { baseUrl: "https://api.openai.com/v1", open: openaiConversation },
  anthropic: { baseUrl: "https://api.anthropic.com/v1", open: anthropicConversation },
};

/** @returns undefined where no model is named. @throws where the environment names what there is not */
export function modelFrom(env: NodeJS.ProcessEnv): Actor | undefined {
  const model = env["EVALS_MODEL"];
  if (model === undefined || model === "") return undefined;
  const name = env["EVALS_API"] ?? "openai";
  if (name !== "openai" && name !== "anthropic") throw new Error("EVALS_API: openai or anthropic");
  const api = APIS[name];
  const baseUrl = (env["EVALS_BASE_URL"] ?? api.baseUrl).replace(/\/$/, "");
  const key = env["EVALS_API_KEY"] ?? "";
  return async ({ says }, stage, make) => {
    const tools = await stage.tools();
    const talk = api.open({ model, baseUrl, key, system: stage.instructions, tools });
    talk.person(says);
    let said = "";
    let agreed = false;
    for (let round = 0; round < ROUNDS; round++) {
      const turn = await talk.next();
      said += `${turn.said}\n`;
      if (turn.wanted.length === 0) {
        if (agreed) return { said, wrong: [] };
        agreed = true;
        talk.person(GO_ON);
        continue;
      }
      const given: { wanted: Wanted; answer: Answer }[] = [];
      for (const wanted of turn.wanted) given.push({ wanted, answer: await make(wanted.name, wanted.args) });
      talk.answers(given);
    }
    return { said, wrong: [`after ${ROUNDS} rounds the model still calls tools`] };
  };
}

interface OpenAiMessage {
  readonly content?: string | null;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { name: string; arguments: string } }[];
}

function openaiConversation({ model, baseUrl, key, system, tools }: Opening): Conversation {
  const messages: object[] = [{ role: "system", content: system }];
  const offered = tools.map(({ name, description, inputSchema }) => ({
    type: "function",
    function: { name, description, parameters: inputSchema },
  }));
  return {
    async next() {
      const body = { model, messages, tools: offered };
      const answer = await post(`${baseUrl}/chat/completions`, { authorization: `Bearer ${key}` }, body);
      const message = (answer["choices"] as readonly { readonly message: OpenAiMessage }[])[0]?.message ?? {};
      messages.push({ role: "assistant", ...message });
      const wanted = (message.tool_calls ?? []).map(({ id, function: { name, arguments: args } }) => ({
        id,
        name,
        args: JSON.parse(args === "" ? "{}" : args) as Record<string, unknown>,
      }));
      return { said: message.content ?? "", wanted };
    },
    person: (content) => messages.push({ role: "user", content }),
    answers: (given) =>
      messages.push(
        ...given.map(({ wanted: { id }, answer }) => ({ role: "tool", tool_call_id: id, content: answer.text })),
      ),
  };
}

type AnthropicPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: Record<string, unknown> };

function anthropicConversation({ model, baseUrl, key, system, tools }: Opening): Conversation {
  const messages: object[] = [];
  const offered = tools.map(({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema }));
  return {
    async next() {
      const headers = { "x-api-key": key, "anthropic-version": "2023-06-01" };
      const body = { model, system, messages, tools: offered, max_tokens: MAX_TOKENS };
      const answer = await post(`${baseUrl}/messages`, headers, body);
      const content = answer["content"] as readonly AnthropicPart[];
      messages.push({ role: "assistant", content });
      const said = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
      const wanted = content.flatMap((part) =>
        part.type === "tool_use" ? [{ id: part.id, name: part.name, args: part.input }] : [],
      );
      return { said, wanted };
    },
    person: (content) => messages.push({ role: "user", content }),
    answers: (given) => {
      const content = given.map(({ wanted: { id }, answer: { text, isError } }) => ({
        type: "tool_result",
        tool_use_id: id,
        content: text,
        is_error: isError,
      }));
      messages.push({ role: "user", content });
    },
  };
}

async function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: object,
): Promise<Readonly<Record<string, unknown>>> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  const text = await answer.text();
  // Status alone: what a model's service writes into an error could repeat the key.
  if (!answer.ok) throw new Error(`the model's service answered ${answer.status}`);
  return JSON.parse(text) as Readonly<Record<string, unknown>>;
}
