/** Whoever asked for something, and waits for the answer. */
export interface Listener {
  /** Fires when it is withdrawn: what has not been sent by then is not. What was sent counts as sent. */
  readonly withdrawn?: AbortSignal;
  /**
   * Is given what is to be done once the answer was handed to whoever still waits for it: from then on the same request is a new one.
   * Without it that is when the answer is returned.
   */
  readonly whenHeard?: (heard: () => void) => void;
}

/** A look that no assistant learns of, as a person's in the console: what it shows is still to be told to whoever asked for it. */
export const NOBODY: Listener = { whenHeard: () => undefined };
