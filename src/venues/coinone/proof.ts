/** The day on which each level of proof was reached last. L4 and L5 are a person's, with a key: nobody has been there yet. */
export const PROOF = { L1: "2026-11-27", L2: "2026-11-27", L3: "2026-11-27", L4: null, L5: null } as const;
