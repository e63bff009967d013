/**
 * `npm run evals`: plays the requests of `requests.yaml`, each on a fresh exchange. Without a model the calls of the file are made; with
 * `EVALS_MODEL` a model makes its own. `README.md` has the rest.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { modelFrom } from "./model.ts";
import { type Played, play, scripted } from "./play.ts";
import { type Request, readRequests } from "./request.ts";

const HELP = `npm run evals -- [--only TEXT] [--json] [--parallel N]

  --only TEXT    only requests whose id contains it; more than once: any of them
  --json         one JSON object a line and request instead of words
  --parallel N   so many at once; default 2

Environment, to let a model make the calls:
  EVALS_MODEL      its name; without it the calls of requests.yaml are made
  EVALS_API        openai (chat completions, default) or anthropic (messages)
  EVALS_BASE_URL   where that is served; default: the API's own
  EVALS_API_KEY    the key
`;

const options = {
  only: { type: "string", multiple: true },
  json: { type: "boolean", default: false },
  parallel: { type: "string", default: "2" },
  help: { type: "boolean", default: false },
} as const;

async function main(): Promise<number> {
  const { only, json, parallel, help } = parseArgs({ options }).values;
  if (help) {
    process.stdout.write(HELP);
    return 0;
  }
  const requests = readRequests(join(process.cwd(), "evals", "requests.yaml"));
  const chosen = requests.filter(({ id }) => only?.some((part) => id.includes(part)) ?? true);
  if (chosen.length === 0) throw new Error(`--only: no request has that in its id; they are ${ids(requests)}`);
  const actor = modelFrom(process.env) ?? scripted;
  const waiting = chosen.values();
  let failed = 0;
  const worker = async (): Promise<void> => {
    for (const request of waiting) {
      const played = await play(request, actor).catch(
        (error: Error): Played => ({ calls: [], wrong: [error.message] }),
      );
      if (played.wrong.length > 0) failed += 1;
      process.stdout.write(json ? jsonLine(request, played) : words(request, played));
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Number(parallel)) }, worker));
  if (!json) process.stdout.write(`${chosen.length - failed} of ${chosen.length} requests went well\n`);
  return failed === 0 ? 0 : 1;
}

function ids(requests: readonly Request[]): string {
  return requests.map(({ id }) => id).join(", ");
}

function jsonLine({ id, says }: Request, { calls, wrong }: Played): string {
  return `${JSON.stringify({ id, says, ok: wrong.length === 0, wrong, calls })}\n`;
}

function words({ id, says }: Request, { calls, wrong }: Played): string {
  const made = calls.map(({ name }) => name).join(", ");
  const verdict = wrong.length === 0 ? "ok   " : "WRONG";
  return `${verdict} ${id}: ${says} → ${made}\n${wrong.map((each) => `      ${each}\n`).join("")}`;
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: Error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2;
  },
);
