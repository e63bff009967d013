/** The languages in which people are spoken to. Models and programs are spoken to in English, whatever is set. */
export type Locale = "en" | "ko";

/** Who reads: in which language, and by which clock. */
export interface Reader {
  readonly locale: Locale;
  /** An IANA name. */
  readonly timeZone: string;
}
