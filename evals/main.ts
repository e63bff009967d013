/**
 * `npm run eval`: plays the requests of `requests.yaml`, each on a fresh exchange. Without a model the calls of the file are made; with
 * `EVALS_MODEL` a model makes its own. `README.md` has the rest.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { defined } from "../src/contract/index.ts";
import { modelFrom } from "./model.ts";
import { NO_TOKENS, type Played, play, scripted } from "./play.ts";
import { Report } from "./report.ts";
import { type Request, readRequests } from "./request.ts";

const HELP = `npm run eval -- [--only TEXT] [--json] [--parallel N]

  --only TEXT    only requests whose id contains it; more than once: any of them
  --json         one JSON object a line and request, and one with the sums, instead of words
  --parallel N   so many at once; default 2

Environment, to let a model make the calls:
  EVALS_MODEL      its name; without it the calls of requests.yaml are made
  EVALS_API        openai (chat completions, default) or anthropic (messages)
  EVALS_BASE_URL   where that is served; default: the API's own
  EVALS_API_KEY    the key; it is never printed

Everything is played on a paper exchange of its own. Ends with 1 where something is not as it should be, with 2 where it could not be played.
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
  const write = (text: string): void => void process.stdout.write(text);
  const report = new Report({ write, json, ...defined({ secret: process.env["EVALS_API_KEY"] }) });
  const waiting = chosen.values();
  const worker = async (): Promise<void> => {
    for (const request of waiting) {
      const failed = (error: Error): Played => ({ calls: [], wrong: [error.message], tokens: NO_TOKENS });
      report.add(request, await play(request, actor).catch(failed));
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Number(parallel)) }, worker));
  return report.end().failed === 0 ? 0 : 1;
}

function ids(requests: readonly Request[]): string {
  return requests.map(({ id }) => id).join(", ");
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
