/** Checks as a person reads them. */
import stringWidth from "string-width";
import { localMoments } from "../../words/index.ts";
import type { Invocation } from "../invocation.ts";
import { paintOf, type Tone } from "../text/paint.ts";
import { type Check, doctorSay } from "./check.ts";

const TONES = { fine: "good", warned: "strong", wrong: "bad" } as const satisfies Readonly<Record<string, Tone>>;
const MARKS = Object.keys(TONES) as readonly (keyof typeof TONES)[];

/** What is to be done stands below what was found, where that begins. */
export function checkLines(checks: readonly Check[], run: Invocation): readonly string[] {
  const { words } = run;
  const [say, paint] = [doctorSay(words), paintOf(run)];
  const width = Math.max(...MARKS.map((mark) => stringWidth(say(`mark.${mark}`))));
  return checks.flatMap(({ name, ok, required, told }) => {
    const mark = ok ? "fine" : required ? "wrong" : "warned";
    const word = say(`mark.${mark}`);
    const space = " ".repeat(width - stringWidth(word));
    const [detail, fix] = told(words);
    const found = `${paint(TONES[mark], `${word}${space}`)}  ${say(`check.${name}`)}: ${localMoments(detail, words.timeZone)}`;
    return fix === null ? [found] : [found, `${" ".repeat(width + 2)}→ ${fix}`];
  });
}
