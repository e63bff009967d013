/**
 * Owns what is said of a `policy.toml` that does not fit the table of settings.
 *
 * Invariant: of a bad value its name, its line and the rule are shown, never the value.
 *
 * Source: policy.md#precedence.
 */
import type { z } from "zod";
import { quoted, type Unit } from "../../contract/index.ts";
import { type GivenSettings, nameInUnit, policyTable, sectionsIn, settingNames } from "../../policy/index.ts";

export type ReadSettings =
  | { readonly ok: true; readonly given: GivenSettings }
  /** Says each in one sentence, without a full stop. */
  | { readonly ok: false; readonly problems: readonly string[] };

/** Most problems shown at once. */
const PROBLEMS_MAX = 10;

/** Checks and translates the settings. @param text the file's, to find the lines of what is wrong */
export function readSettings(table: unknown, text: string, unit: Unit): ReadSettings {
  const parsed = policyTable(unit).safeParse(table);
  if (!parsed.success) {
    const problems = parsed.error.issues.flatMap((issue) => problemsOf(issue, text, unit));
    return { ok: false, problems: [...new Set(problems)].slice(0, PROBLEMS_MAX) };
  }
  return { ok: true, given: parsed.data };
}

function problemsOf(issue: z.core.$ZodIssue, text: string, unit: Unit): readonly string[] {
  const [first, ...inside] = issue.path.map(String);
  const section = first !== undefined && first in sectionsIn(unit) ? (first as Section) : undefined;
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => unknownSetting(key, text, section, unit));
  const [field] = section === undefined ? [first] : inside;
  if (field === undefined)
    return [`${placeOf(String(first), text)}${first} must be a section of settings, under [${first}]`];
  const name = section === undefined ? field : `${section}.${field}`;
  return [`${placeOf(field, text, section)}${name} ${issue.message}`];
}

/** Longest name shown of a setting that there is not. */
const SHOWN_MAX = 40;

type Section = keyof ReturnType<typeof sectionsIn>;

function unknownSetting(key: string, text: string, section: Section | undefined, unit: Unit): string {
  const known = section === undefined ? settingNames(unit) : Object.keys(sectionsIn(unit)[section].shape);
  const inUnit = nameInUnit(key, unit, known);
  if (inUnit !== undefined)
    return `${placeOf(key, text, section)}${key} is a sum in another unit: this profile counts in ${unit}, write ${inUnit} with a figure in ${unit}`;
  const [best] = known.map((name) => ({ name, likeness: likeness(name, key) })).sort((a, b) => b.likeness - a.likeness);
  const hint =
    best !== undefined && best.likeness >= 0.5 ? `did you mean ${best.name}` : `there are ${known.join(", ")}`;
  const where = section === undefined ? "" : `in [${section}], `;
  return `${placeOf(key, text, section)}${where}unknown setting ${quoted(key, SHOWN_MAX)}: ${hint}`;
}

/** From 0 to 1, the share of pairs of letters that two words have in common, as order_max_krw is like max_order_krw too. */
function likeness(a: string, b: string): number {
  const [ofA, ofB] = [pairsOf(a), pairsOf(b)];
  const common = [...ofA].filter((pair) => ofB.has(pair)).length;
  return (2 * common) / (ofA.size + ofB.size);
}

/** The beginning and the end of the word count as letters, so that there always is a pair. */
function pairsOf(word: string): ReadonlySet<string> {
  const letters = `^${word.slice(0, SHOWN_MAX).toLowerCase()}$`;
  return new Set(Array.from({ length: letters.length - 1 }, (_, at) => letters.slice(at, at + 2)));
}

/** Matches what a line sets, or the table it begins. */
const NAME_OF_LINE = /^\s*(?:\[{1,2}\s*)?["']?([^"'=.[\]\s]+)["']?\s*[=.\]]/;

/** "line 3: " where the setting stands; nothing where it is written in a way that is not seen from its name. */
function placeOf(name: string, text: string, section?: string): string {
  const names = text.split("\n").map((line) => NAME_OF_LINE.exec(line)?.[1]);
  const from = section === undefined ? 0 : names.indexOf(section) + 1;
  const index = names.indexOf(name, from);
  return index < 0 ? "" : `line ${index + 1}: `;
}
