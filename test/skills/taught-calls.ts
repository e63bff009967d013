/** The calls that the skill's table of requests teaches, as they stand there. */

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
