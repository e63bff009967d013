/** `hoga halt` and `hoga resume`: the brake. Pulling it needs nothing; lifting it needs a person and the PIN. */
import { homeOf, loadProfile } from "../../config/index.ts";
import { compose } from "../compose.ts";
import { EXIT } from "../failure.ts";
import { haltExit, haltFirst, haltText, UNNAMED_PROFILE, withProfiles } from "../halting.ts";
import { print, printJson } from "../output.ts";
import { atTerminal, provePin } from "../pin-prompt.ts";

export interface BrakeOptions {
  readonly profile?: string;
  readonly json?: boolean;
}

export interface HaltOptions extends Omit<BrakeOptions, "profile"> {
  /** True where they were written without a value. */
  readonly profile?: string | true;
  readonly reason?: string | true;
}

const BY = "a person at a terminal";

/** @param words what was not understood: no reason not to halt */
export async function halt(words: readonly string[], options: HaltOptions): Promise<void> {
  const reason = typeof options.reason === "string" ? options.reason : "";
  const isUnnamed = options.profile === true || options.profile === "";
  const profile = typeof options.profile === "string" && !isUnnamed ? options.profile : undefined;
  const ended = await haltFirst({ reason, by: BY, profile }, async (home, found) => {
    const composition = compose({ home, profile: found, standBy: false });
    try {
      return withProfiles(home, await composition.desk.halt(reason, BY));
    } finally {
      await composition.close();
    }
  });
  const report = "done" in ended ? ended.done : ended.halted;
  const ignored = words.map((word) => `Halted all the same, without this: ${JSON.stringify(word.slice(0, 40))}.`);
  if (isUnnamed) ignored.push(UNNAMED_PROFILE);
  const told = { ...report, warnings: [...report.warnings, ...ignored] };
  if (options.json === true) printJson(told);
  else print(haltText(told));
  process.exitCode = haltExit(told);
}

export async function resume(options: BrakeOptions): Promise<void> {
  await atTerminal("To lift the brake", async (ask) => {
    const home = homeOf(process.env);
    const composition = compose({ home, profile: loadProfile(home, process.env, options.profile), standBy: false });
    try {
      await provePin((await composition.store()).pin, ask);
      const report = await composition.desk.resume("a person at a terminal");
      if (options.json === true) printJson(report);
      else print(report.resumed ? "Trading goes on." : `Still halted: ${report.error?.message ?? ""}`);
      process.exitCode = report.resumed ? EXIT.done : EXIT.failed;
    } finally {
      await composition.close();
    }
  });
}
