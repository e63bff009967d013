/** Says what a call may be given besides its arguments. */

/** Go with any read. */
export interface ReadOptions {
  /** Ends the read early; it then throws the signal's reason. */
  readonly signal?: AbortSignal;
  /** It is history that nobody waits for: it goes when no other call waits, and leaves most of the rate budgets to the others. */
  readonly background?: boolean;
}

/** Go with a read that may belong to a cancel. */
export interface UrgentOptions extends ReadOptions {
  /** It belongs to a cancel: it goes first, and may use what is kept free of the rate budgets. */
  readonly urgent?: boolean;
  /** Instead of the client's own `timeouts.deadlineMs`. */
  readonly deadlineMs?: number;
}

/** Go with a read about what was sent once. */
export interface QueryOptions extends UrgentOptions {
  /** Ask with a larger nonce than this, or fail: then "not found" is final. Decimal text. Source: service.md#nonce-fence. */
  readonly afterNonce?: string;
}

export interface WriteOptions {
  /** It is a cancel. */
  readonly urgent?: boolean;
  /** Bounds how long its turn is waited for, instead of the client's own `timeouts.deadlineMs`. */
  readonly deadlineMs?: number | undefined;
  /** Called with the nonce before the first byte leaves; when it resolves to false nothing is sent. */
  readonly beforeSend?: ((nonce: string) => Promise<boolean>) | undefined;
}
