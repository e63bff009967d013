/**
 * Owns running the command that a profile gets its key from, such as `op read …` or `pass show …`, in the shell.
 *
 * Invariants: it ends, or is stopped, in time; nothing of the command, of what it prints or of its stderr is shown, as each may
 * hold the key; its stdin is empty, as ours may belong to the protocol.
 *
 * Source: settings.md#keys.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { ConfigError } from "../files/config-error.ts";
import type { Environment } from "../files/environment.ts";
import { Secret } from "../secrets/secret.ts";

export interface KeyCommand {
  /** Profile and setting, as an error calls it. */
  readonly shown: string;
  /** Lines it has to print. */
  readonly count: 1 | 2;
  readonly env: Environment;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
}

/** A person may have to unlock something. */
const TIMEOUT_MS = 30_000;
/** Far more than a key and a secret. */
const BYTES_MAX = 64 * 1024;

const RUN_IT = "Run the command in a terminal to see what it says; that is not shown here, as it may hold the key.";

/** @throws ConfigError with the exit code or the other reason. */
export async function printedLines(command: string, given: KeyCommand): Promise<readonly Secret[]> {
  const output = (await outputOf(command, given)).replace(/[\r\n]+$/, "");
  const lines = output === "" ? [] : output.split(/\r?\n/);
  if (lines.length === given.count) return lines.map((line) => new Secret(line));
  const wanted = given.count === 2 ? "two are wanted, the key and the secret" : "one is wanted";
  throw new ConfigError(
    `${given.shown} printed ${lines.length} lines, where ${wanted}.`,
    given.count === 2 ? `${RUN_IT} Where it prints the key alone, add secret_command.` : RUN_IT,
  );
}

function outputOf(command: string, { shown, env, signal, timeoutMs = TIMEOUT_MS }: KeyCommand): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = startShell(command, env, shown);
    const chunks: Buffer[] = [];
    let bytes = 0;
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
    const giveUp = (why: string, fix = RUN_IT): void => {
      settle();
      child.kill();
      // What the shell started may live on and hold the pipe open.
      child.stdout?.destroy();
      reject(new ConfigError(`${shown} ${why}.`, fix));
    };
    const onAbort = (): void => giveUp("was not waited for: this process ends", "Start it again.");
    const timer = setTimeout(
      () => giveUp(`did not end within ${timeoutMs / 1000} s`, "Unlock the password manager first, then start again."),
      timeoutMs,
    );
    signal?.addEventListener("abort", onAbort, { once: true });
    if (signal?.aborted === true) onAbort();
    child.stdout?.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= BYTES_MAX) chunks.push(chunk);
      else giveUp("prints far more than a key");
    });
    child.on("error", (error) => giveUp(`cannot be started (${codeOf(error)})`));
    child.on("close", (code, killedBy) => {
      if (code === 0) {
        settle();
        resolve(Buffer.concat(chunks).toString("utf8"));
      } else giveUp(code === null ? `was ended by ${killedBy ?? "a signal"}` : `ended with exit code ${code}`);
    });
  });
}

function startShell(command: string, env: Environment, shown: string): ChildProcess {
  try {
    return spawn(command, { shell: true, env: { ...env }, stdio: ["ignore", "pipe", "ignore"], windowsHide: true });
  } catch (error) {
    // Node's own words quote the command.
    throw new ConfigError(`${shown} cannot be started (${codeOf(error)}).`, RUN_IT);
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
}
