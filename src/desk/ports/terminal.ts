/** The port `Terminal`: how a person acts outside of the assistant. The command line satisfies it, with the console that it serves. */

export interface Terminal {
  /** The whole command line that runs `hoga` with these words, here and with the settings of this process. */
  command(...words: readonly string[]): string;
  /** Says where `policy.toml` lies; absent where nobody has said so. */
  readonly policyPath?: string;
  /** Tells whether there is a PIN; without one nothing can be approved with it. */
  hasPin(): Promise<boolean>;
  /** Leads to where a person answers what waits in a browser, by its id; undefined where this process serves no console. */
  approvalPage(id: string): string | undefined;
}

/** Stands in where nobody has said how the program is started: it is on the path, and its PIN is its own matter. */
export const PLAIN_TERMINAL: Terminal = {
  command: (...words) => ["hoga", ...words].join(" "),
  hasPin: async () => true,
  approvalPage: () => undefined,
};
