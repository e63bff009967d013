/**
 * What may come next on a command line, by the definition of the commands themselves: commands, options, and the values that are known.
 *
 * Invariant: nothing is opened for others, written or asked of an exchange; what cannot be read has no candidates.
 */
import type { Argument, Command, Option } from "commander";

export interface Candidate {
  readonly word: string;
  /** In a line; empty where nothing is to be said. */
  readonly about: string;
}

/** The values that are known on this machine. */
export interface Values {
  ofOption(name: string): Promise<readonly Candidate[]>;
  ofArgument(command: string, argument: string): Promise<readonly Candidate[]>;
  /** Fields of a tool, as options. */
  fields(tool: string): Promise<readonly Candidate[]>;
  ofField(tool: string, field: string): Promise<readonly Candidate[]>;
}

/** Where the words before have led. */
interface Place {
  readonly command: Command;
  /** Words that are no options, behind the command's name. */
  readonly given: readonly string[];
  /** The option whose value comes next. */
  readonly option: Option | undefined;
  /** A field of a tool whose value comes next. */
  readonly field: string | undefined;
}

/**
 * @param previous the words behind the program's name, the last whole one last
 * @param word what is typed of the next one; empty for nothing
 */
export async function candidatesFor(
  program: Command,
  previous: readonly string[],
  word: string,
  values: Values,
): Promise<readonly Candidate[]> {
  // `--profile=pa` is one word to most shells; to bash it is three.
  const [whole, name, begun = ""] = /^(--[^=]+)=(.*)$/.exec(word) ?? [];
  if (whole !== undefined && name !== undefined) {
    const found = await candidatesFor(program, [...previous, name], begun, values);
    return found.map((each) => ({ ...each, word: `${name}=${each.word}` }));
  }
  const typed = word === "=" ? "" : word;
  const words = previous.filter((each) => each !== "=");
  const found = await wordsAt(placeOf(program, words), typed, values);
  return found.filter((each) => each.word.startsWith(typed));
}

function placeOf(program: Command, previous: readonly string[]): Place {
  let command = program;
  let given: string[] = [];
  let option: Option | undefined;
  let field: string | undefined;
  for (const word of previous) {
    const isValue = option !== undefined || field !== undefined;
    [option, field] = [undefined, undefined];
    if (isValue) continue;
    const sub = given.length === 0 ? command.commands.find((each) => each.name() === word) : undefined;
    if (word.startsWith("-")) {
      const known = command.options.find(({ long, short }) => word === long || word === short);
      option = known !== undefined && (known.required || known.optional) ? known : undefined;
      if (known === undefined && isCall(command) && given.length > 0) field = word.replace(/^--/, "");
    } else if (sub === undefined) given.push(word);
    else [command, given] = [sub, []];
  }
  return { command, given, option, field };
}

async function wordsAt(
  { command, given, option, field }: Place,
  word: string,
  values: Values,
): Promise<readonly Candidate[]> {
  const [tool] = given;
  if (field !== undefined && tool !== undefined) return values.ofField(tool, field);
  if (option !== undefined) return choices(option.argChoices) ?? values.ofOption(option.attributeName());
  if (word.startsWith("-")) {
    const fields = isCall(command) && tool !== undefined ? await values.fields(tool) : [];
    return [...fields, ...optionsOf(command)];
  }
  const visible = command.commands.filter((each) => !isHidden(each) && given.length === 0);
  if (visible.length > 0) return visible.map((each) => ({ word: each.name(), about: each.description() }));
  const argument = argumentAt(command, given.length);
  if (argument === undefined) return [];
  return choices(argument.argChoices) ?? values.ofArgument(command.name(), argument.name());
}

function optionsOf(command: Command): readonly Candidate[] {
  const own = command.options.filter(({ hidden }) => !hidden);
  const named = own.map(({ long, short, description }) => ({ word: long ?? short ?? "", about: description }));
  return [...named, { word: "--help", about: "display help for command" }];
}

/** The last one takes as many words as there are, where it is made so. */
function argumentAt(command: Command, index: number): Argument | undefined {
  const all = command.registeredArguments;
  const last = all.at(-1);
  return all[index] ?? (last?.variadic === true ? last : undefined);
}

function choices(words: readonly string[] | undefined): readonly Candidate[] | undefined {
  return words?.map((word) => ({ word, about: "" }));
}

/** Of the command line's own, which does not say it of a command. */
function isHidden(command: Command): boolean {
  return command.name() === "complete";
}

/** The one command that takes the fields of a tool as options. */
function isCall(command: Command): boolean {
  return command.name() === "call";
}
