/** Asks and tells the machine about accounts and units, by the programs that it has for that. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { ExplainedError } from "../failure.ts";
import { ACCOUNT, ACCOUNT_HOME } from "./account.ts";

export interface Account {
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

/** Exists where systemd runs this machine. */
const RUNNING = "/run/systemd/system";

/** @throws ExplainedError where this machine has no systemd */
export function requireSystemd(): void {
  if (process.platform === "linux" && outputOf("systemctl", ["--version"]) !== undefined) return;
  throw new ExplainedError(
    "There is no systemd on this machine.",
    "Make an account for hoga, and have whatever starts services here run hoga serve --http under it; hoga service install --print shows what launchd and Windows take: docs/guides/separate.md#elsewhere.",
  );
}

/** Tells whether units can be started here: not in a container or an image that systemd does not run. */
export function isManaged(): boolean {
  return existsSync(RUNNING);
}

/** @returns undefined where there is none */
export function findAccount(): Account | undefined {
  const [, , uid = "", gid = "", , home = ""] = outputOf("getent", ["passwd", ACCOUNT])?.trim().split(":") ?? [];
  return uid === "" ? undefined : { uid: Number(uid), gid: Number(gid), home }; // not money: numbers of an account
}

export function makeAccount(): void {
  const words = ["--system", "--user-group", "--no-create-home", "--home-dir", ACCOUNT_HOME];
  tell("useradd", [...words, "--shell", "/usr/sbin/nologin", ACCOUNT]);
}

/** @throws ExplainedError with what the program said */
export function tell(program: string, words: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program, words, { encoding: "utf8" });
  if (status === 0) return;
  throw new ExplainedError(
    `${[program, ...words].join(" ")} failed: ${(error?.message ?? stderr).trim()}`,
    "See to what it says, then run this command again: what is done already is not done twice.",
  );
}

/** @returns undefined where it fails or is not there */
export function outputOf(program: string, words: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync(program, words, { encoding: "utf8" });
  return status === 0 ? stdout : undefined;
}

/** In systemd's words, such as active, inactive or failed. */
export function stateOf(unit: string): string {
  // Says it on stdout whatever the status.
  const { stdout } = spawnSync("systemctl", ["is-active", unit], { encoding: "utf8" });
  return isManaged() ? (stdout ?? "").trim() || "unknown" : "unknown";
}
