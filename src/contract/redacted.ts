/** Owns applying a redaction to a whole JSON value: what is kept on disk, and what leaves the process. Source: architecture.md#rule-9. */

/** The value as JSON has it, `redact` applied to every string, keys included; of keys that become the same the last one stays. */
export function redacted(value: unknown, redact: (text: string) => string): unknown {
  return JSON.parse(JSON.stringify(value), (_key, member: unknown) => {
    if (typeof member === "string") return redact(member);
    if (typeof member !== "object" || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).map(([key, inner]) => [redact(key), inner]));
  });
}
