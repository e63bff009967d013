/** Names how the plans of the account stand, in figures: part of the status too, which knows no plan by itself. */
export interface PlansStanding {
  readonly active: number;
  readonly protecting: number;
  readonly attention: number;
  readonly paused: number;
  readonly waiting: number;
  /** What planned steps set aside of the day's budget, in the unit of account. */
  readonly reserved: string;
  /** Null while nobody watches. */
  readonly watched_since: string | null;
}
