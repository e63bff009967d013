/** What `hoga init` would write into the files of assistants: of each the change, or why it is left alone. */
import type { Launched } from "../command-line.ts";
import type { Assistant } from "./assistants.ts";
import { type Edited, type Problem, withJsonEntry, withTomlTable } from "./entry.ts";
import { bytesOf, differenceOf, textOf } from "./file-change.ts";
import type { Change } from "./undo.ts";

/** Under this name the assistants list it. */
const NAME = "hoga";

export interface Planned {
  readonly assistant: Assistant;
  /** `left`: the file is not touched, for the reason given. */
  readonly status: "add" | "change" | "same" | "left";
  readonly entry: Readonly<Record<string, unknown>>;
  readonly difference: string;
  readonly problem: Problem | null;
  readonly change: Change | undefined;
}

export function plannedFor(assistant: Assistant, launched: Launched): Planned {
  const { file, saysStdio, section } = assistant;
  const entry = { ...(saysStdio ? { type: "stdio" } : {}), ...launched };
  const before = bytesOf(file);
  const found = before === undefined ? undefined : textOf(before);
  const base = { assistant, entry, difference: "", problem: null, change: undefined };
  const leave = (problem: Problem): Planned => ({
    ...base,
    status: "left",
    problem: (say) => say("file.left", { file, problem: problem(say) }),
  });
  if (before !== undefined && found === undefined) return leave((say) => say("file.not_text"));
  const edited = editedOf(assistant, found?.text, entry);
  if ("problem" in edited) return leave(edited.problem);
  const after = Buffer.from(`${found?.mark ?? ""}${edited.text}`);
  if (before?.equals(after) === true) return { ...base, status: "same" };
  const isThere = new RegExp(`["'[.\\s]${section}\\b[\\s\\S]*\\b${NAME}\\b`).test(found?.text ?? "");
  return {
    ...base,
    status: isThere ? "change" : "add",
    difference: differenceOf(found?.text ?? "", edited.text),
    change: { file, before, after },
  };
}

function editedOf({ form, section }: Assistant, text: string | undefined, entry: Planned["entry"]): Edited {
  return form === "json" ? withJsonEntry(text, section, NAME, entry) : withTomlTable(text, section, NAME, entry);
}
