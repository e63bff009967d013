/**
 * `hoga call`: one tool from the shell, with the desk and the texts that an assistant gets.
 *
 * Reads a tool's arguments from the words of a command line: one JSON object, `--field value` pairs, or both (pairs win). A word stays text unless the tool's schema says that the field is a whole number, a boolean or a list; amounts are always
 * text. Unknown fields are passed on: the tool refuses them itself, with the message that an assistant gets.
 */
import { type Home, loadProfile, type Profile } from "../../config/index.ts";
import { onFirstUse, quoted } from "../../contract/index.ts";
import { editDistance, type WriteOutcome } from "../../desk/index.ts";
import { everyTool, Pictures, type Serving, TOOLS, type Tool } from "../../mcp/index.ts";
import { type Composition, composeCommand } from "../composition/compose.ts";
import { nameTenant, resolveTenant } from "../composition/tenants.ts";
import { EXIT, type ExitCode, exitCodeOf, isBadInput, UsageError } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { NewFile } from "../new-file.ts";
import { table } from "../text/table.ts";
import { haltExit, haltFirst, haltText, UNNAMED_PROFILE } from "./halt-first.ts";

export interface CallOptions {
  readonly profile?: string;
  readonly tenant?: string;
  readonly json?: boolean;
  /** A new file for the picture, of a tool that draws one. */
  readonly chart?: string;
  /** Gives what is printed of a result in place of the text that an assistant gets. */
  readonly inWords?: (result: ToolResult) => string;
  /** Tells whether the tool is called again before anything is printed. */
  readonly again?: (result: ToolResult) => boolean;
}

interface Structured {
  readonly outcome?: WriteOutcome;
  readonly state?: string;
  readonly results?: readonly { readonly error?: unknown }[];
  readonly remaining?: number | null;
  readonly error?: { readonly code?: string };
  /** Of a plan, where a person is asked. */
  readonly approval?: unknown;
}

export async function call(name: string, rest: readonly string[], given: CallOptions, run: Invocation): Promise<void> {
  const { args, options, help } = splitOptions(rest, given);
  if (name === "list") return listTools(run, options.json === true);
  const tool = await findTool(name);
  if (help) return run.out.print(helpOf(tool));
  const isHalt = tool.name === HALT_TOOL;
  if (options.tenant !== undefined) await (isHalt ? nameTenant : resolveTenant)(run, options.tenant);
  if (isHalt) return callHalt(run, tool, args, options);
  if (options.profile === "") throw new UsageError("--profile has no value.", "Write --profile NAME.");
  const raw = parseArguments(args, tool.inputJson());
  if (options.chart !== undefined) checkChart(tool);
  const { home } = run;
  const profile = loadProfile(home, run.env, options.profile);
  checkModule(tool, profile, home);
  await callWith(run, composeCommand(run, profile), tool, raw, options);
}

const HALT_TOOL = "halt_trading";
/** They reach the exchange also where the store does not answer. */
const CANCEL_TOOLS: readonly string[] = ["cancel_order", "cancel_all_orders"];

/** Halts before anything else is read, and is never refused. */
async function callHalt(run: Invocation, tool: Tool, args: readonly string[], options: CallOptions): Promise<void> {
  const raw = haltArguments(run, args, tool);
  const reason = "reason" in raw && typeof raw.reason === "string" ? raw.reason : "";
  const isUnnamed = options.profile === "";
  if (isUnnamed) run.out.notice(UNNAMED_PROFILE);
  const request = { reason, by: "assistant", profile: isUnnamed ? undefined : options.profile };
  // Nothing that a halt is given may stop it, such as a file that cannot be written.
  const { chart: _, ...said } = options;
  const ended = await haltFirst(run, request, async (_home, profile) => {
    await callWith(run, composeCommand(run, profile), tool, raw, said);
  });
  if (!("halted" in ended)) return;
  if (options.json === true) run.out.printJson(ended.halted);
  else run.out.print(haltText(ended.halted, run, { name: request.profile, tenant: run.home.tenant?.name }));
  run.exitCode = haltExit(ended.halted);
}

function haltArguments(run: Invocation, args: readonly string[], tool: Tool): object {
  try {
    return parseArguments(args, tool.inputJson());
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    run.out.notice(`the arguments are passed over: ${error.message}`);
    return {};
  }
}

export async function callWith(
  run: Invocation,
  composition: Composition,
  tool: Tool,
  raw: object,
  options: CallOptions,
): Promise<void> {
  const stop = new AbortController();
  const onInterrupt = (): void => stop.abort();
  run.io.signals.once("SIGINT", onInterrupt);
  const pictures = onFirstUse(() => new Pictures());
  const picture = options.chart === undefined ? undefined : new NewFile(options.chart);
  try {
    // A halt reports what does not open, and cancels what it can.
    if (tool.name !== HALT_TOOL) await composition.open(CANCEL_TOOLS.includes(tool.name));
    const serving: Serving = {
      desk: composition.desk,
      get pictures() {
        return pictures();
      },
      words: run.words,
      onError: (error) => run.fail(error),
    };
    const progress = (done: number, total: number, message: string): void =>
      run.out.notice(`${done}/${total} ${message}`);
    const wanted = picture === undefined ? raw : { ...raw, chart: true };
    const told: (() => void)[] = [];
    const listener = { withdrawn: stop.signal, whenHeard: (heard: () => void) => void told.push(heard) };
    const shown = options.again === undefined ? progress : undefined;
    let result: ToolResult;
    do result = await tool.call(wanted, serving, { signal: stop.signal, listener, progress: shown });
    while (options.again?.(result) === true && !stop.signal.aborted);
    run.exitCode = exitCode(result.isError === true, result.structuredContent as Structured | undefined);
    if (options.json === true) run.out.printJson(result.structuredContent ?? {});
    else if (result.isError !== true && options.inWords !== undefined) run.out.print(options.inWords(result));
    else for (const part of result.content) if (part.type === "text") run.out.print(part.text);
    if (picture !== undefined) keepPicture(run, picture, result);
    // Whoever closed the pipe has not heard of it.
    if (await run.out.taken()) for (const heard of told) heard();
  } finally {
    picture?.close();
    pictures.made()?.close();
    await composition.close();
    run.io.signals.off("SIGINT", onInterrupt);
  }
}

/** Keeps a picture in a file, which no terminal shows. */
function keepPicture(run: Invocation, file: NewFile, { content }: ToolResult): void {
  const image = content.find((part) => part.type === "image");
  if (image !== undefined) {
    file.write(Buffer.from(image.data, "base64"));
    run.out.notice(run.words.say("file.picture", { file: file.path }));
  } else if (run.exitCode === EXIT.done) run.exitCode = EXIT.failed;
}

export type ToolResult = Awaited<ReturnType<Tool["call"]>>;

interface SplitWords {
  readonly args: readonly string[];
  readonly options: CallOptions;
  readonly help: boolean;
}

/** Options may also stand behind the tool's name, where people write them. */
function splitOptions(rest: readonly string[], given: CallOptions): SplitWords {
  let [options, help] = [given, false];
  const args: string[] = [];
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at] ?? "";
    const [name, inline] = word.split(/=(.*)/s);
    if (word === "--json") options = { ...options, json: true };
    else if (word === "--help" || word === "-h") help = true;
    else if (name === "--profile") options = { ...options, profile: inline ?? rest[++at] ?? "" };
    else if (name === "--tenant") options = { ...options, tenant: inline ?? rest[++at] ?? "" };
    else if (name === "--chart" && isFile(inline ?? rest[at + 1]))
      options = { ...options, chart: inline ?? rest[++at] ?? "" };
    else args.push(word);
  }
  return { args, options, help };
}

/** `--chart FILE` writes the picture; `--chart` and `--chart true` are the tool's field. */
function isFile(word: string | undefined): boolean {
  return word !== undefined && word !== "true" && word !== "false" && !word.startsWith("--");
}

async function listTools(run: Invocation, json: boolean): Promise<void> {
  const tools = await everyTool();
  if (json) run.out.printJson({ tools: tools.map(({ name, description }) => ({ name, description })) });
  else
    run.out.print(
      table(
        ["tool", "what it does"],
        tools.map((tool) => [tool.name, summaryOf(tool)]),
      ),
    );
}

/** The first sentence; of a draft API the second, as the first only says that it is one. */
function summaryOf({ description }: Tool): string {
  const [first = "", second = ""] = description.split(". ");
  return first === "Draft API" ? `Draft: ${second}` : first;
}

function helpOf(tool: Tool): string {
  return [
    `Usage: hoga call ${tool.name} [JSON] [--field value …] [--json] [--profile <name>]`,
    "",
    tool.description,
    "",
    "Fields:",
    fieldTable(tool.inputJson()),
  ].join("\n");
}

/** A name that differs from a tool's in at most this many letters is taken for a misspelling of it. */
const NEAR = 3;

async function findTool(name: string): Promise<Tool> {
  const wanted = name.replaceAll("-", "_");
  const isWanted = (known: Tool): boolean => known.name === wanted;
  const usual = TOOLS.find(isWanted);
  if (usual !== undefined) return usual;
  const tools = await everyTool();
  const tool = tools.find(isWanted);
  if (tool !== undefined) return tool;
  const ranked = tools.map((known) => ({
    name: known.name,
    distance: editDistance(wanted.slice(0, 40), known.name),
  }));
  const [nearest] = ranked.sort((a, b) => a.distance - b.distance);
  const guess = nearest !== undefined && nearest.distance <= NEAR ? `Did you mean ${nearest.name}? ` : "";
  throw new UsageError(
    `There is no tool ${quoted(name, 40)}.`,
    `${guess}Tools: ${tools.map((known) => known.name).join(", ")}`,
  );
}

function checkChart(tool: Tool): void {
  const fields = tool.inputJson()["properties"];
  if (typeof fields === "object" && fields !== null && "chart" in fields) return;
  throw new UsageError(
    `${tool.name} draws no picture.`,
    "Leave --chart out; get_candles, get_orderbook and get_portfolio draw one.",
  );
}

/** A tool that the profile does not give to an assistant is not given here either. */
function checkModule({ name, module }: Tool, profile: Profile, home: Home): void {
  if (profile.modules.includes(module)) return;
  throw new UsageError(
    `${name} is a tool of the module "${module}", and the profile "${profile.name}" is limited to modules = [${profile.modules.map((each) => `"${each}"`).join(", ")}].`,
    `Add "${module}" to the setting modules of [profiles.${profile.name}] in ${home.config}, or use another profile.`,
  );
}

function exitCode(isError: boolean, content: Structured | undefined): ExitCode {
  if (content?.outcome !== undefined) {
    // Of a plan: nothing was to be recorded, or a person decides about what goes on meanwhile.
    if (content.state === "preview") return EXIT.done;
    if (content.approval !== undefined) return EXIT.denied;
    const code = exitCodeOf(content.outcome, content.state, content.error?.code);
    const partly = content.results?.some((item) => item.error !== undefined) === true || (content.remaining ?? 0) > 0;
    return code === EXIT.done && (partly || isError) ? EXIT.failed : code;
  }
  if (!isError) return EXIT.done;
  return isBadInput(content?.error?.code) ? EXIT.usage : EXIT.failed;
}

interface FieldSchema {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
  readonly description?: string;
}

type Fields = Readonly<Record<string, FieldSchema>>;
type Schema = Readonly<Record<string, unknown>>;

export function parseArguments(words: readonly string[], schema: Schema): object {
  const fields = fieldsOf(schema);
  const pairs = new Map<string, unknown>();
  let object = {};
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (!word.startsWith("--")) {
      object = { ...object, ...parseObject(word) };
      continue;
    }
    const [name = "", inline] = word.slice(2).split(/=(.*)/s);
    const field = name.replaceAll("-", "_");
    const type = fields[field]?.type;
    const next = words[at + 1]?.startsWith("--") === true ? undefined : words[at + 1];
    const isBare = inline === undefined && next === undefined && type === "boolean";
    const value = isBare ? "true" : (inline ?? next);
    if (value === undefined) throw new UsageError(`--${name} has no value.`, `Write --${name} VALUE.`);
    if (inline === undefined && !isBare) at += 1;
    if (pairs.has(field)) throw new UsageError(`--${name} is given twice.`, "Give each field once.");
    pairs.set(field, convert(name, value, type));
  }
  return { ...object, ...Object.fromEntries(pairs) };
}

/** The fields of a tool, one a line. */
export function fieldTable(schema: Schema): string {
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const rows = Object.entries(fieldsOf(schema)).map(([name, field]) => [
    `  --${name.replaceAll("_", "-")}`,
    field.enum?.join("|") ?? TYPE_WORDS[String(field.type)] ?? "text",
    required.includes(name) ? "required" : "",
    field.description ?? "",
  ]);
  return rows.length === 0 ? "  none" : table(["", "", "", ""], rows).trimStart().replace(/^/, "  ");
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  boolean: "true|false",
  integer: "whole number",
  array: "list, with commas",
  object: "JSON object",
};

function fieldsOf(schema: Schema): Fields {
  return (schema["properties"] ?? {}) as Fields;
}

function parseObject(text: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new UsageError(
    `${quoted(text, 40)} is not a JSON object.`,
    `Write arguments as '{"symbol":"BTC/KRW"}' or as --symbol BTC/KRW.`,
  );
}

function convert(name: string, text: string, type: unknown): unknown {
  if (type === "array") return text.split(",").map((part) => part.trim());
  if (type === "object") return parseObject(text);
  if (type === "boolean") {
    if (text !== "true" && text !== "false")
      throw new UsageError(`--${name} is neither true nor false.`, "Write true or false.");
    return text === "true";
  }
  // Only counts (depth, limit, seconds) are numbers in the tools' schemas; amounts are strings.
  if (type === "integer" && /^-?\d{1,15}$/.test(text)) return Number(text); // not money: a count
  return text;
}
