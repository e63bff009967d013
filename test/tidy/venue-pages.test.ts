/** The pages of the exchanges say what their cards say; `npm run docs` writes them. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { venuePages, withVenueTable } from "../../docs/venue-pages.ts";
import { CARDS } from "../../src/venues/index.ts";
import { ROOT } from "./source.ts";

const FOLDER = join(ROOT, "docs/reference/venues");

it("the pages of the exchanges are those of their cards, and no others", () => {
  const pages = venuePages();
  expect(readdirSync(FOLDER).sort()).toEqual(pages.map(({ name }) => name).sort());
  for (const { name, text } of pages) expect(readFileSync(join(FOLDER, name), "utf8")).toBe(text);
});

it("the README lists every exchange, with how far it is proved", () => {
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");
  for (const { name } of CARDS) expect(readme).toContain(`](docs/reference/venues/${name}.md) | \`${name}\` |`);
  expect(withVenueTable(readme, "docs/reference/venues/")).toBe(readme);
});

it("each page says all that stands on no document, and where the sources are", () => {
  for (const { name, unproven } of CARDS) {
    const page = readFileSync(join(FOLDER, `${name}.md`), "utf8");
    for (const sentence of unproven) expect(page).toContain(`- ${sentence}\n`);
    if (name !== "hoga") expect(existsSync(join(ROOT, "src/venues", name, "SOURCES.md"))).toBe(true);
  }
});
