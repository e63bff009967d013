/**
 * Owns what a person was sent to before they had signed in: the closed page keeps it in this browser, and the console begins with it, once.
 *
 * Invariant: nothing but one of the approvals is gone to, and only soon after.
 */
import type { Shelf } from "./preferences.ts";

const KEY = "wanted.approval";
const SOON_MS = 10 * 60_000;

interface WantedShelf extends Pick<Shelf, "getItem"> {
  removeItem(key: string): void;
}

/** @returns the fragment to begin with; undefined where nothing was wanted */
export function takeWanted(shelf: WantedShelf, nowMs: number): string | undefined {
  try {
    const { hash, at } = JSON.parse(shelf.getItem(KEY) ?? "{}") as { readonly hash?: unknown; readonly at?: unknown };
    shelf.removeItem(KEY);
    const isSoon = typeof at === "number" && at <= nowMs && nowMs - at < SOON_MS;
    return isSoon && typeof hash === "string" && /^#\/approvals\/[\w-]+$/.test(hash) ? hash : undefined;
  } catch {
    // What cannot be read was not wanted.
    return undefined;
  }
}
