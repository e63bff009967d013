/**
 * Lets a model make the calls: over the chat completions of OpenAI and of whoever speaks like it, or over the messages of Anthropic.
 * Entry point: `modelFrom`.
 *
 * The model sees what an assistant's model sees: hoga's instructions, its tools, the text of its answers, and what the person says. The
 * person agrees to what was asked for, as no request of the file lets the assistant do more than was said.
 */
import { chatCompletions } from "./apis/chat-completions.ts";
import type { Given, Tokens, Wanted } from "./apis/conversation.ts";
import { messagesApi } from "./apis/messages.ts";
import type { Actor, Make } from "./play.ts";
import type { Answer } from "./stage.ts";

/** More rounds than any request needs; a model that goes on has lost its way. */
const ROUNDS = 16;
/** What the person answers when the model asks back instead of calling a tool, once. */
const GO_ON = "Yes, exactly as I said. If it can't be done like that, tell me why and do nothing else.";

const APIS = {
  openai: { baseUrl: "https://api.openai.com/v1", open: chatCompletions },
  anthropic: { baseUrl: "https://api.anthropic.com/v1", open: messagesApi },
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
    const talk = api.open({ model, baseUrl, key, system: stage.instructions, tools: await stage.tools() });
    talk.person(says);
    let tokens: Tokens = { read: 0, written: 0 };
    let said = "";
    let agreed = false;
    for (let round = 0; round < ROUNDS; round++) {
      const turn = await talk.next();
      said += `${turn.said}\n`;
      tokens = { read: tokens.read + turn.tokens.read, written: tokens.written + turn.tokens.written };
      if (turn.wanted.length > 0) {
        const given: Given[] = [];
        for (const wanted of turn.wanted) given.push({ wanted, answer: await answerTo(wanted, make) });
        talk.answers(given);
      } else if (agreed) {
        return { said, wrong: [], tokens };
      } else {
        agreed = true;
        talk.person(GO_ON);
      }
    }
    return { said, wrong: [`after ${ROUNDS} rounds the model still calls tools`], tokens };
  };
}

/** What is not a call at all is told to the model, as hosts do, and is no end of the conversation. */
async function answerTo({ name, args }: Wanted, make: Make): Promise<Answer> {
  if (typeof args !== "object" || args === null || Array.isArray(args))
    return refused("The arguments are no JSON object: write them as one.");
  try {
    return await make(name, args as Readonly<Record<string, unknown>>);
  } catch (error) {
    return refused(error instanceof Error ? error.message : String(error));
  }
}

function refused(text: string): Answer {
  return { text, structured: {}, isError: true };
}
