/**
 * `hoga init`: a person begins. It shows what it would write into the files of the assistants that are there, and writes it after an answer; what
 * it has written it can take back. On paper one Enter is enough; an exchange with real money is asked about step by step.
 *
 * Invariants: nothing is written without a person at a terminal; a file that cannot be read whole is left alone; a secret is neither shown nor
 * copied.
 *
 * Source: init.md, decision 0097.
 */
import { homedir } from "node:os";
import { loadProfile } from "../../config/index.ts";
import { quoted } from "../../contract/index.ts";
import { CARDS } from "../../venues/index.ts";
import { type Launched, launched } from "../command-line.ts";
import { EXIT, NotApprovedError, UsageError } from "../failure.ts";
import { ASSISTANT_NAMES, type Assistant, assistantsOn, type Machine } from "../init/assistants.ts";
import { type Planned, plannedFor } from "../init/plan.ts";
import { type Change, carryOut, lastKept, takeBack, type Undoing, undoingOf } from "../init/undo.ts";
import type { Invocation } from "../invocation.ts";
import { type Ask, atTerminal } from "./pin-prompt.ts";

export interface InitOptions {
  readonly profile?: string;
  readonly client?: string;
  readonly print?: boolean;
  readonly undo?: boolean;
  readonly json?: boolean;
}

export async function init(options: InitOptions, run: Invocation, machine = machineOf(run)): Promise<void> {
  if (options.undo === true) {
    undo(options, run);
    return;
  }
  const { name } = loadProfile(run.home, run.env, options.profile);
  const assistants = meantBy(options, machine);
  const planned = planFor(assistants, launched(run, options.profile));
  if (options.print === true) {
    show(planned, name, options, run);
    return;
  }
  requireTerminal(run);
  await atTerminal(run, "init", (ask) => begin({ planned, assistants, name }, options, run, ask));
}

function machineOf({ env }: Invocation): Machine {
  return { platform: process.platform, userDir: env["HOME"] || env["USERPROFILE"] || homedir(), env };
}

/** Those that are there; one that is named, whether it is there or not. */
function meantBy({ client }: InitOptions, machine: Machine): readonly Assistant[] {
  const known = assistantsOn(machine);
  if (client === undefined) return known.filter(({ isFound }) => isFound);
  const named = known.filter(({ name }) => name === client);
  if (named.length === 0)
    throw new UsageError(
      `hoga knows no assistant ${quoted(client, 40)}.`,
      `Name one of: ${ASSISTANT_NAMES.join(", ")}; or paste what hoga init --print shows into its configuration.`,
    );
  return named;
}

function planFor(assistants: readonly Assistant[], how: Launched): readonly Planned[] {
  return assistants.map((assistant) => plannedFor(assistant, how));
}

function requireTerminal({ io }: Invocation): void {
  if (io.stdin.isTTY === true && io.stderr.isTTY === true) return;
  throw new UsageError(
    "There is nobody to ask without a terminal, so nothing was written.",
    "Look at what would be written with hoga init --print, or run hoga init in a terminal window.",
  );
}

function show(planned: readonly Planned[], profile: string, { json, ...options }: InitOptions, run: Invocation): void {
  if (json === true) run.out.printJson(reportOf(planned, profile, { options, run }));
  else run.out.print(planText(planned, { options, run }));
}

interface Asked {
  readonly options: InitOptions;
  readonly run: Invocation;
}

function reportOf(planned: readonly Planned[], profile: string, { options, run }: Asked): object {
  return {
    ...{ profile, data_dir: run.home.dir },
    clients: planned.map(({ assistant, status, entry, difference, problem }) => ({
      ...{ name: assistant.name, title: assistant.title, file: assistant.file, found: assistant.isFound },
      ...{ status, entry, diff: difference, problem },
    })),
    mcpServers: { hoga: launched(run, options.profile) },
  };
}

function planText(planned: readonly Planned[], { options, run }: Asked): string {
  if (planned.length === 0)
    return [
      "No assistant that hoga knows was found here. To connect another, paste this into its MCP configuration:",
      "",
      JSON.stringify({ mcpServers: { hoga: launched(run, options.profile) } }, null, 2),
    ].join("\n");
  return planned.map(sectionOf).join("\n\n");
}

function sectionOf({ assistant: { title, file }, status, difference, problem }: Planned): string {
  switch (status) {
    case "left":
      return `${title}: ${problem}`;
    case "same":
      return `${title}: ${file} has it already.`;
    case "add":
    case "change":
      return `${title}: ${file}\n${difference}`;
    default:
      return status satisfies never;
  }
}

interface Beginning {
  readonly planned: readonly Planned[];
  readonly assistants: readonly Assistant[];
  /** Of the profile in force. */
  readonly name: string;
}

/** One answer: Enter writes what was shown, and the name of an exchange goes on to its questions. */
async function begin({ planned, assistants, name }: Beginning, options: InitOptions, run: Invocation, ask: Ask) {
  const tell = teller(options, run);
  tell(planText(planned, { options, run }));
  const exchanges = CARDS.map((card) => card.name).join(", ");
  const answer = await ask(
    `\nEnter: trade by the profile ${name}, and write this. For an exchange with a key of yours type its name (${exchanges}); n: nothing`,
    true,
  );
  const word = answer.trim().toLowerCase();
  if (/^no?$/.test(word)) throw new NotApprovedError("Nothing was changed.", "Run it again when you like.");
  if (!/^(y(es)?)?$/.test(word)) {
    const { exchangeSetUp } = await import("../init/exchange-set-up.ts");
    const made = await exchangeSetUp(word, run, { ask, tell });
    const again = planFor(assistants, launched(run, made.profile));
    tell(planText(again, { options: { profile: made.profile }, run }));
    await agreed(ask);
    write([...made.changes, ...changesOf(again)], again, made.profile, { options, run });
    return made.finish();
  }
  write(changesOf(planned), planned, name, { options, run });
}

/** With --json stdout is for the one line at the end. */
function teller({ json }: InitOptions, { out }: Invocation): (text: string) => void {
  return (text) => (json === true ? out.writeError(`${text}\n`) : out.print(text));
}

async function agreed(ask: Ask): Promise<void> {
  const answer = await ask("\nWrite all of this? [y/N]", true);
  if (!/^y(es)?$/i.test(answer.trim()))
    throw new NotApprovedError("Nothing was changed.", "Run it again when you like.");
}

const changesOf = (planned: readonly Planned[]): readonly Change[] => planned.flatMap(({ change }) => change ?? []);

function write(changes: readonly Change[], planned: readonly Planned[], profile: string, asked: Asked): void {
  const { options, run } = asked;
  const backup = changes.length === 0 ? null : carryOut(run.home, changes, new Date().toISOString());
  if (planned.some(({ status }) => status === "left")) run.exitCode = EXIT.failed;
  if (options.json === true) run.out.printJson({ ...reportOf(planned, profile, asked), backup });
  else run.out.print(backup === null ? "Nothing was to be written." : writtenText(changes, backup));
}

function writtenText(changes: readonly Change[], backup: string): string {
  return [
    ...changes.map(({ file }) => `Written: ${file}`),
    `What stood there is kept in ${backup}; hoga init --undo puts it back.`,
    'Start the assistant anew, and ask it for "the price of BTC", then to "buy BTC for 50,000 won".',
    "hoga doctor looks whether all is well.",
  ].join("\n");
}

function undo({ print, json }: InitOptions, run: Invocation): void {
  const kept = lastKept(run.home);
  if (kept === undefined)
    throw new UsageError(`There is nothing to take back in ${run.home.dir}.`, "hoga init notes there what it writes.");
  if (print !== true) requireTerminal(run);
  const undoings = print === true ? undoingOf(kept) : takeBack(kept);
  if (undoings.some(({ becomes }) => becomes === "changed since")) run.exitCode = EXIT.failed;
  if (json === true) run.out.printJson({ files: undoings });
  else run.out.print(undoings.map(undoingText).join("\n"));
}

function undoingText({ file, becomes, backup }: Undoing): string {
  if (becomes !== "changed since") return `${file}: ${becomes}`;
  const earlier = backup === null ? "" : ` What stood there before is in ${backup}.`;
  return `${file}: changed since, so it is left as it is. Take what hoga init added out of it by hand: the entry "hoga".${earlier}`;
}
