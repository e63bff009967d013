/**
 * Owns colours: on a terminal that shows them, unless NO_COLOR asks for none; FORCE_COLOR brings them anywhere else too, or with 0 nowhere.
 * What rises is green and what falls red, and to readers of Korean red and blue, as their exchanges show it.
 * What is well or wrong has one colour everywhere.
 */
import { styleText } from "node:util";
import type { Invocation } from "../invocation.ts";

export type Tone = "rise" | "fall" | "good" | "bad" | "faint" | "strong";
export type Paint = (tone: Tone, text: string) => string;

const STYLES = {
  en: { rise: "green", fall: "red", good: "green", bad: "red", faint: "gray", strong: "bold" },
  ko: { rise: "red", fall: "blue", good: "green", bad: "red", faint: "gray", strong: "bold" },
} as const;

export function paintOf(run: Invocation): Paint {
  if (!hasColors(run)) return (_, text) => text;
  const styles = STYLES[run.words.locale];
  // Whether to paint is decided here, for the stream of this run.
  return (tone, text) => styleText(styles[tone], text, { validateStream: false });
}

function hasColors({ env, io }: Invocation): boolean {
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined) return !["0", "false"].includes(forced);
  return !env["NO_COLOR"] && env["TERM"] !== "dumb" && io.stdout.isTTY === true;
}
