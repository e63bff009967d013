/**
 * Owns page cursors: where the next page begins, opaque to the caller.
 *
 * Invariant: a cursor names the last item of its page, never a position, so items that arrive meanwhile (always newer)
 * move nothing. Source: decisions §6.
 */

/** What a list is of; one list's cursor is not taken for another's. */
type CursorKind = keyof typeof TARGET;

export function cursorOf(kind: CursorKind, last: string): string {
  return Buffer.from(`${kind}:${last}`, "utf8").toString("base64url");
}

/** The last item named by a cursor; undefined for a text that `cursorOf` did not make. */
export function cursorTarget(kind: CursorKind, cursor: string): string | undefined {
  const text = Buffer.from(cursor, "base64url").toString("utf8");
  if (!text.startsWith(`${kind}:`) || Buffer.from(text, "utf8").toString("base64url") !== cursor) return undefined;
  const last = text.slice(kind.length + 1);
  return TARGET[kind].test(last) ? last : undefined;
}

const ID = /^[0-9a-f-]{36}$/;
const TARGET = { order: ID, fill: /^\d{1,15}$/, payment: ID, remittance: ID };
