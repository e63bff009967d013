/**
 * Owns what the reference says beyond the descriptions of the families: how to begin, how to sign, errors, limits and versions,
 * made from the contract. It is a description without operations, so that the viewer shows it beside the others.
 * Entry point: `guide`.
 */
import {
  ALIAS_FAULTS,
  CHECKSUM_RULE,
  CHECKSUM_VECTORS,
  FAULT_CODES,
  FAULTS,
  LIMITS,
  OPEN_API_VERSION,
  PERMISSIONS,
  type StreamSubscription,
  TIERS,
  VERSIONS,
} from "../../contract/index.ts";
import { SIGNING_EXAMPLES, WEBHOOK_EXAMPLE } from "./signing-example.ts";

export interface Link {
  readonly title: string;
  readonly url: string;
}

/** Show what a client may say on the stream, to begin with. */
const STREAM_SAMPLES: readonly StreamSubscription[] = [
  { op: "subscribe", id: 1, channel: "orderbook", symbol: "BTC/KRW", depth: 10 },
  { op: "subscribe", id: "mine", channel: "orders", token: "the token of POST /v1/ws/token" },
];

export interface Guide {
  readonly openapi: "3.1.0";
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, never>>;
}

export function guide(descriptions: readonly Link[]): Guide {
  const links = descriptions.map(({ title, url }) => `- [${title}](${url})`).join("\n");
  const description = [INTRODUCTION, links, signing(), stream(), faults(), limits(), versions()].join("\n\n");
  return { openapi: "3.1.0", info: { title: "hoga exchange", version: OPEN_API_VERSION, description }, paths: {} };
}

const INTRODUCTION = `A whole exchange to practise on, with paper money. Everything described here is served on this port. Without a key:

${fenced("sh", "curl http://127.0.0.1:8420/v1/orderbook/BTCKRW")}

\`hoga sandbox\` prints its address, a key and its secret. One key works on every family:`;

function signing(): string {
  const programs = [...SIGNING_EXAMPLES, WEBHOOK_EXAMPLE].map(
    ({ title, program }) => `### ${title}\n\n${fenced("js", program)}`,
  );
  return `## Signing

Whole programs for Node, without dependencies. Save one as \`call.mjs\` and run it with \`API_KEY=… API_SECRET=… node call.mjs\`.
A private call of any family uses a nonce larger than the last of its key, but for the alias endpoints, which have none.

${programs.join("\n\n")}`;
}

function stream(): string {
  const samples = STREAM_SAMPLES.map((sample) => JSON.stringify(sample)).join("\n");
  const vectors = CHECKSUM_VECTORS.map(({ name, text, checksum }) => [
    name,
    code(text.replace("|", "¦")),
    `${checksum}`,
  ]);
  return `## Stream

A client says, for example:

${fenced("json", samples)}

### The checksum of a book

${CHECKSUM_RULE}

Texts and their checksums; ¦ stands for the bar:

${table(["Book", "Text", "Checksum"], vectors)}`;
}

function faults(): string {
  const entries = FAULT_CODES.map((fault) => {
    const { status, retry, meaning, nextAction } = FAULTS[fault];
    return `- ${code(fault)}: HTTP ${status}, alias ${ALIAS_FAULTS[fault].number}, retry ${code(retry)}. ${meaning} *${nextAction}*`;
  });
  return `## Errors

One catalogue for all families: what each code means, and *what to do next*. HTTP is the status on \`/v1/\`; the Trading API answers
200 with the code in \`error\`, the alias endpoints with the number. An order without an answer is looked up first, never sent again
blindly.

${entries.join("\n")}`;
}

function limits(): string {
  const tiers = TIERS.map((tier) => [code(tier), String(LIMITS.weightPerMinute[tier])]);
  const single = Object.entries(LIMITS).flatMap(([name, value]) =>
    typeof value === "number" ? [[code(name), String(value)]] : [],
  );
  return `## Limits

A key has a weight a minute by its tier and a number of calls a second, over all families together; whichever is used up first
counts. Public calls count to the address that makes them. What a key may do: ${PERMISSIONS.map(code).join(", ")}.

${table(["Tier", "Weight a minute"], tiers)}

${table(["Limit", "Value"], single)}`;
}

function versions(): string {
  const rows = VERSIONS.map(({ version, date, changes }) => [code(version), date, changes]);
  return `## Versions\n\n${table(["Version of the Open API", "Date", "Changes"], rows)}`;
}

function code(text: string): string {
  return `\`${text}\``;
}

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
