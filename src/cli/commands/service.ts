/**
 * `hoga service`: hoga under an account of its own, by systemd. What is to be changed on this machine is shown first, and done after a
 * yes.
 *
 * Invariants: nothing is done twice, and nothing over what a person has changed; what is kept in the data directory is never
 * touched; no secret is read.
 *
 * Source: separate.md#install, decision 0036.
 */
import { accessSync, constants, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import type { Writable } from "node:stream";
import { defined } from "../../contract/index.ts";
import { programLine } from "../command-line.ts";
import { EXIT, ExplainedError, NotApprovedError, UsageError } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { ACCOUNT, ACCOUNT_HOME, AS_ACCOUNT } from "../service/account.ts";
import { SERVICE_TEXTS, type System, systemOf } from "../service/elsewhere.ts";
import { type ProgramFiles, programFiles, unsafeProgram } from "../service/program-files.ts";
import { findAccount, isManaged, makeAccount, outputOf, requireSystemd, stateOf, tell } from "../service/system.ts";
import { isUntouched, servedBy, UNIT, unitText } from "../service/unit.ts";

export interface ServiceOptions {
  readonly port: number;
  readonly profile?: string;
  readonly print?: boolean;
  readonly for?: System;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** Gives an assistant what it needs to look, to trade and to stop. */
const TRADES = "market:read,account:read,trade:write,safety:write";

type Action = (options: ServiceOptions, run: Invocation) => Promise<void> | void;

interface Step {
  readonly says: string;
  readonly take: () => void;
}

const UNIT_FILE = `/etc/systemd/system/${UNIT}`;
/** Lies where a command that runs as the account finds it too, without any variable. */
const DATA_DIR = join(ACCOUNT_HOME, ".local", "share", "hoga");
const GUIDE = "docs/guides/separate.md";

const ACTIONS: Readonly<Record<string, Action>> = { install, status, uninstall };

export async function service(action: string, options: ServiceOptions, run: Invocation): Promise<void> {
  await ACTIONS[action]?.(options, run);
}

async function install(options: ServiceOptions, run: Invocation): Promise<void> {
  const files = programFiles(run.io.program);
  const { port, profile } = options;
  const settings = { ...files, port, ...defined({ profile }) };
  if (options.print === true) {
    const unit = SERVICE_TEXTS[options.for ?? systemOf(process.platform)](settings);
    return options.json === true ? run.out.printJson({ unit }) : run.out.write(unit);
  }
  if (options.for !== undefined)
    throw new UsageError("--for goes with --print: hoga installs itself by systemd alone.", "Add --print.");
  const text = unitText(settings);
  requireSystemd();
  requireSafe(files);
  await carryOut(installSteps(text, options.force === true), options, run);
  if (options.dryRun === true) return;
  const address = `http://127.0.0.1:${port}/mcp`;
  const left = isManaged() ? [] : [`systemctl daemon-reload`, `systemctl start ${UNIT}`];
  if (options.json === true)
    return run.out.printJson({
      unit: UNIT_FILE,
      account: ACCOUNT,
      data_dir: DATA_DIR,
      address,
      state: stateOf(UNIT),
      left,
    });
  run.out.print(
    [
      ...(left.length === 0
        ? [`${UNIT} is ${stateOf(UNIT)}, under the account ${ACCOUNT}.`]
        : [`systemd does not run here, so that nothing was started. Where it does, run: ${left.join(" && ")}`]),
      `MCP at ${address}. Its data: ${DATA_DIR}`,
      "A token for an assistant, and the PIN of its person:",
      `  ${asAccount(run, "tokens", "create", "assistant", "--scopes", TRADES)}`,
      `  ${asAccount(run, "pin")}`,
    ].join("\n"),
  );
}

/** A command that a person runs as the account, in its data directory. */
function asAccount(run: Invocation, ...words: readonly string[]): string {
  return `${AS_ACCOUNT}${programLine(run, words)}`;
}

function requireSafe(files: ProgramFiles): void {
  const problem = unsafeProgram(files);
  if (problem === undefined) return;
  throw new ExplainedError(
    problem,
    `Install it as root, for all to read: npm pack, then sudo npm install --global --ignore-scripts ./hoga-*.tgz (${GUIDE}#program).`,
  );
}

function installSteps(text: string, isForced: boolean): readonly Step[] {
  const account = findAccount();
  if (account !== undefined && account.home !== ACCOUNT_HOME)
    throw new ExplainedError(
      `There is an account ${ACCOUNT} on this machine that is not this service's: its home is ${account.home}.`,
      `Rename it, or make its home ${ACCOUNT_HOME}.`,
    );
  const steps: Step[] = [];
  if (account === undefined)
    steps.push({ says: `make the account ${ACCOUNT}: no password, no shell, home ${ACCOUNT_HOME}`, take: makeAccount });
  const before = unitFile();
  if (before !== text) {
    if (before !== undefined) requireOurs(before, isForced);
    steps.push({ says: `${before === undefined ? "write" : "replace"} ${UNIT_FILE}`, take: () => writeUnit(text) });
  }
  return [...steps, ...startSteps(before !== text)];
}

/** @param isNew whether the unit is not the one that runs */
function startSteps(isNew: boolean): readonly Step[] {
  const steps: Step[] = [];
  if (isManaged() && isNew) steps.push(systemctl("read the units again", "daemon-reload"));
  if (outputOf("systemctl", ["is-enabled", UNIT])?.trim() !== "enabled")
    steps.push(systemctl("start it whenever this machine starts", "enable", UNIT));
  if (isManaged() && (isNew || stateOf(UNIT) !== "active"))
    steps.push(systemctl("start it now, or anew: what runs is answered first", "restart", UNIT));
  return steps;
}

function systemctl(says: string, ...words: readonly string[]): Step {
  return { says: `${says} (systemctl ${words.join(" ")})`, take: () => tell("systemctl", words) };
}

function unitFile(): string | undefined {
  return existsSync(UNIT_FILE) ? readFileSync(UNIT_FILE, "utf8") : undefined;
}

function requireOurs(text: string, isForced: boolean): void {
  if (isUntouched(text) || isForced) return;
  throw new ExplainedError(
    `${UNIT_FILE} was not written by this command, or was changed since.`,
    `Put your own settings into a drop-in (systemctl edit ${ACCOUNT}), which stays; or give --force, and they are gone.`,
  );
}

/** There whole, or as it was. */
function writeUnit(text: string): void {
  const draft = `${UNIT_FILE}.part`;
  rmSync(draft, { force: true });
  writeFileSync(draft, text, { mode: 0o644, flag: "wx", flush: true });
  renameSync(draft, UNIT_FILE);
}

/** Shows the steps, asks, and takes them. @throws NotApprovedError where nobody says yes */
async function carryOut(steps: readonly Step[], options: ServiceOptions, run: Invocation): Promise<void> {
  const isTold = options.json === true ? run.out.notice.bind(run.out) : run.out.print.bind(run.out);
  if (steps.length === 0) return isTold("Nothing is to be changed.");
  isTold(["On this machine:", ...steps.map(({ says }) => `  - ${says}`)].join("\n"));
  if (options.dryRun === true) return;
  if (process.geteuid?.() !== 0)
    throw new ExplainedError("Only root can do this.", `Run: sudo ${programLine(run, run.argv)}`);
  if (options.yes !== true && !(await agreed(run)))
    throw new NotApprovedError("Nothing was changed.", "Run it again and answer y, or give --yes.");
  for (const { take } of steps) take();
}

async function agreed({ io }: Invocation): Promise<boolean> {
  const { stdin, stderr } = io;
  if (stdin.isTTY !== true || stderr.isTTY !== true)
    throw new UsageError("There is nobody to ask without a terminal.", "Look at it with --dry-run, then give --yes.");
  const lines = createInterface({ input: stdin, output: stderr as unknown as Writable });
  try {
    const gone = new Promise<string>((resolve) => lines.once("close", () => resolve("")));
    return /^y(es)?$/i.test((await Promise.race([lines.question("Do this? [y/N] "), gone])).trim());
  } finally {
    lines.close();
  }
}

async function status({ json }: ServiceOptions, run: Invocation): Promise<void> {
  requireSystemd();
  const text = unitFile();
  if (text === undefined) {
    run.exitCode = EXIT.failed;
    if (json === true) return run.out.printJson({ installed: false });
    return run.out.print(`${UNIT} is not installed. hoga service install --dry-run shows what that would do.`);
  }
  const { port, program, node } = servedBy(text);
  const account = findAccount();
  const found = {
    installed: true,
    unit: UNIT_FILE,
    changed_by_hand: !isUntouched(text),
    account: account === undefined ? null : { name: ACCOUNT, uid: account.uid },
    data_dir: DATA_DIR,
    state: stateOf(UNIT),
    address: `http://127.0.0.1:${port}/mcp`,
    answers: await doesAnswer(port),
    program_problem: existsSync(program) ? (unsafeProgram({ node, program }) ?? null) : `${program} is not there`,
    you: { uid: process.getuid?.() ?? -1, can_read: whatIsRead() },
  };
  const isSeparate = found.program_problem === null && (found.you.uid === 0 || found.you.can_read.length === 0);
  if (!isSeparate) run.exitCode = EXIT.failed;
  if (json === true) run.out.printJson(found);
  else run.out.print(statusText(found));
}

interface Found {
  readonly changed_by_hand: boolean;
  readonly account: { readonly uid: number } | null;
  readonly state: string;
  readonly address: string;
  readonly answers: boolean;
  readonly program_problem: string | null;
  readonly you: { readonly uid: number; readonly can_read: readonly string[] };
}

function statusText(found: Found): string {
  const { changed_by_hand, account, state, address, answers, program_problem, you } = found;
  const read =
    you.uid === 0 ? "root, who reads everything" : `uid ${you.uid}, who cannot read its key, its policy or its store`;
  return [
    `unit     ${UNIT_FILE}${changed_by_hand ? ", changed by hand" : ""}`,
    `state    ${state}${isManaged() ? "" : " (systemd does not run here)"}`,
    `account  ${account === null ? `${ACCOUNT} is not there` : `${ACCOUNT}, uid ${account.uid}`}`,
    `data     ${DATA_DIR}`,
    `address  ${address}${answers ? "" : ", which does not answer"}`,
    `program  ${program_problem ?? "only root can change it"}`,
    `you      ${you.can_read.length === 0 || you.uid === 0 ? read : `uid ${you.uid} CAN READ ${you.can_read.join(", ")}: so can an assistant with your shell`}`,
  ].join("\n");
}

/** Names what of hoga's is read by whoever runs this. */
function whatIsRead(): readonly string[] {
  const names = ["", "config.toml", "policy.toml", "hoga.db", "http-token"];
  return [ACCOUNT_HOME, ...names.map((name) => join(DATA_DIR, name))].filter((path) => {
    try {
      accessSync(path, constants.R_OK);
      return true;
    } catch {
      return false;
    }
  });
}

const ANSWER_MS = 1_000;

async function doesAnswer(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(ANSWER_MS) })).ok;
  } catch {
    return false;
  }
}

async function uninstall(options: ServiceOptions, run: Invocation): Promise<void> {
  requireSystemd();
  const text = unitFile();
  if (text !== undefined) requireOurs(text, options.force === true);
  const steps: Step[] = [];
  if (text !== undefined) {
    if (isManaged()) steps.push(systemctl("stop it: what runs is answered first", "stop", UNIT));
    steps.push(systemctl("start it with this machine no more", "disable", UNIT));
    steps.push({ says: `remove ${UNIT_FILE}`, take: () => rmSync(UNIT_FILE) });
    if (isManaged()) steps.push(systemctl("read the units again", "daemon-reload"));
  }
  await carryOut(steps, options, run);
  if (options.dryRun === true) return;
  if (options.json === true) return run.out.printJson({ installed: false, data_dir: DATA_DIR, account: ACCOUNT });
  run.out.print(
    `Left as it is: ${ACCOUNT_HOME}, with key, policy and store, and the account ${ACCOUNT}. To remove these too: userdel ${ACCOUNT} && rm -r ${ACCOUNT_HOME}`,
  );
}
