/**
 * Owns what a tool is: a name, words for the model, true hints, a strict input, a result shape, and one function from
 * arguments to a result. Entry points: `defineTool` for the files in tools/, `registerTool` for the server.
 *
 * Invariants: arguments that do not fit never reach `run` (except in halt_trading, which is never refused); a throw of `run` becomes
 * a result that does not claim to know what happened; only tools with `writes` can change anything at the venue.
 */
import {
  type CallToolResult,
  type InputRequiredResult,
  isInputRequiredResult,
  type McpServer,
  type RequestId,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { z } from "zod";
import { defined } from "../../contract/index.ts";
import { type Desk, type Listener, POLICY_FILE } from "../../desk/index.ts";
import { type Words, wordsFor } from "../../words/index.ts";
import { type Arguments, type Fallback, inputSchema, type JsonSchema, outputSchema } from "../input/argument-schema.ts";
import { askNow, type Person, personOf } from "../person/approval.ts";
import type { Module } from "../person/module.ts";
import { guarded, MODULE_SCOPES, type Scope } from "../person/scope.ts";
import { viewOf } from "../person/view.ts";
import { type ToolOffer, withReader } from "../person/views.ts";
import { Withdrawal } from "../person/withdrawal.ts";
import type { Pictures } from "../pictures/pictures.ts";
import { brokenRead, brokenWrite, deniedInput, refusedInput } from "../text/answer.ts";
import { withPolicyPath } from "../text/policy-place.ts";
import { progressOf, type ReportProgress } from "./progress.ts";

export interface ToolCall {
  readonly desk: Desk;
  /** Fires when the client cancels or goes away, for what only waits. */
  readonly signal: AbortSignal;
  /** For what is sent, or shown to be: whether it is withdrawn, and who is told what became of it. */
  readonly listener: Listener;
  /** Absent when the client did not ask for progress. */
  readonly progress: ReportProgress | undefined;
  /** Tells whether a person can be asked through the client, and what they answered. */
  readonly person: Person;
  /** Belongs to the client's message; for who watches. */
  readonly traceparent?: string;
  /** Draws, where a picture is wanted. */
  readonly pictures: Pictures;
  /** Whose turn it takes, where callers take turns. */
  readonly caller: string;
}

/** What a caller gives with a call, who may be asked or not. Its signal is asked for by what waits alone. */
export type Look = Omit<ToolCall, "desk" | "pictures" | "caller" | "person">;

/** Ends a tool's call: a result, or a question to a person that goes back through the client. */
export type ToolAnswer = CallToolResult | InputRequiredResult;

/** Who is at the other end of a connection over HTTP. */
export interface Caller {
  /** No other caller has it; what was sealed for one is nothing in another's hands. */
  readonly key: string;
  /** Says as whom it was let in. */
  readonly name: string;
  /** Says that the desk is its own: it may know of the machine that it runs on. */
  readonly isOwner?: boolean;
  /** Stands for its client with whoever keeps who is connected; not looked at. */
  readonly client?: object;
}

/**
 * Tells where a call comes from. It is passed on by hand: what Node would carry along by itself slows down every promise of the process.
 */
export interface CallOrigin {
  /** Names the client's place in a trace, as it does; not looked at. */
  readonly traceparent?: string;
  readonly caller?: Caller;
}

/** Runs a call of a tool for whoever watches: it calls `call` once and passes on what comes of it. */
export type AroundCall = (tool: string, call: () => Promise<ToolAnswer>, origin: CallOrigin) => Promise<ToolAnswer>;

interface ToolDefinition<Input> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly module: Module;
  /** Lets a caller see and call it; by default what lets it use the others of the module. */
  readonly scope?: Scope;
  /** Changes something at the venue. */
  readonly writes?: { readonly idempotent: boolean };
  readonly input: z.ZodType<Input>;
  /** For a tool that is never refused: what to make of arguments that do not fit. */
  readonly fallback?: Fallback<Input>;
  /** Fields that say what a write is about, and without which it is about all: an empty text there is refused, and never taken for that. */
  readonly narrowing?: readonly string[];
  readonly output: JsonSchema;
  run(input: Input, call: ToolCall): Promise<ToolAnswer>;
}

export interface Tool {
  readonly name: string;
  readonly module: Module;
  /** Lets a caller see and call it. */
  readonly scope: Scope;
  readonly writes: boolean;
  readonly description: string;
  inputJson(): JsonSchema;
  /** The arguments of a call in the form that the schema takes. */
  read(raw: unknown): unknown;
  register(server: McpServer, serving: Serving): ToolOffer;
  /** The same call without a server of the SDK's. `raw` is checked like any client's arguments. */
  call(raw: unknown, serving: Serving, call: Look): Promise<CallToolResult>;
}

/** The transport's: who learns that an answer was handed to a client that still waits for it. */
export interface Receipts {
  /** @param heard to be called once the answer to this request was */
  owe(request: RequestId, heard: () => void): void;
}

/** Holds what is the same for every call of one server. */
export interface Serving {
  readonly desk: Desk;
  /** Absent where the transport does not say: then an answer counts as heard when it is handed over to be sent. */
  readonly receipts?: Receipts;
  /** Names the connection, or in the era without sessions the request, that the calls come by; absent on the command line. */
  readonly session?: string;
  /** Absent where nobody calls over HTTP. */
  readonly caller?: Caller;
  /** Belong to the process. */
  readonly pictures: Pictures;
  /** Runs a call when its turn has come; absent where that is arranged before it gets here. */
  readonly inTurn?: (tool: string, given: unknown, call: () => Promise<ToolAnswer>) => Promise<ToolAnswer>;
  /** In which the person is spoken to; English by default. Results are for the model, in English. */
  readonly words?: Words;
  /** Called with what a tool threw: a broken invariant, never an expected outcome. */
  readonly onError: (error: unknown) => void;
  /** Called with every write when it begins, so that a shutdown can wait for it. */
  readonly onWrite?: (write: Promise<unknown>) => void;
  /** Around every call, also of one whose arguments do not fit; a question to a person ends the call before it. */
  readonly around?: AroundCall;
}

/** Lets whoever serves know of a write while it runs. */
function reportedTo<Answer>(result: Promise<Answer>, serving: Serving): Promise<Answer> {
  serving.onWrite?.(result);
  return result;
}

function unreported<Answer>(result: Promise<Answer>): Promise<Answer> {
  return result;
}

/** Nobody calls over HTTP: there is one client. */
const ALONE = { key: "" } as const;

/** Asks for the pictures, and for the signal, where one is wanted only. */
class RunningCall implements ToolCall {
  readonly desk: Desk;
  readonly caller: string;
  readonly listener: Listener;
  readonly progress: ReportProgress | undefined;
  readonly person: Person;
  readonly traceparent?: string;
  readonly #serving: Serving;
  readonly #given: Look;

  constructor(serving: Serving, given: Look, person: Person) {
    const { desk, caller: { key } = ALONE } = serving;
    this.desk = desk;
    this.caller = key;
    this.listener = given.listener;
    this.progress = given.progress;
    this.person = person;
    if (given.traceparent !== undefined) this.traceparent = given.traceparent;
    this.#serving = serving;
    this.#given = given;
  }

  get signal(): AbortSignal {
    return this.#given.signal;
  }

  get pictures(): Pictures {
    return this.#serving.pictures;
  }
}

type Given<Input> = readonly [input: Arguments<Input>, serving: Serving, call: Look, person: Person];

export function defineTool<Input>(definition: ToolDefinition<Input>): Tool {
  const { name, title, description, module, scope = MODULE_SCOPES[module], writes } = definition;
  const { read, parse, schema } = inputSchema(definition.input, definition);
  const config = {
    title,
    description,
    inputSchema: schema,
    annotations: hintsOf(writes),
    outputSchema: outputSchema(definition.output),
  };
  const inputJson = () => schema["~standard"].jsonSchema.input({ target: "draft-2020-12" });
  const answerOf = async (...[input, serving, call, person]: Given<Input>): Promise<ToolAnswer> => {
    const { desk } = serving;
    if (!input.ok) return writes === undefined ? refusedInput(desk, input.problems) : deniedInput(desk, input.problems);
    try {
      return toldWhere(await definition.run(input.value, new RunningCall(serving, call, person)), serving);
    } catch (error) {
      serving.onError(error);
      return writes === undefined ? brokenRead(desk) : brokenWrite(desk);
    }
  };
  const answer = (...given: Given<Input>): Promise<ToolAnswer> => {
    const [, { around, caller }, { traceparent }] = given;
    return around?.(name, () => answerOf(...given), defined({ traceparent, caller })) ?? answerOf(...given);
  };
  const reported = writes === undefined ? unreported : reportedTo;
  return {
    name,
    module,
    scope,
    writes: writes !== undefined,
    description,
    inputJson,
    read,
    register(server, serving) {
      const respond = async (input: Arguments<Input>, context: ServerContext): Promise<ToolAnswer> => {
        const told: (() => void)[] = [];
        const withdrawal = new Withdrawal(context);
        const listener: Listener = {
          get withdrawn() {
            return withdrawal.signal;
          },
          whenHeard: (heard) => void told.push(heard),
        };
        const call = lookOf(context, listener);
        const asked = askedBy(context, server, serving);
        const round = (person: Person) => reported(answer(input, serving, call, person), serving);
        const result = await round(asked);
        // While a person thinks no write is running, and a shutdown need not wait.
        const said = isInputRequiredResult(result) ? await askNow(context, result) : undefined;
        const person = said && { ...asked, answer: { ...said, session: asked.session ?? "" } };
        const last = person === undefined ? result : await round(person);
        withdrawal.answered();
        owe(serving, context, told);
        return forView(name, asked, last);
      };
      const listed = () => ({ name, ...config, inputSchema: inputJson(), outputSchema: definition.output });
      return { ...guarded(scope, server.registerTool(name, config, inTurn(serving, name, respond))), name, listed };
    },
    call: async (raw, serving, call) => {
      const input = parse(raw);
      const run = () => reported(answer(input, serving, call, nobody(serving)), serving);
      // Nobody can be asked, so no tool answers with a question.
      const answered = await (serving.inTurn?.(name, input.ok ? input.value : {}, run) ?? run());
      return answered as CallToolResult;
    },
  };
}

/** A text that does not name the policy's file has a structure that does not either. */
function toldWhere(answer: ToolAnswer, serving: Serving): ToolAnswer {
  if (isInputRequiredResult(answer)) return answer;
  const isNamed = answer.content.some((part) => part.type === "text" && part.text.includes(POLICY_FILE));
  return isNamed ? withPolicyPath(answer, serving) : answer;
}

function hintsOf(writes: { readonly idempotent: boolean } | undefined) {
  return {
    readOnlyHint: writes === undefined,
    destructiveHint: writes !== undefined,
    idempotentHint: writes?.idempotent ?? true,
    openWorldHint: true,
  };
}

type Respond<Input> = (input: Arguments<Input>, context: ServerContext) => Promise<ToolAnswer>;

function inTurn<Input>({ inTurn: turned }: Serving, name: string, respond: Respond<Input>): Respond<Input> {
  if (turned === undefined) return respond;
  return (input, context) => turned(name, input.ok ? input.value : {}, () => respond(input, context));
}

/** From when on what the answer says counts as heard. */
function owe({ receipts }: Serving, { mcpReq: { id, signal } }: ServerContext, told: readonly (() => void)[]): void {
  if (told.length === 0) return;
  const heard = (): void => {
    for (const each of told) each();
  };
  if (receipts !== undefined) receipts.owe(id, heard);
  else if (!signal.aborted) heard();
}

/** With what the view of a tool is told besides, where the client shows it. */
function forView(name: string, { view, words }: Person, answer: ToolAnswer): ToolAnswer {
  const isShown = view !== undefined && viewOf(name) !== undefined && !isInputRequiredResult(answer);
  return isShown ? withReader(answer, words) : answer;
}

function lookOf({ mcpReq }: ServerContext, listener: Listener): Look {
  const { signal, _meta: { traceparent } = {} } = mcpReq;
  const given = { signal, listener, progress: progressOf(mcpReq) };
  return typeof traceparent === "string" ? { ...given, traceparent } : given;
}

function askedBy(context: ServerContext, server: McpServer, serving: Serving): Person {
  const { desk, session = "" } = serving;
  return personOf(context, server, { session, isPractice: () => desk.isPractice(), words: wordsOf(serving) });
}

function nobody(serving: Serving): Person {
  return { canBeAsked: false, canBeSent: false, words: wordsOf(serving) };
}

function wordsOf({ words }: Serving): Words {
  return words ?? wordsFor();
}
