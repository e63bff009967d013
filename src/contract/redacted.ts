/** Owns applying a redaction to a whole JSON value: what is kept on disk, and what leaves the process. Source: architecture.md#rule-9. */

/** The value as JSON has it, `redact` applied to every string, keys included; of keys that become the same the last one stays. */
export function redacted(value: unknown, redact: (text: string) => string): unknown {
  return JSON.parse(JSON.stringify(value), (_key, member: unknown) => {
    if (typeof member === "string") return redact(member);
    if (typeof member !== "object" || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).map(([key, inner]) => [redact(key), inner]));
  });
}

/**
 * Tells whether one search over the JSON text of a value shows that there is nothing to redact in it, which saves a search of every string.
 * False too where that does not tell: what JSON escapes, behind a percent sign, may hide a short secret.
 */
export function isFreeOfSecrets(image: string, redact: (text: string) => string): boolean {
  return !(image.includes("%") && image.includes("\\")) && redact(image) === image;
}
