/** The variables of the process, as they are given to whatever reads them. */
export type Environment = Readonly<Record<string, string | undefined>>;
