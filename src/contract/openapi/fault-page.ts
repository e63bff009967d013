/**
 * Owns the error reference for people: Markdown, made from the tables of faults and from nothing else.
 * Entry point: `faultPage`. `docs/reference/errors.md` is its output, and a test compares the two.
 *
 * Not part of index.ts: nothing that runs needs it.
 */
import { FAULT_CODES, FAULTS, type FaultEntry, type RetryRule } from "../fault.ts";
import { LOCAL_FAULTS, type LocalFaultEntry, type ReachedVenue } from "../result.ts";
import { markdownTable } from "./markdown-table.ts";

const RETRY_WORDS: Readonly<Record<RetryRule, string>> = {
  never: "never unchanged",
  new_nonce: "with a new nonce",
  after_delay: "after the delay",
  back_off: "with back-off",
};

const RETRY_RULES: Readonly<Record<RetryRule, string>> = {
  never: "The same request would be refused again. Correct what the last column says.",
  new_nonce: "At once with a larger nonce, at most 5 times; the refused call had no effect.",
  after_delay: "After `retry_after_ms` (header `Retry-After`, in seconds).",
  back_off: "After growing pauses. An order or cancel is looked up first: it is never sent again blindly.",
};

const REACHED_WORDS: Readonly<Record<ReachedVenue, string>> = {
  no: "no",
  yes: "yes",
  unknown: "**unknown**",
};

const INTRODUCTION = `<!-- Generated from src/contract by "npm run docs". Do not edit. -->

# Errors

A code is \`<Class>:<message>\`, sometimes followed by a detail: \`EGeneral:Invalid arguments:price\`,
\`ECompliance:Missing travel-rule metadata: kyc_level\`. Compare the part before the detail.

The classes \`EAPI\`, \`EGeneral\`, \`EQuery\`, \`EOrder\`, \`ECompliance\` and \`EService\` are the service's. \`ELocal\` is ours: raised
on this side of the wire. A code that is not listed here is never retried; it is passed on as it came if it has at most four
words, else as \`EGeneral:Unlisted\` with its text in \`venue_text\`.`;

const SERVICE = `## Faults of the service

The HTTP status is that of \`/v1/\`. A code of this table may also be found by our own checks before anything is sent.`;

const LOCAL = `## Faults of this side

"Reached the venue" says whether the request may have had an effect: *no* is certain, *unknown* means that it was sent and
no readable answer came. Look an *unknown* request up to learn what became of it.`;

/** The page, with a line feed at its end. */
export function faultPage(): string {
  const service = FAULT_CODES.map((code) => {
    const entry: FaultEntry = FAULTS[code];
    return [`\`${code}\``, String(entry.status), RETRY_WORDS[entry.retry], entry.meaning, entry.nextAction];
  });
  const local = Object.entries<LocalFaultEntry>(LOCAL_FAULTS).map(([code, entry]) => [
    `\`${code}\``,
    REACHED_WORDS[entry.reachedVenue],
    RETRY_WORDS[entry.retry],
    entry.meaning,
    entry.nextAction,
  ]);
  const rules = Object.entries(RETRY_RULES).map(([rule, text]) => [RETRY_WORDS[rule as RetryRule], text]);
  return `${[
    INTRODUCTION,
    "## When to send again",
    markdownTable(["Retry", "Meaning"], rules),
    SERVICE,
    markdownTable(["Code", "HTTP", "Retry", "Meaning", "What to do next"], service),
    LOCAL,
    markdownTable(["Code", "Reached the venue", "Retry", "Meaning", "What to do next"], local),
  ].join("\n\n")}\n`;
}
