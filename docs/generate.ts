/** Writes the reference pages that are made from the contract, the list of decisions and the guide's table of tools. Run from the repository: `npm run docs`. */
import { readFileSync, writeFileSync } from "node:fs";
import { referenceDocuments, referenceText } from "../src/contract/index.ts";
import { aliasPage } from "../src/contract/openapi/alias-page.ts";
import { faultPage } from "../src/contract/openapi/fault-page.ts";
import { decisionIndex } from "./decision-index.ts";
import { withToolTable } from "./tool-table.ts";

const { rest, events } = await referenceDocuments();
for (const { name, document } of [...rest, events]) writeFileSync(`docs/reference/${name}`, referenceText(document));
writeFileSync("docs/reference/errors.md", faultPage());
writeFileSync("docs/reference/alias.md", aliasPage());
writeFileSync("docs/decisions/README.md", decisionIndex("docs/decisions"));

const guide = "docs/guides/tools.md";
writeFileSync(guide, withToolTable(readFileSync(guide, "utf8")));
