/** Says what `hoga plans` says, in the reader's language. */
import { type Say, sayFrom, type Words } from "../../words/index.ts";
import { EN } from "./words/en.ts";
import { KO } from "./words/ko.ts";

export const PLAN_TEXT_CATALOGS = { en: EN, ko: KO } as const;

export type PlanSentence = keyof typeof EN;

/** The name of a state of a step; what is none stands as it is. */
export function stepState(name: string, { locale }: Pick<Words, "locale">): string {
  const catalog: Readonly<Record<string, string>> = PLAN_TEXT_CATALOGS[locale];
  return catalog[`stepped.${name}`] ?? name;
}

export function planTextSay({ locale }: Pick<Words, "locale">): Say<typeof EN> {
  return sayFrom<typeof EN>(PLAN_TEXT_CATALOGS[locale]);
}
