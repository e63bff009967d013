/**
 * A list of a snapshot as it was when the snapshot was begun, whose entries are written later, some at a time. Entry points:
 * `listOf`, `SnapshotList`.
 *
 * Invariant: the items never change, so that it does not matter when they are written.
 */
export interface SnapshotList<Row> {
  readonly length: number;
  /** @returns the rows of the items from `start` on, before `end` */
  rows(start: number, end: number): readonly Row[];
}

export function listOf<Item, Row>(items: readonly Item[], write: (item: Item) => Row): SnapshotList<Row> {
  return { length: items.length, rows: (start, end) => items.slice(start, end).map(write) };
}
