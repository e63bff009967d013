/** What commands print: text for people, one JSON line for programs. The only writer to stdout. */

let anything = false;

/** Whether anything was printed: a program that asked for JSON gets one line and no more. */
export function hasPrinted(): boolean {
  return anything;
}

export function print(text: string): void {
  anything = true;
  process.stdout.write(`${text}\n`);
}

export function printJson(value: unknown): void {
  anything = true;
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** Said beside the result: on stderr, so that stdout stays clean. */
export function notice(text: string): void {
  process.stderr.write(`hoga: ${text}\n`);
}

/** Rows as aligned columns; wide characters count as two. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...all.map((row) => width(row[column] ?? ""))));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - width(cell)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function width(text: string): number {
  return Array.from(text).reduce((sum, letter) => sum + (/[ᄀ-ᅟ⺀-꓏가-힣＀-｠]/u.test(letter) ? 2 : 1), 0);
}
