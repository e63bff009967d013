/** Reads a list to its end. */
import { defined, ok, type Result } from "../../../contract/index.ts";

interface Page {
  readonly next_cursor: string | null;
}

/**
 * @param read one page; without a cursor the first
 * @returns the items of all pages in their order, or the first fault
 */
export async function allPages<P extends Page, T>(
  read: (position: { readonly cursor?: string }) => Promise<Result<P>>,
  itemsOf: (page: P) => readonly T[],
): Promise<Result<readonly T[]>> {
  const items: T[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: Result<P> = await read(defined({ cursor }));
    if (!page.ok) return page;
    items.push(...itemsOf(page.value));
    cursor = page.value.next_cursor;
  }
  return ok(items);
}
