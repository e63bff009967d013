/**
 * Owns the error of a setting that is missing, wrong or contradictory. It is always fatal: trading with guessed settings is worse
 * than not starting.
 *
 * Invariant: message and fix name files, lines and settings, never the text of a file or the value of a key.
 */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  /** Says what the person does about it, in one sentence. */
  readonly fix: string;

  constructor(message: string, fix: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.fix = fix;
  }
}
