/** `hoga call`: one tool from the shell. The same tool, desk and words as an assistant gets. */
import { homeOf, loadProfile } from "../../config/index.ts";
import type { WriteOutcome } from "../../desk/index.ts";
import { type Serving, TOOLS, type Tool } from "../../mcp/index.ts";
import { compose } from "../compose.ts";
import { EXIT, type ExitCode, exitCodeOf, fail, UsageError } from "../failure.ts";
import { notice, print, printJson, table } from "../output.ts";
import { parseArguments } from "../tool-arguments.ts";

export interface CallOptions {
  readonly profile?: string;
  readonly json?: boolean;
}

/** What a tool's structured result may hold that decides the exit code. */
interface Structured {
  readonly outcome?: WriteOutcome;
  readonly state?: string;
  readonly results?: readonly { readonly error?: unknown }[];
  readonly remaining?: number;
  readonly error?: { readonly code?: string };
}

export async function call(name: string, rest: readonly string[], given: CallOptions): Promise<void> {
  const { args, options } = splitOptions(rest, given);
  if (name === "list") {
    print(
      table(
        ["tool", "what it does"],
        TOOLS.map((tool) => [tool.name, tool.description.split(". ")[0] ?? ""]),
      ),
    );
    return;
  }
  const tool = findTool(name);
  const raw = parseArguments(args, tool.inputJson());
  const home = homeOf(process.env);
  const profile = loadProfile(home, process.env, options.profile);
  const composition = compose({ home, profile, standBy: false });
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort());
  try {
    await composition.open();
    const serving: Serving = { desk: composition.desk, onError: fail };
    const progress = (done: number, total: number, message: string): void => notice(`${done}/${total} ${message}`);
    const result = await tool.call(raw, serving, { signal: stop.signal, progress });
    if (options.json === true) printJson(result.structuredContent ?? {});
    else for (const part of result.content) if (part.type === "text") print(part.text);
    process.exitCode = exitCode(result.isError === true, result.structuredContent as Structured | undefined);
  } finally {
    await composition.close();
  }
}

/** Options may also stand behind the tool's name, where people write them. */
function splitOptions(
  rest: readonly string[],
  given: CallOptions,
): { readonly args: readonly string[]; readonly options: CallOptions } {
  let options = given;
  const args: string[] = [];
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at] ?? "";
    if (word === "--json") options = { ...options, json: true };
    else if (word === "--profile") options = { ...options, profile: rest[++at] ?? "" };
    else args.push(word);
  }
  return { args, options };
}

function findTool(name: string): Tool {
  const tool = TOOLS.find((known) => known.name === name.replaceAll("-", "_"));
  if (tool !== undefined) return tool;
  throw new UsageError(
    `There is no tool ${JSON.stringify(name.slice(0, 40))}.`,
    `Tools: ${TOOLS.map((known) => known.name).join(", ")}`,
  );
}

function exitCode(isError: boolean, content: Structured | undefined): ExitCode {
  const badInput = content?.error?.code === "ELocal:Invalid input" || content?.error?.code === "ELocal:Unknown market";
  if (content?.outcome !== undefined) {
    const code = exitCodeOf(content.outcome, content.state, badInput);
    const partly = content.results?.some((item) => item.error !== undefined) === true || (content.remaining ?? 0) > 0;
    return code === EXIT.done && (partly || isError) ? EXIT.failed : code;
  }
  return isError ? (badInput ? EXIT.usage : EXIT.failed) : EXIT.done;
}
