/**
 * The desk as one call, for a program that trades without the command line: the same settings, store, policy, lane and exchange that the commands have.
 *
 * Entry point: `openDesk`.
 */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { type Environment, readerOf } from "../../config/index.ts";
import type { Desk } from "../../desk/index.ts";
import { commandLine } from "../command-line.ts";
import { Output } from "../output.ts";
import { compose } from "./compose.ts";
import { once } from "./opening.ts";
import { servedProfile } from "./served-profile.ts";
import { openAndSettle } from "./upkeep.ts";

export interface OpenDeskOptions {
  /** Name of a profile of the settings. Default: the one that the settings name, else `paper`, the exchange that hoga carries. */
  readonly venue?: string;
  /** The data directory, a whole path. Default: `HOGA_HOME`, else the platform's. */
  readonly home?: string;
  /** The variables that settings are read from. Default: those of the process. */
  readonly env?: Environment;
  /** Told, in a sentence, what a person should know: what was settled, what fails and what works again. Default: a line on stderr. */
  readonly onNotice?: (message: string) => void;
}

/** A desk that is to be closed: it holds the store, and may host the paper exchange. */
export interface OpenedDesk extends Desk {
  /** Waits until what was reported is on disk, and lets go of store and exchange. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Opens the desk of a profile. Orders without an answer are settled first of all; while it is open it settles what comes, keeps a halt, and fires the
 * cancel timer.
 * @throws ConfigError for settings that cannot be used, before anything is opened; StoreError where the store cannot be
 */
export async function openDesk(options: OpenDeskOptions = {}): Promise<OpenedDesk> {
  const { venue, onNotice = toStderr() } = options;
  const env = { ...(options.env ?? process.env), ...(options.home !== undefined && { HOGA_HOME: options.home }) };
  const { home, profile, reader } = await servedProfile(env, venue);
  const reading = reader ?? readerOf(env);
  const composition = compose({
    ...{ home, profile, standBy: true, onNotice, onTrouble: onNotice },
    timeZone: reading.timeZone,
    commandLine: commandLine({ env, io: { program: program() } }, profile),
  });
  try {
    await openAndSettle(composition, {
      ...{ env, reader: reading, onNotice },
      onFailure: (error) => onNotice(String(error)),
    });
  } catch (error) {
    await composition.close();
    throw error;
  }
  const close = once(() => composition.close());
  return { ...composition.desk, close, [Symbol.asyncDispose]: close };
}

/** Without our secrets, as all that the commands print. */
function toStderr(): (message: string) => void {
  const out = new Output(process.stdout, process.stderr);
  return (message) => out.notice(message);
}

/** The command line of this package, by which a person approves. */
function program(): string {
  return join(dirname(createRequire(import.meta.url).resolve("hoga/package.json")), "dist/cli.js");
}
