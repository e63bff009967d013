/**
 * Owns who reads: the language and the time zone of the person. Both are set by a variable, else by `config.toml`, else they are
 * those of the environment.
 *
 * Entry points: `checkReader` for the variables, `readerOf` for what holds.
 *
 * Source: settings.md#locale; decision 0032.
 */
import { ConfigError } from "./config-error.ts";
import type { Environment } from "./home.ts";

export const LOCALES = ["en", "ko"] as const;
type LocaleName = (typeof LOCALES)[number];

export interface ReaderSettings {
  readonly locale?: LocaleName | undefined;
  readonly timezone?: string | undefined;
}

export interface ReaderInForce {
  readonly locale: LocaleName;
  readonly timeZone: string;
}

export const TIME_ZONE_RULE = 'must be the name of a time zone, such as "Asia/Seoul"';

/**
 * Tells whether there is a time zone of this name. One may also be written as a distance from UTC, which is no name: its days never shift.
 */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][\w+/-]*$/.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en-US", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** @throws ConfigError for a value that cannot be used */
export function checkReader(env: Environment): void {
  const [locale, timezone] = [env["HOGA_LOCALE"], env["HOGA_TIMEZONE"]];
  if (isSet(locale) && !LOCALES.some((name) => name === locale))
    throw new ConfigError(
      "HOGA_LOCALE has a value that cannot be used.",
      `Set it to one of ${LOCALES.join(", ")}, or unset it.`,
    );
  if (isSet(timezone) && !isTimeZone(timezone))
    throw new ConfigError("HOGA_TIMEZONE has a value that cannot be used.", `It ${TIME_ZONE_RULE}.`);
}

/** Tells what holds; a value that cannot be used counts as none, as it was refused where it matters. */
export function readerOf(env: Environment, file: ReaderSettings = {}): ReaderInForce {
  const given = LOCALES.find((name) => name === env["HOGA_LOCALE"]);
  const locale = given ?? file.locale ?? localeOfEnvironment(env);
  const named = [env["HOGA_TIMEZONE"], file.timezone, env["TZ"]].find((name) => isSet(name) && isTimeZone(name));
  return { locale, timeZone: named ?? zoneOfMachine(locale) };
}

function isSet(text: string | undefined): text is string {
  return text !== undefined && text !== "";
}

/** Reads them as POSIX does: the first that is set decides. */
function localeOfEnvironment(env: Environment): LocaleName {
  const [first = ""] = ["LC_ALL", "LC_MESSAGES", "LANG"].map((name) => env[name]).filter(isSet);
  return /^ko([_.@-]|$)/i.test(first) ? "ko" : "en";
}

/** A machine on which nobody has set a zone is in UTC, which is nobody's day in Korea. */
function zoneOfMachine(locale: LocaleName): string {
  const zone: string | undefined = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const isKnown = isSet(zone) && isTimeZone(zone) && !/^((Etc\/)?(UTC|GMT|UCT|Unknown|Universal|Zulu))$/.test(zone);
  if (isKnown) return zone;
  return locale === "ko" ? "Asia/Seoul" : "UTC";
}
