/** A table with a caption, heads and a word where it is empty. Columns that a phone has no room for are marked `wide`. */
import type { ComponentChildren } from "preact";

export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Set to the right, its digits below each other. */
  readonly isFigure?: boolean;
  /** Only where there is room. */
  readonly isWide?: boolean;
  /** Names its row to a screen reader. */
  readonly isName?: boolean;
}

interface TableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly none: string;
  /** Where a heading above says the same. */
  readonly isCaptionHidden?: boolean;
}

export function Table<Row>({ caption, columns, rows, keyOf, none, isCaptionHidden }: TableProps<Row>) {
  const kind = ({ isFigure, isWide }: Column<Row>): string =>
    [isFigure ? "figure" : "", isWide ? "wide" : ""].join(" ").trim();
  return (
    <table>
      <caption class={isCaptionHidden ? "unseen" : ""}>{caption}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column.head} scope="col" class={kind(column)}>
              {column.head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.length === 0 && (
          <tr>
            <td class="none" colSpan={columns.length}>
              {none}
            </td>
          </tr>
        )}
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map((column) =>
              column.isName ? (
                <th key={column.head} scope="row" class={kind(column)}>
                  {column.cell(row)}
                </th>
              ) : (
                <td key={column.head} class={kind(column)}>
                  {column.cell(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
