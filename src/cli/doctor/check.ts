/** What a look at the parts says of one: to programs in English, to a person in the language they read. Source: decision 0032. */
import type { Fault } from "../../contract/index.ts";
import { type Say, sayFrom, type Words, wordsFor } from "../../words/index.ts";
import { errorTold, faultTold, isExplained } from "../failure.ts";
import { EN } from "./words/en.ts";
import { KO } from "./words/ko.ts";

export const DOCTOR_CATALOGS = { en: EN, ko: KO } as const;

export type CheckName =
  | ("configuration" | "policy" | "notices" | "proof")
  | ("store" | "audit" | "restore" | "halt" | "pin" | "orders" | "plans")
  | ("reachability" | "clock" | "key" | "permissions")
  | ("versions" | "processes");

export interface Check {
  readonly name: CheckName;
  readonly ok: boolean;
  /** hoga does not trade while it is not ok; else it is worth knowing. */
  readonly required: boolean;
  /** What was found, and what to do; null where there is nothing. */
  readonly told: (words: Words) => readonly [detail: string, fix: string | null];
}

export type DoctorSay = Say<typeof EN>;
/** Says one thing to whoever reads. */
export type Sentence = (say: DoctorSay, words: Words) => string;

export function doctorSay({ locale }: Pick<Words, "locale">): DoctorSay {
  return sayFrom<typeof EN>(DOCTOR_CATALOGS[locale]);
}

export function fine(name: CheckName, detail: Sentence): Check {
  return { name, ok: true, required: true, told: (words) => [detail(doctorSay(words), words), null] };
}

/** Trading goes on with it. */
export function warned(name: CheckName, detail: Sentence, fix: Sentence): Check {
  return { ...wrong(name, detail, fix), required: false };
}

export function wrong(name: CheckName, detail: Sentence, fix: Sentence): Check {
  const told: Check["told"] = (words) => [detail(doctorSay(words), words), fix(doctorSay(words), words)];
  return { name, ok: false, required: true, told };
}

export function wrongBy(name: CheckName, fault: Fault): Check {
  return { name, ok: false, required: true, told: (words) => faultTold(fault, words) };
}

/** An error that is for the person is what the check found. @throws any other */
export async function explained<T>(name: CheckName, step: () => T | Promise<T>): Promise<T | Check> {
  try {
    return await step();
  } catch (error) {
    if (!isExplained(error)) throw error;
    return { name, ok: false, required: true, told: (words) => errorTold(error, words) };
  }
}

export function isCheck(found: unknown): found is Check {
  return typeof found === "object" && found !== null && "required" in found && "told" in found;
}

/** A check for programs. */
export function reportOf({ name, ok, required, told }: Check): object {
  const [detail, fix] = told(wordsFor());
  return { name, ok, required, detail, fix };
}
