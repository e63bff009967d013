/** Owns how texts become HTML on the reference page. Invariant: every text passes `escaped` once. */

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

export function code(text: string): string {
  return `<code>${escaped(text)}</code>`;
}

/** Prose with `code` between backticks, and blank lines between paragraphs. */
export function prose(text: string): string {
  return text
    .split("\n\n")
    .map((paragraph) => `<p>${inline(paragraph)}</p>`)
    .join("\n");
}

/** Prose without paragraphs. */
export function inline(text: string): string {
  return text
    .split("`")
    .map((part, index) => (index % 2 === 1 ? code(part) : escaped(part)))
    .join("");
}

/** Cells are HTML already; an empty table is nothing. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return "";
  const headings = head.map((name) => `<th scope="col">${escaped(name)}</th>`).join("");
  const body = rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join("")}</tr>`).join("\n");
  return `<table><thead><tr>${headings}</tr></thead><tbody>${body}</tbody></table>`;
}

/** What folds open. Both are HTML already. */
export function folded(summary: string, content: string): string {
  return `<details><summary>${summary}</summary>\n${content}\n</details>`;
}

/** The id of a place on the page, out of what it is about. */
export function anchor(...names: readonly string[]): string {
  return names.join("-").replace(/[^A-Za-z0-9.-]+/g, "_");
}
