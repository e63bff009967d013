/**
 * Page cursors: they say where the next page begins, and are opaque to the caller. Entry points: `cursorOf`, `cursorTarget`.
 *
 * Invariant: a cursor names the last item of its page, not a position, so that items that arrive later do not move the next page.
 * Source: service.md#pages.
 */

/** The kind of items in a list; a cursor of one kind is invalid for another. */
export type CursorKind = keyof typeof TARGET;

/** @param last the last item of a page after which more follow; undefined when none do */
export function cursorOf(kind: CursorKind, last: string | undefined): string | null {
  return last === undefined ? null : Buffer.from(`${kind}:${last}`, "utf8").toString("base64url");
}

/** The item that a cursor names; undefined for a text that `cursorOf` did not make. */
export function cursorTarget(kind: CursorKind, cursor: string): string | undefined {
  const text = Buffer.from(cursor, "base64url").toString("utf8");
  if (!text.startsWith(`${kind}:`) || Buffer.from(text, "utf8").toString("base64url") !== cursor) return undefined;
  const last = text.slice(kind.length + 1);
  return TARGET[kind].test(last) ? last : undefined;
}

const ID = /^[0-9a-f-]{36}$/;
const TARGET = { order: ID, fill: /^\d{1,15}$/, payment: ID, remittance: ID };
