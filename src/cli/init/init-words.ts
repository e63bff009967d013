/** What `hoga init` says to a person, in the language they read; what it says to programs is English. Source: decision 0032. */
import { type Say, sayFrom, type Words } from "../../words/index.ts";
import { said } from "../failure.ts";
import { EN } from "./words/en.ts";
import { KO } from "./words/ko.ts";

export const INIT_CATALOGS = { en: EN, ko: KO } as const;

export type InitSay = Say<typeof EN>;

export function initSay({ locale }: Pick<Words, "locale">): InitSay {
  return sayFrom<typeof EN>(INIT_CATALOGS[locale]);
}

/** The arguments of an error: what is wrong, and what to do. */
export function initSaid(message: (say: InitSay) => string, fix: (say: InitSay) => string): ReturnType<typeof said> {
  return said((words) => [message(initSay(words)), fix(initSay(words))]);
}
