/**
 * Owns what people read, in their language and by their clock: sentences, amounts and times. Entry point: `wordsFor`.
 *
 * Invariants: both catalogs hold the same sentences with the same places to fill; what is filled in stands as it is given, and
 * is never read as a sentence.
 *
 * Owns how times are shown to people: by the clock of their zone, with its distance from UTC.
 *
 * Source: decision 0032.
 */
import { amount, koreanAmount } from "./amount.ts";
import { EN as OF_ALL } from "./en.ts";
import { koreanFault } from "./fault-words.ts";
import { KO } from "./ko.ts";
import type { Locale, Reader } from "./locale.ts";
import { PAIR, withParticle } from "./particle.ts";
import { PLANS_TOLD } from "./plans/plan-told.ts";
import { koreanReasons, koreanTold, withSums } from "./told.ts";
import { TRANSFERS_DENIED, TRANSFERS_EN, TRANSFERS_KO, TRANSFERS_TOLD } from "./transfer-words.ts";

const MORE_TOLD = [...TRANSFERS_TOLD, ...PLANS_TOLD];
const EN = { ...OF_ALL, ...TRANSFERS_EN };

/** A sentence's name. */
export type Key = keyof typeof EN;

/** The names of the places to fill in a sentence: `{id}`. */
type Places<Sentence extends string> = Sentence extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Places<Rest>
  : never;

type Filling<Sentence extends string> = [Places<Sentence>] extends [never]
  ? []
  : [Readonly<Record<Places<Sentence>, string | number>>];

/** A sentence of a catalog with its places filled. @typeParam Sentences the English ones, which name the places */
export type Say<Sentences extends Readonly<Record<string, string>>> = <Name extends keyof Sentences>(
  name: Name,
  ...filling: Filling<Sentences[Name]>
) => string;

export const CATALOGS: Readonly<Record<Locale, Readonly<Record<Key, string>>>> = {
  en: EN,
  ko: { ...KO, ...TRANSFERS_KO },
};

export interface Words extends Reader {
  readonly say: Say<typeof EN>;
  /** An amount with its asset; in Korean won are also said by 만 and 억. */
  readonly amount: (text: string, asset: string) => string;
  /** A figure in a table, whose head names the unit. */
  readonly figure: (text: string, asset: string) => string;
  /** Won inside a sentence. */
  readonly won: (text: string) => string;
  /** Why a person is asked, as the desk gives it. */
  readonly reason: (why: string) => string;
  /** Says a sentence of the desk's own, its moments by the reader's clock. */
  readonly told: (sentence: string) => string;
  /** What a fault means and what to do, in Korean whatever the reader's language: by its code, or by the desk's sentence where that is known. */
  readonly korean: (code: string, message?: string) => { readonly meaning: string; readonly nextAction: string };
  /** The name of a state, where it is one. */
  readonly state: (name: string) => string;
  /** A time by the reader's clock. */
  readonly when: (time: string | number) => string;
}

/** Tells why the policy denies, in Korean; undefined of any other sentence. */
type DenialWords = (message: string, more: typeof TRANSFERS_DENIED) => string | undefined;

/** Reads where nobody has said who does. */
const ANYBODY: Reader = { locale: "en", timeZone: "UTC" };

/** Tells what a fault's own sentence says, and what to do then, in Korean; undefined of one that its code says all of. */
type ReasonWords = (message: string) => { readonly meaning: string; readonly nextAction?: string } | undefined;

/** With the words of a denial, and of faults that say more than their code, which are loaded for those who read them: others are told by the desk itself. */
export async function wordsInFull(reader: Reader = ANYBODY): Promise<Words> {
  if (reader.locale !== "ko") return wordsFor(reader);
  const [{ koreanDenial }, { koreanReason }] = await Promise.all([
    import("./denial-words.ts"),
    import("./fault-reasons.ts"),
  ]);
  return wordsFor(reader, koreanDenial, koreanReason);
}

/** What is not loaded is said by its code. */
export function wordsFor(
  { locale, timeZone }: Reader = ANYBODY,
  denial: DenialWords = () => undefined,
  reason: ReasonWords = () => undefined,
): Words {
  const catalog = CATALOGS[locale];
  const isKorean = locale === "ko";
  const figures = isKorean ? koreanAmount : amount;
  const won = (text: string): string => figures(text, "KRW");
  const denied = (message: string): string | undefined => denial(message, TRANSFERS_DENIED) ?? reason(message)?.meaning;
  const state = (name: string): string =>
    Object.hasOwn(catalog, `state.${name}`) ? catalog[`state.${name}` as Key] : name;
  return {
    locale,
    timeZone,
    say: sayFrom<typeof EN>(catalog),
    amount: figures,
    figure: (text, asset) => (isKorean ? amount(text, asset) : text),
    won,
    reason: (why) => (isKorean ? koreanReasons(why, { won, state }, PLANS_TOLD) : why),
    told: (sentence) =>
      localMoments(isKorean ? koreanTold(sentence, { won, state, denied }, MORE_TOLD) : sentence, timeZone),
    korean: (code, message = "") => {
      const { meaning, nextAction } = { ...koreanFault(code, message), ...reason(message) };
      return { meaning: localMoments(withSums(denied(message) ?? meaning, { won }), timeZone), nextAction };
    },
    state,
    when: (time) => timeIn(timeZone, time),
  };
}

/** @param catalog in any language */
export function sayFrom<Sentences extends Readonly<Record<string, string>>>(
  catalog: Readonly<Record<keyof Sentences, string>>,
): Say<Sentences> {
  return (name, ...[filling]) => filled(catalog[name], filling);
}

const PLACE = new RegExp(String.raw`\{(\w+)\}${PAIR}`, "g");

function filled(sentence: string, filling: Readonly<Record<string, string | number>> | undefined): string {
  return sentence.replace(PLACE, (place, name: string, pair?: string) => {
    const filler = filling?.[name];
    return filler === undefined ? place : withParticle(String(filler), pair);
  });
}

/** Puts the cost of a formatter on the first time that is shown, not on the start. */
const formatters = new Map<string, Intl.DateTimeFormat>();

/** "2026-11-23 16:32:28 UTC+9"; a text that is no time is left as it is. */
export function timeIn(timeZone: string, time: string | number): string {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return String(time);
  // The one whose numbers stand in the order of ISO 8601.
  return formatterOf(timeZone)
    .format(at)
    .replace(/GMT(\+0$)?/, "UTC")
    .replace("−", "-");
}

const MOMENT = /(?<!["'\w-])\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z\b/g;

/** A text whose moments stand by the reader's clock. What is quoted in it is somebody's own words, and stays. */
export function localMoments(text: string, timeZone: string): string {
  return text.replace(MOMENT, (moment) => timeIn(timeZone, moment));
}

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone);
  if (known !== undefined) return known;
  const two = "2-digit";
  const made = new Intl.DateTimeFormat("sv-SE", {
    ...{ year: "numeric", month: two, day: two, hour: two, minute: two, second: two },
    calendar: "gregory",
    numberingSystem: "latn",
    timeZone,
    timeZoneName: "shortOffset",
  });
  formatters.set(timeZone, made);
  return made;
}
