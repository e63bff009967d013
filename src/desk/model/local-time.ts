/** One moment, as a person and as a program names it. */
export interface LocalTime {
  readonly utc: string;
  /** With its distance from UTC: "2026-07-20T18:00:05+09:00". */
  readonly local: string;
  /** IANA name. */
  readonly timezone: string;
}
