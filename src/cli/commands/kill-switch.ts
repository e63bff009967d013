/** `hoga halt` and `hoga resume`: the kill switch. A halt needs nothing; to resume takes a person and the PIN. */
import type { ResumeReport } from "../../desk/index.ts";
import type { Words } from "../../words/index.ts";
import { composeCommand } from "../composition/compose.ts";
import { EXIT, errorInWords } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { haltExit, haltFirst, haltText, UNNAMED_PROFILE, withProfiles } from "./halt-first.ts";
import { atTerminal, provePin } from "./pin-prompt.ts";

export interface ResumeOptions {
  readonly profile?: string;
  readonly json?: boolean;
}

export interface HaltOptions extends Omit<ResumeOptions, "profile"> {
  /** True where it was written without a value. */
  readonly profile?: string | true;
  readonly reason?: string | true;
}

const BY = "a person at a terminal";

/** @param words what was not understood, which is no reason not to halt */
export async function halt(words: readonly string[], options: HaltOptions, run: Invocation): Promise<void> {
  const reason = typeof options.reason === "string" ? options.reason : "";
  const isUnnamed = options.profile === true || options.profile === "";
  const profile = typeof options.profile === "string" && !isUnnamed ? options.profile : undefined;
  const ended = await haltFirst(run.env, { reason, by: BY, profile }, async (home, found) => {
    const composition = composeCommand(run, found);
    try {
      return withProfiles(home, await composition.desk.halt(reason, BY));
    } finally {
      await composition.close();
    }
  });
  const report = "done" in ended ? ended.done : ended.halted;
  const ignored = words.map((word) => run.words.say("halt.ignored", { word: JSON.stringify(word.slice(0, 40)) }));
  if (isUnnamed) ignored.push(UNNAMED_PROFILE);
  const complete = { ...report, warnings: [...report.warnings, ...ignored] };
  if (options.json === true) run.out.printJson(complete);
  else run.out.print(haltText(complete, run.words));
  run.exitCode = haltExit(complete);
}

export async function resume(options: ResumeOptions, run: Invocation): Promise<void> {
  await atTerminal(run, "resume", async (ask) => {
    const composition = composeCommand(run, options.profile);
    try {
      await provePin(run, composition, ask);
      const report = await composition.desk.resume(BY);
      if (options.json === true) run.out.printJson(report);
      else run.out.print(resumeText(report, run.words));
      run.exitCode = report.resumed ? EXIT.done : EXIT.failed;
    } finally {
      await composition.close();
    }
  });
}

function resumeText({ resumed, error }: ResumeReport, words: Words): string {
  if (resumed) return words.say("resume.done");
  return words.say("resume.not", { why: error === undefined ? "" : errorInWords(error, words) });
}
