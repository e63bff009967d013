/** The port `Terminal`: how a person acts outside of the assistant. The command line satisfies it. */

export interface Terminal {
  /** The whole command line that runs `hoga` with these words, here and with the settings of this process. */
  command(...words: readonly string[]): string;
  /** Whether there is a PIN; without one nothing can be approved with it. */
  hasPin(): Promise<boolean>;
}

/** Where nobody has said how the program is started: it is on the path, and its PIN is its own matter. */
export const PLAIN_TERMINAL: Terminal = {
  command: (...words) => ["hoga", ...words].join(" "),
  hasPin: async () => true,
};
