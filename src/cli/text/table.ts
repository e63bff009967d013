/** Owns tables on a terminal: aligned columns, by the cells that a text takes there. Wide characters take two, colours none. */
import stringWidth from "string-width";

/** A head; of figures, which end below each other. */
export type Head = string | { readonly right: string };

export function right(head: string): Head {
  return { right: head };
}

export function table(heads: readonly Head[], rows: readonly (readonly string[])[]): string {
  const all = [heads.map((head) => (typeof head === "string" ? head : head.right)), ...rows];
  const widths = heads.map((_, column) => Math.max(...all.map((row) => stringWidth(row[column] ?? ""))));
  return all
    .map((row) =>
      row
        .map((cell, at) => padded(cell, widths[at] ?? 0, heads[at]))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function padded(cell: string, width: number, head: Head | undefined): string {
  const space = " ".repeat(Math.max(0, width - stringWidth(cell)));
  return typeof head === "object" ? space + cell : cell + space;
}
