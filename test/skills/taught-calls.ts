/** The calls that the skill's table of requests teaches, as they stand there. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

const PAGE = "skills/hoga-trading/references/requests.md";

export interface TaughtCall {
  readonly ko: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** @param page the text of `references/requests.md` */
export function taughtCalls(page: string): readonly TaughtCall[] {
  return page.split("\n").flatMap((line) => {
    const [, ko = "", , cell = ""] = line.split("|");
    const [, tool, args] = /`([a-z_]+) (\{.*\})`/.exec(cell) ?? [];
    return tool === undefined || args === undefined
      ? []
      : [{ ko: ko.trim(), tool, args: JSON.parse(args) as Record<string, unknown> }];
  });
}

/** Arguments that a tool takes: those of the first call that the skill teaches. */
export function sampleOf(tool: string): TaughtCall["args"] {
  const page = readFileSync(join(import.meta.dirname, "..", "..", PAGE), "utf8");
  const taught = taughtCalls(page).find((call) => call.tool === tool);
  if (taught === undefined)
    throw new Error(`${tool} needs a row with a call of it in ${PAGE}: tests call it as the skill does`);
  return taught.args;
}
