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
import { wordsFor } from "../../words/index.ts";
import { type Launched, launched } from "../command-line.ts";
import { EXIT, NotApprovedError, UsageError } from "../failure.ts";
import { ASSISTANT_NAMES, type Assistant, assistantsOn, type Machine } from "../init/assistants.ts";
import { type InitSay, initSaid, initSay } from "../init/init-words.ts";
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
      ...initSaid(
        (say) => say("client.unknown", { name: quoted(client, 40) }),
        (say) => say("client.name_one", { names: ASSISTANT_NAMES.join(", ") }),
      ),
    );
  return named;
}

function planFor(assistants: readonly Assistant[], how: Launched): readonly Planned[] {
  return assistants.map((assistant) => plannedFor(assistant, how));
}

function requireTerminal({ io }: Invocation): void {
  if (io.stdin.isTTY === true && io.stderr.isTTY === true) return;
  throw new UsageError(
    ...initSaid(
      (say) => say("terminal.none"),
      (say) => say("terminal.instead"),
    ),
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
      ...{ status, entry, diff: difference, problem: problem?.(initSay(wordsFor())) ?? null },
    })),
    mcpServers: { hoga: launched(run, options.profile) },
  };
}

function planText(planned: readonly Planned[], { options, run }: Asked): string {
  const say = initSay(run.words);
  if (planned.length === 0)
    return [
      say("client.none"),
      "",
      JSON.stringify({ mcpServers: { hoga: launched(run, options.profile) } }, null, 2),
    ].join("\n");
  return planned.map((each) => sectionOf(each, say)).join("\n\n");
}

function sectionOf({ assistant: { title, file }, status, difference, problem }: Planned, say: InitSay): string {
  switch (status) {
    case "left":
      return `${title}: ${problem?.(say) ?? ""}`;
    case "same":
      return say("file.same", { title, file });
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
  const say = initSay(run.words);
  const exchanges = CARDS.map((card) => card.name).join(", ");
  const answer = await ask(`\n${say("ask.begin", { profile: name, exchanges })}`, true);
  const word = answer.trim().toLowerCase();
  if (/^no?$/.test(word)) throw unchanged();
  if (!/^(y(es)?)?$/.test(word)) {
    const { exchangeSetUp } = await import("../init/exchange-set-up.ts");
    const made = await exchangeSetUp(word, run, { ask, tell });
    const again = planFor(assistants, launched(run, made.profile));
    tell(planText(again, { options: { profile: made.profile }, run }));
    await agreed(ask, say);
    write([...made.changes, ...changesOf(again)], again, made.profile, { options, run });
    return made.finish();
  }
  write(changesOf(planned), planned, name, { options, run });
}

/** With --json stdout is for the one line at the end. */
function teller({ json }: InitOptions, { out }: Invocation): (text: string) => void {
  return (text) => (json === true ? out.writeError(`${text}\n`) : out.print(text));
}

function unchanged(): NotApprovedError {
  return new NotApprovedError(
    ...initSaid(
      (say) => say("end.unchanged"),
      (say) => say("end.again"),
    ),
  );
}

async function agreed(ask: Ask, say: InitSay): Promise<void> {
  const answer = await ask(`\n${say("ask.all")}`, true);
  if (!/^y(es)?$/i.test(answer.trim())) throw unchanged();
}

const changesOf = (planned: readonly Planned[]): readonly Change[] => planned.flatMap(({ change }) => change ?? []);

function write(changes: readonly Change[], planned: readonly Planned[], profile: string, asked: Asked): void {
  const { options, run } = asked;
  const backup = changes.length === 0 ? null : carryOut(run.home, changes, new Date().toISOString());
  if (planned.some(({ status }) => status === "left")) run.exitCode = EXIT.failed;
  if (options.json === true) run.out.printJson({ ...reportOf(planned, profile, asked), backup });
  else run.out.print(writtenText(changes, backup, initSay(run.words)));
}

function writtenText(changes: readonly Change[], backup: string | null, say: InitSay): string {
  if (backup === null) return say("written.nothing");
  return [
    ...changes.map(({ file }) => say("written.file", { file })),
    say("written.kept", { backup }),
    say("written.next"),
    say("written.doctor"),
  ].join("\n");
}

function undo({ print, json }: InitOptions, run: Invocation): void {
  const kept = lastKept(run.home);
  if (kept === undefined)
    throw new UsageError(
      ...initSaid(
        (say) => say("undo.nothing", { dir: run.home.dir }),
        (say) => say("undo.notes"),
      ),
    );
  if (print !== true) requireTerminal(run);
  const undoings = print === true ? undoingOf(kept) : takeBack(kept);
  if (undoings.some(({ becomes }) => becomes === "changed since")) run.exitCode = EXIT.failed;
  if (json === true) run.out.printJson({ files: undoings });
  else run.out.print(undoings.map((each) => undoingText(each, initSay(run.words))).join("\n"));
}

function undoingText({ file, becomes, backup }: Undoing, say: InitSay): string {
  switch (becomes) {
    case "put back":
      return say("undo.put_back", { file });
    case "removed":
      return say("undo.removed", { file });
    case "as it was":
      return say("undo.as_it_was", { file });
    case "changed since":
      return [say("undo.changed_since", { file }), ...(backup === null ? [] : [say("undo.earlier", { backup })])].join(
        " ",
      );
    default:
      return becomes satisfies never;
  }
}
