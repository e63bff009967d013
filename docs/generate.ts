/** Writes the reference pages that are made from the contract. Run from the repository: `npm run docs`. */
import { writeFileSync } from "node:fs";
import { aliasPage } from "../src/contract/alias-page.ts";
import { faultPage } from "../src/contract/fault-page.ts";
import { openApiDocument } from "../src/contract/openapi.ts";

writeFileSync("docs/reference/openapi.json", `${JSON.stringify(openApiDocument(), null, 2)}\n`);
writeFileSync("docs/reference/errors.md", faultPage());
writeFileSync("docs/reference/alias.md", aliasPage());
