/** What a probe says to a person, in the language they read. Source: decision 0032. */
import { type Say, sayFrom, type Words } from "../../words/index.ts";
import { EN } from "./words/en.ts";
import { KO } from "./words/ko.ts";

export const PROBE_CATALOGS = { en: EN, ko: KO } as const;

export type ProbeSay = Say<typeof EN>;

export function probeSay({ locale }: Pick<Words, "locale">): ProbeSay {
  return sayFrom<typeof EN>(PROBE_CATALOGS[locale]);
}
