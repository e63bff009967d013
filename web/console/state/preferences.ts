/** Owns what a person sets for this browser alone: theme, language, whether it tells when something waits. */
import type { Locale } from "../../../src/words/index.ts";

export interface Preferences {
  readonly theme: "auto" | "light" | "dark";
  /** `auto`: as hoga is set. */
  readonly language: "auto" | Locale;
  readonly notify: boolean;
}

const DEFAULT: Preferences = { theme: "auto", language: "auto", notify: false };
const KEY = "hoga.preferences";

/** As much of `localStorage` as is needed. */
export interface Shelf {
  getItem(key: string): string | null;
  setItem(key: string, text: string): void;
}

/** Each that is not one of its choices is the default. */
export function readPreferences(shelf: Shelf): Preferences {
  const kept = keptIn(shelf);
  return {
    theme: (["light", "dark"] as const).find((theme) => theme === kept["theme"]) ?? DEFAULT.theme,
    language: (["en", "ko"] as const).find((language) => language === kept["language"]) ?? DEFAULT.language,
    notify: kept["notify"] === true,
  };
}

/** Where the browser keeps nothing, it holds until the page is closed. */
export function keepPreferences(shelf: Shelf, preferences: Preferences): void {
  try {
    shelf.setItem(KEY, JSON.stringify(preferences));
  } catch {
    // A browser that keeps nothing is no reason to change nothing.
  }
}

function keptIn(shelf: Shelf): Readonly<Record<string, unknown>> {
  try {
    const kept: unknown = JSON.parse(shelf.getItem(KEY) ?? "{}");
    return typeof kept === "object" && kept !== null ? (kept as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
