/** Names one moment as a person does and as a program does. */
export interface LocalTime {
  readonly utc: string;
  /** With its distance from UTC: "2026-07-20T18:00:05+09:00". */
  readonly local: string;
  /** IANA name. */
  readonly timezone: string;
}
