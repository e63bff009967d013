/** The skills of the package, and the calls that their tables teach, as they stand there. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const SKILLS = join(import.meta.dirname, "..", "..", "skills");

/** Names the skills in the order of their names. */
export const SKILL_NAMES: readonly string[] = readdirSync(SKILLS).sort();

export interface TaughtCall {
  readonly skill: string;
  readonly ko: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Every row with a call that has its arguments: what people say in Korean, in English, and the call. */
export function taughtCalls(): readonly TaughtCall[] {
  return SKILL_NAMES.flatMap((skill) =>
    skillText(skill)
      .split("\n")
      .flatMap((line) => {
        const [, ko = "", , cell = ""] = line.split("|");
        const [, tool, args] = /`([a-z_]+) (\{.*\})`/.exec(cell) ?? [];
        return tool === undefined || args === undefined
          ? []
          : [{ skill, ko: ko.trim(), tool, args: JSON.parse(args) as Record<string, unknown> }];
      }),
  );
}

export function skillText(skill: string): string {
  return readFileSync(join(SKILLS, skill, "SKILL.md"), "utf8");
}

/** Arguments that a tool takes: those of the first call of it that a skill teaches. */
export function sampleOf(tool: string): TaughtCall["args"] {
  const taught = taughtCalls().find((call) => call.tool === tool);
  if (taught === undefined)
    throw new Error(`${tool} needs a row with a call of it in a skill of skills/: tests call it as the skill does`);
  return taught.args;
}
