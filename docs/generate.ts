/** Writes the reference pages that are made from the contract and the cards of exchanges, the list of decisions and what other pages list. Run from the repository: `npm run docs`. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { referenceDocuments, referenceText } from "../src/contract/index.ts";
import { aliasPage } from "../src/contract/openapi/alias-page.ts";
import { faultPage } from "../src/contract/openapi/fault-page.ts";
import { decisionIndex } from "./decision-index.ts";
import { withToolTable } from "./tool-table.ts";
import { venuePages, withVenueTable } from "./venue-pages.ts";

const { rest, events } = await referenceDocuments();
for (const { name, document } of [...rest, events]) writeFileSync(`docs/reference/${name}`, referenceText(document));
writeFileSync("docs/reference/errors.md", faultPage());
writeFileSync("docs/reference/alias.md", aliasPage());
writeFileSync("docs/decisions/README.md", decisionIndex("docs/decisions"));

const guide = "docs/guides/tools.md";
writeFileSync(guide, withToolTable(readFileSync(guide, "utf8")));

mkdirSync("docs/reference/venues", { recursive: true });
for (const { name, text } of venuePages()) writeFileSync(`docs/reference/venues/${name}`, text);
writeFileSync("README.md", withVenueTable(readFileSync("README.md", "utf8"), "docs/reference/venues/"));
