/** The list of decisions, made from their files: number, title, and which numbers are not there. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const FILE = /^(\d{4})-.+\.md$/;

/** @param folder of the decisions @returns the page that lists them */
export function decisionIndex(folder: string): string {
  const files = readdirSync(folder)
    .filter((name) => FILE.test(name))
    .sort();
  const rows = files.map((file) => {
    const [, number = "", title = ""] = /^# (\d+)\. (.+)/.exec(readFileSync(join(folder, file), "utf8")) ?? [];
    if (number.padStart(4, "0") !== file.slice(0, 4))
      throw new Error(`${file} does not begin with its number and title`);
    return `| ${number} | [${title}](${file}) |`;
  });
  const numbers = files.map((file) => Number(file.slice(0, 4))); // not money: numbers of files
  const missing = Array.from({ length: numbers.at(-1) ?? 0 }, (_, at) => at + 1).filter((n) => !numbers.includes(n));
  return [
    "# Decisions",
    "",
    "Why things are as they are, where there were alternatives. Made by `npm run docs`.",
    "",
    "| | decision |",
    "|---|---|",
    ...rows,
    "",
    `The numbers ${missing.join(", ")} were given to drafts that went into another decision or were not taken; they are not given again.`,
    "",
  ].join("\n");
}
