/**
 * Owns the reference of the alias endpoints for people: Markdown, made from their tables and from nothing else.
 * Entry point: `aliasPage`. `docs/reference/alias.md` is its output, and a test compares the two.
 *
 * Not part of index.ts: nothing that runs needs it.
 */
import { z } from "zod";
import { ALIAS_ENDPOINT_IDS, ALIAS_ENDPOINTS, type AliasEndpoint } from "../alias/endpoint.ts";
import { ALIAS_FAULTS, ALIAS_PROBLEMS, type AliasFaultEntry } from "../alias/fault.ts";
import { ALIAS_HEADERS, ALIAS_WINDOW } from "../alias/signing.ts";
import { FAULT_CODES } from "../fault.ts";
import { RATE_HEADERS } from "../limit.ts";
import { markdownTable } from "./markdown-table.ts";

const INTRODUCTION = `<!-- Generated from src/contract by "npm run docs". Do not edit. -->

# Alias endpoints

The Binance spot names and shapes, on the same exchange, accounts and keys as the Open API. What was decided about them, and why, is in
[decision 0010](../decisions/0010-alias-endpoints.md).

A signed call has the key in \`${ALIAS_HEADERS.key}\`, and besides its own parameters \`timestamp\` (Unix milliseconds),
\`signature\` (hex HMAC-SHA256 of the query and the form as they are sent, keyed with the secret's text) and, if wanted, \`recvWindow\`
(${ALIAS_WINDOW.recvWindowMs} ms unless told, at most ${ALIAS_WINDOW.recvWindowMaxMs}). Parameters stand in the query or, but for GET, in a
form. An order's \`orderId\` is a UUID, the same on every family; \`newClientOrderId\` is \`userref\`.

Answers to a known caller tell what is used in \`${ALIAS_HEADERS.usedWeightMinute}\` and what is left in \`${RATE_HEADERS.limit}\`,
\`${RATE_HEADERS.remaining}\` and \`${RATE_HEADERS.reset}\`.`;

const REFUSALS = `## Refusals

A refusal is \`{ "code", "msg" }\`. Compare the code; the text may say more. This is what a fault of the
[catalogue](errors.md) is called here:`;

const PROBLEMS = "What the dialect tells apart where the catalogue has one word (HTTP 400):";

/** The page, with a line feed at its end. */
export function aliasPage(): string {
  const operations = ALIAS_ENDPOINT_IDS.map((id) => {
    const endpoint: AliasEndpoint = ALIAS_ENDPOINTS[id];
    const { method, path, summary, auth, weight, parameters } = endpoint;
    return [`\`${method} ${path}\``, summary, auth === "none" ? "–" : auth, String(weight), namesIn(parameters)];
  });
  const faults = FAULT_CODES.map((code) => {
    const { number, status, msg }: AliasFaultEntry = ALIAS_FAULTS[code];
    return [`\`${code}\``, String(number), String(status), msg];
  });
  const problems = Object.values(ALIAS_PROBLEMS).map(({ number, msg }) => [String(number), msg]);
  return `${[
    INTRODUCTION,
    "## Operations",
    markdownTable(["Call", "What it does", "Permission", "Weight", "Parameters"], operations),
    REFUSALS,
    markdownTable(["Fault", "Code", "HTTP", "Text"], faults),
    PROBLEMS,
    markdownTable(["Code", "Text"], problems),
  ].join("\n\n")}\n`;
}

/** Those that may be left out have a question mark. */
function namesIn(schema: z.ZodType | undefined): string {
  if (!(schema instanceof z.ZodObject)) return "–";
  const fields = Object.entries<z.ZodType>(schema.shape);
  return fields.map(([name, field]) => `\`${name}\`${field.safeParse(undefined).success ? "?" : ""}`).join(", ");
}
