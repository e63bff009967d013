/** Messages with tools, as Anthropic has them. Entry point: `messagesApi`. */
import { z } from "zod";
import { type Conversation, type Opening, post } from "./conversation.ts";

const MAX_TOKENS = 2_048;

const part = z.union([
  z.looseObject({ type: z.literal("tool_use"), id: z.string(), name: z.string(), input: z.unknown() }),
  z.looseObject({ type: z.literal("text"), text: z.string() }),
  z.looseObject({ type: z.string() }),
]);
const count = z.number().nullish();
const message = z.looseObject({
  content: z.array(part),
  usage: z
    .looseObject({
      input_tokens: count,
      cache_creation_input_tokens: count,
      cache_read_input_tokens: count,
      output_tokens: count,
    })
    .nullish(),
});

export function messagesApi({ model, baseUrl, key, system, tools }: Opening): Conversation {
  const messages: object[] = [];
  const offered = tools.map(({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema }));
  return {
    async next() {
      const headers = { "x-api-key": key, "anthropic-version": "2023-06-01" };
      const body = { model, system, messages, tools: offered, max_tokens: MAX_TOKENS };
      const { content, usage } = message.parse(await post(`${baseUrl}/messages`, headers, body));
      messages.push({ role: "assistant", content });
      const said = content.flatMap((each) => ("text" in each ? [each.text] : [])).join("\n");
      const wanted = content.flatMap((each) =>
        "input" in each ? [{ id: String(each["id"]), name: String(each["name"]), args: each.input }] : [],
      );
      const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = usage ?? {};
      const read = (input_tokens ?? 0) + (cache_creation_input_tokens ?? 0) + (cache_read_input_tokens ?? 0);
      return { said, wanted, tokens: { read, written: output_tokens ?? 0 } };
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
