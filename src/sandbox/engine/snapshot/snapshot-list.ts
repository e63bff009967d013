/**
 * A list of a snapshot as it was when the snapshot was begun, whose entries are written later, some at a time. Entry points:
 * `listOf`, `SnapshotList`.
 *
 * Invariant: the items never change, so that it does not matter when they are written.
 */
export interface SnapshotList {
  readonly length: number;
  /** @returns the rows of the items from `start` on, before `end` */
  rows(start: number, end: number): readonly unknown[];
}

export function listOf<Item>(items: readonly Item[], write: (item: Item) => unknown): SnapshotList {
  return { length: items.length, rows: (start, end) => items.slice(start, end).map(write) };
}
