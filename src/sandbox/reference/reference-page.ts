/**
 * Owns the page at `GET /` for people who write clients: every family with its operations, the stream, the webhooks, faults,
 * limits, versions, and programs that sign. Made from the descriptions of the contract; it has no script and loads nothing.
 * Entry point: `referencePage`.
 *
 * Loaded when it is first asked for (reference-family.ts): nothing that starts pays for it.
 */
import { createHash } from "node:crypto";
import {
  ALIAS_FAULTS,
  FAULT_CODES,
  FAULTS,
  LIMITS,
  PERMISSIONS,
  type ReferenceDocuments,
  TIERS,
  VERSIONS,
} from "../../contract/index.ts";
import { eventSection } from "./event-section.ts";
import { anchor, code, escaped, folded, inline, table } from "./html.ts";
import { placeOf, restSection } from "./rest-section.ts";
import { type Example, SIGNING_EXAMPLES, WEBHOOK_EXAMPLE } from "./signing-example.ts";

const STYLE =
  ":root{color-scheme:light dark;font:15px/1.5 system-ui,sans-serif}body{max-width:72rem;margin:2rem auto;padding:0 1rem}" +
  "nav a{margin-right:1rem;white-space:nowrap}section{border-top:1px solid #8886;margin-top:2rem}small{opacity:.7;font-weight:400}" +
  "table{border-collapse:collapse;width:100%;margin:.5rem 0 1rem}th,td{text-align:left;vertical-align:top;padding:.25rem .8rem .25rem 0;" +
  "border-bottom:1px solid #8883}td{overflow-wrap:anywhere}td:first-child{overflow-wrap:normal}code,pre{font:13px/1.5 ui-monospace,monospace}" +
  "pre{overflow:auto;padding:1rem;border:1px solid #8886;border-radius:6px}summary{cursor:pointer;padding:.3rem 0}" +
  "details{border-bottom:1px solid #8883}details[open]{padding-bottom:1rem}.call{display:inline-block;min-width:19rem}.call code{font-weight:600}" +
  ".call b{display:inline-block;min-width:4.5rem}h3{margin:1.5rem 0 .3rem}h4{margin:.8rem 0 0}:target{outline:2px solid #b36b00;outline-offset:4px}" +
  ".badge{padding:.1rem .6rem;border-radius:4px;color:#fff;background:#1a6e3c;font-size:.6em;vertical-align:middle}";

/** CSP source of the page's one style element. */
export const STYLE_SOURCE = `'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`;

export function referencePage({ rest, events }: ReferenceDocuments): string {
  const families = [
    ...rest.map(({ name, document }) => [placeOf(name), document.info.title]),
    ["stream", "Stream"],
    ["webhooks", "Webhooks"],
  ];
  const places = [
    ["signing", "Signing"],
    ...families,
    ["faults", "Errors"],
    ["limits", "Limits"],
    ["versions", "Versions"],
  ];
  const links = places.map(([place = "", title = ""]) => `<a href="#${place}">${escaped(title)}</a>`).join("\n");
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>hoga exchange: reference</title>
<style>${STYLE}</style></head>
<body>
<h1>hoga exchange <span class="badge">sandbox: paper money</span></h1>
<p>A whole exchange to practise on. Everything below is served on this port. Without a key:</p>
<pre>curl http://127.0.0.1:8420/v1/orderbook/BTCKRW</pre>
<p>${code("hoga sandbox")} prints its address, a key and its secret. One key works on every family.</p>
<nav>
${links}
</nav>
${signing()}
${rest.map(({ name, document }) => restSection(name, document)).join("\n")}
${eventSection(events.name, events.document)}
${faults()}
${limits()}
${versions()}
</body>
</html>
`;
}

function signing(): string {
  const show = ({ title, program }: Example) => folded(escaped(title), `<pre>${escaped(program)}</pre>`);
  return `<section id="signing">
<h2>Signing</h2>
<p>Whole programs for Node, without dependencies. Save one as ${code("call.mjs")} and run it with
${code("API_KEY=… API_SECRET=… node call.mjs")}. A private call of any family uses a nonce larger than the last of its key,
but for the alias endpoints, which have none.</p>
${[...SIGNING_EXAMPLES, WEBHOOK_EXAMPLE].map(show).join("\n")}
</section>`;
}

function faults(): string {
  const rows = FAULT_CODES.map((fault) => {
    const { status, retry, meaning, nextAction } = FAULTS[fault];
    const name = `<span id="${anchor("fault", fault)}">${code(fault)}</span>`;
    return [name, String(status), String(ALIAS_FAULTS[fault].number), code(retry), inline(meaning), inline(nextAction)];
  });
  return `<section id="faults">
<h2>Errors</h2>
<p>One catalogue for all families. HTTP is the status on ${code("/v1/")}; the Trading API answers 200 with the code in ${code("error")},
the alias endpoints with the number. An order without an answer is looked up first, never sent again blindly.</p>
${table(["Code", "HTTP", "Alias", "Retry", "Meaning", "What to do next"], rows)}
</section>`;
}

function limits(): string {
  const tiers = TIERS.map((tier) => [code(tier), String(LIMITS.weightPerMinute[tier])]);
  const single = Object.entries(LIMITS).flatMap(([name, value]) =>
    typeof value === "number" ? [[code(name), String(value)]] : [],
  );
  return `<section id="limits">
<h2>Limits</h2>
<p>A key has a weight a minute by its tier and a number of calls a second, over all families together; whichever is used up first counts.
What a key may do: ${PERMISSIONS.map(code).join(", ")}.</p>
${table(["Tier", "Weight a minute"], tiers)}
${table(["Limit", "Value"], single)}
</section>`;
}

function versions(): string {
  const rows = VERSIONS.map(({ version, date, changes }) => [code(version), escaped(date), inline(changes)]);
  return `<section id="versions">
<h2>Versions of the Open API</h2>
${table(["Version", "Date", "Changes"], rows)}
</section>`;
}
