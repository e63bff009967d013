/**
 * Carries one run of the command line: its arguments, the process around it, what it prints and how it ends. Every command gets it as its
 * last argument. No command reads `process` itself, so that several runs can share one process.
 *
 * Entry points: `Io`, what a caller provides; `Invocation`, what a command uses.
 */
import { resolve } from "node:path";
import type { Readable, Writable } from "node:stream";
import { type Environment, type Home, homeOf, readerOf, settingsIn } from "../config/index.ts";
import { type Reader, type Words, wordsFor, wordsInFull } from "../words/index.ts";
import { EXIT, type ExitCode, errorReport, exitCodeOfError, explain, isExplained } from "./failure.ts";
import { Output, type TextSink } from "./output.ts";

/** The signals that ask a command to end. */
export type StopSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

export interface Signals {
  once(signal: StopSignal, listener: () => void): unknown;
  off(signal: StopSignal, listener: () => void): unknown;
}

/** Standard input; on a terminal its keys can be read one by one, unseen. */
export type Input = Readable & {
  readonly isTTY?: boolean;
  setRawMode?(mode: boolean): unknown;
};

/** Standard output; a terminal knows how many lines it shows. */
export type Screen = Writable & { readonly isTTY?: boolean; readonly rows?: number };

export interface Io {
  readonly env: Environment;
  readonly stdin: Input;
  readonly stdout: Screen;
  readonly stderr: TextSink & { readonly isTTY?: boolean };
  readonly signals: Signals;
  /** The file that was started, for an assistant to start it again. */
  readonly program: string;
  /** Does what Ctrl-C does, while we read the terminal's keys ourselves. */
  interrupt(): void;
  /** Ends the process, whatever still keeps it running. */
  exit(code: ExitCode): void;
}

/** A halt is refused for nothing. */
function isHalt([command, ...rest]: readonly string[]): boolean {
  return command === "halt" || (command === "call" && rest.includes("halt_trading"));
}

/** Takes a directory that all else refuses: what stands here is halted. */
function asIs(home: string | undefined): string | undefined {
  return home === undefined || home === "" || home.startsWith("~") ? home : resolve(home);
}

export class Invocation {
  readonly argv: readonly string[];
  readonly io: Io;
  readonly env: Environment;
  readonly out: Output;
  exitCode: ExitCode = EXIT.done;
  #words: Words | undefined;
  #home: Home | undefined;

  constructor(argv: readonly string[], io: Io) {
    this.argv = argv;
    this.io = io;
    const env = settingsIn(io.env);
    this.env = isHalt(argv) ? { ...env, HOGA_HOME: asIs(env["HOGA_HOME"]) } : env;
    this.out = new Output(io.stdout, io.stderr);
  }

  /** Whose account is meant: the operator's own, unless a tenant was named. */
  get home(): Home {
    this.#home ??= homeOf(this.env);
    return this.#home;
  }

  isFor(home: Home): void {
    this.#home = home;
  }

  /** The same run for another's account, with an end of its own. */
  of(home: Home): Invocation {
    const run = new Invocation(this.argv, this.io);
    run.#home = home;
    run.#words = this.#words;
    return run;
  }

  /** For the person at the terminal. Until the settings are read the environment alone says who that is. */
  get words(): Words {
    this.#words ??= wordsFor(readerOf(this.env));
    return this.#words;
  }

  async isReadBy(reader: Reader): Promise<void> {
    this.#words = await wordsInFull(reader);
  }

  /** Prints on stderr what went wrong, and sets the exit code that follows from it. */
  fail(error: unknown): void {
    for (const line of explain(error, this.words)) this.out.writeError(`${line}\n`);
    if (!isExplained(error) && this.env["HOGA_LOG_LEVEL"] === "debug" && error instanceof Error)
      this.out.writeError(`${error.stack ?? ""}\n`);
    this.exitCode = exitCodeOfError(error);
  }

  /** The same for an error that ends the command: a program that waits for a line of JSON gets one. */
  endWithError(error: unknown): void {
    this.reportJson(error);
    this.fail(error);
  }

  /** Prints an error as JSON where a program waits for a line on stdout. Over stdio, stdout belongs to the protocol. */
  reportJson(error: unknown): void {
    const [command, ...rest] = this.argv;
    const isProtocol = command === "connect" || (command === "serve" && !rest.includes("--http"));
    const isAwaited = rest.includes("--json") && !isProtocol;
    if (isAwaited && !this.out.hasPrinted) this.out.printJson(errorReport(error));
  }
}
