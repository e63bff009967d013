/** Chat completions with tools, as OpenAI has them and many others do. Entry point: `chatCompletions`. */
import { z } from "zod";
import { type Conversation, type Opening, post } from "./conversation.ts";

const call = z.looseObject({ id: z.string(), function: z.looseObject({ name: z.string(), arguments: z.string() }) });
const message = z.looseObject({ content: z.string().nullish(), tool_calls: z.array(call).nullish() });
const completion = z.looseObject({
  choices: z.tuple([z.looseObject({ message })], z.unknown()),
  usage: z.looseObject({ prompt_tokens: z.number(), completion_tokens: z.number() }).nullish(),
});

export function chatCompletions({ model, baseUrl, key, system, tools }: Opening): Conversation {
  const messages: object[] = [{ role: "system", content: system }];
  const offered = tools.map(({ name, description, inputSchema }) => ({
    type: "function",
    function: { name, description, parameters: inputSchema },
  }));
  return {
    async next() {
      const body = { model, messages, tools: offered };
      const answer = await post(`${baseUrl}/chat/completions`, { authorization: `Bearer ${key}` }, body);
      const { choices, usage } = completion.parse(answer);
      const [{ message: said }] = choices;
      messages.push({ ...said, role: "assistant" });
      const wanted = (said.tool_calls ?? []).map(({ id, function: { name, arguments: args } }) => ({
        id,
        name,
        args: argumentsIn(args),
      }));
      const tokens = { read: usage?.prompt_tokens ?? 0, written: usage?.completion_tokens ?? 0 };
      return { said: said.content ?? "", wanted, tokens };
    },
    person: (content) => messages.push({ role: "user", content }),
    answers: (given) =>
      messages.push(
        ...given.map(({ wanted: { id }, answer }) => ({ role: "tool", tool_call_id: id, content: answer.text })),
      ),
  };
}

/** What is no JSON stays a text, and is refused as such. */
function argumentsIn(text: string): unknown {
  try {
    return text === "" ? {} : JSON.parse(text);
  } catch {
    return text;
  }
}
