/**
 * Tools that the conformance suite calls by name and that ask the client for something: in the 2025 era by a request of their own, in
 * the later one by a result that says what is needed, after which the client calls again.
 */
import {
  acceptedContent,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type McpServer,
  type RequestStateCodec,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";

/** What the server gives the client to bring back, signed. */
export interface Step {
  readonly round: number;
}

export type Steps = RequestStateCodec<Step>;

type Answer = CallToolResult | InputRequiredResult;

const text = (words: string): CallToolResult => ({ content: [{ type: "text", text: words }] });

const named = z.object({ name: z.string() });
const colored = z.object({ color: z.string() });
const confirmed = z.object({ ok: z.boolean() });

const askName = () => inputRequired.elicit({ message: "What is your name?", requestedSchema: named });
const askConfirmation = () => inputRequired.elicit({ message: "Please confirm", requestedSchema: confirmed });
const askModel = (words: string) =>
  inputRequired.createMessage({
    messages: [{ role: "user", content: { type: "text", text: words } }],
    maxTokens: 100,
  });

function elicitation({ mcpReq }: ServerContext): Answer {
  const given = acceptedContent(mcpReq.inputResponses, "user_name", named);
  return given === undefined
    ? inputRequired({ inputRequests: { user_name: askName() } })
    : text(`Hello, ${given.name}!`);
}

function sampling({ mcpReq }: ServerContext): Answer {
  const said = inputResponse(mcpReq.inputResponses, "capital_question");
  return said.kind === "sampling"
    ? text(`The model said: ${JSON.stringify(said.result.content)}`)
    : inputRequired({ inputRequests: { capital_question: askModel("What is the capital of France?") } });
}

function roots({ mcpReq }: ServerContext): Answer {
  const said = inputResponse(mcpReq.inputResponses, "client_roots");
  return said.kind === "roots"
    ? text(`Roots: ${said.roots.map(({ uri }) => uri).join(", ")}`)
    : inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
}

/** A state that was changed on its way never comes here: the server's own check refuses it. */
const confirming =
  (steps: Steps) =>
  async ({ mcpReq }: ServerContext): Promise<Answer> => {
    const given = acceptedContent(mcpReq.inputResponses, "confirm", confirmed);
    if (given !== undefined && mcpReq.requestState<Step>()?.round === 1) return text("state-ok");
    return inputRequired({
      inputRequests: { confirm: askConfirmation() },
      requestState: await steps.mint({ round: 1 }),
    });
  };

const asksAll =
  (steps: Steps) =>
  async ({ mcpReq }: ServerContext): Promise<Answer> => {
    const { inputResponses } = mcpReq;
    const name = acceptedContent(inputResponses, "user_name", named)?.name;
    const kinds = ["greeting", "client_roots"].map((key) => inputResponse(inputResponses, key).kind);
    if (name !== undefined && kinds.join() === "sampling,roots") return text(`All is there, ${name}.`);
    const inputRequests = {
      user_name: askName(),
      greeting: askModel("Generate a greeting"),
      client_roots: inputRequired.listRoots(),
    };
    return inputRequired({ inputRequests, requestState: await steps.mint({ round: 1 }) });
  };

const inTwoRounds =
  (steps: Steps) =>
  async ({ mcpReq }: ServerContext): Promise<Answer> => {
    const { inputResponses } = mcpReq;
    const round = mcpReq.requestState<Step>()?.round ?? 0;
    const name = acceptedContent(inputResponses, "step1", named)?.name;
    const color = acceptedContent(inputResponses, "step2", colored)?.color;
    if (round === 2 && color !== undefined) return text(`The color is ${color}.`);
    if (round === 0 || (round === 1 && name === undefined))
      return inputRequired({ inputRequests: { step1: askName() }, requestState: await steps.mint({ round: 1 }) });
    const step2 = inputRequired.elicit({ message: "What is your favorite color?", requestedSchema: colored });
    return inputRequired({ inputRequests: { step2 }, requestState: await steps.mint({ round: 2 }) });
  };

/** Asks only for what this client has said that it can give. */
function capabilities({ mcpReq }: ServerContext): Answer {
  if (Object.keys(mcpReq.inputResponses ?? {}).length > 0) return text("It was given.");
  const envelope = mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  const declared = (envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? {}) as Readonly<Record<string, unknown>>;
  const inputRequests = {
    ...("sampling" in declared && { greeting: askModel("Generate a greeting") }),
    ...("elicitation" in declared && { user_name: askName() }),
    ...("roots" in declared && { client_roots: inputRequired.listRoots() }),
  };
  return Object.keys(inputRequests).length === 0 ? text("There is nobody to ask.") : inputRequired({ inputRequests });
}

const choices = (...values: readonly string[]) => values.map((value) => ({ const: value, title: `The ${value}` }));
const OPTIONS = ["option1", "option2", "option3"];

/** A default of every simple type. */
const DEFAULTS = {
  name: { type: "string", default: "John Doe" },
  age: { type: "integer", default: 30 },
  score: { type: "number", default: 95.5 },
  status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
  verified: { type: "boolean", default: true },
};

/** Every way to offer a choice. */
const ENUMS = {
  untitledSingle: { type: "string", enum: OPTIONS },
  titledSingle: { type: "string", oneOf: choices("value1", "value2", "value3") },
  legacyEnum: { type: "string", enum: ["opt1", "opt2", "opt3"], enumNames: ["Option 1", "Option 2", "Option 3"] },
  untitledMulti: { type: "array", items: { type: "string", enum: OPTIONS } },
  titledMulti: { type: "array", items: { anyOf: choices("value1", "value2", "value3") } },
};

/** As the product asks for an approval: on the stream of the call that the question belongs to. */
async function elicited({ mcpReq }: ServerContext, message: string, properties: object): Promise<CallToolResult> {
  const requestedSchema = { type: "object", properties };
  const { action, content } = await mcpReq.send({ method: "elicitation/create", params: { message, requestedSchema } });
  return text(`The person said ${action}: ${JSON.stringify(content ?? {})}`);
}

async function sampled({ mcpReq }: ServerContext, prompt: string): Promise<CallToolResult> {
  const messages = [{ role: "user", content: { type: "text", text: prompt } }];
  const { content } = await mcpReq.send({ method: "sampling/createMessage", params: { messages, maxTokens: 100 } });
  return text(`LLM response: ${JSON.stringify(content)}`);
}

function registerRequests(server: McpServer): void {
  const description = "Asks the client while the call runs.";
  const prompting = z.object({ prompt: z.string() });
  const asking = z.object({ message: z.string() });
  server.registerTool("test_sampling", { description, inputSchema: prompting }, ({ prompt }, context) =>
    sampled(context, prompt),
  );
  server.registerTool("test_elicitation", { description, inputSchema: asking }, ({ message }, context) =>
    elicited(context, message, { response: { type: "string" } }),
  );
  server.registerTool("test_elicitation_sep1034_defaults", { description }, (context) =>
    elicited(context, "Please review these", DEFAULTS),
  );
  server.registerTool("test_elicitation_sep1330_enums", { description }, (context) =>
    elicited(context, "Please choose", ENUMS),
  );
}

export function registerAskingTools(server: McpServer, steps: Steps): void {
  registerRequests(server);
  const asking = {
    elicitation,
    sampling,
    list_roots: roots,
    request_state: confirming(steps),
    tampered_state: confirming(steps),
    multiple_inputs: asksAll(steps),
    multi_round: inTwoRounds(steps),
    capabilities,
  };
  const description = "Says what it needs, and is called again.";
  for (const [name, handler] of Object.entries(asking))
    server.registerTool(`test_input_required_result_${name}`, { description }, handler);
  server.registerTool("test_missing_capability", { description }, sampling);
  server.registerTool("test_streaming_elicitation", { description }, elicitation);
}
