/** The evaluation as a command: which requests are played, by whom, and how it is told. Entry point: `evaluate`. */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { defined } from "../src/contract/index.ts";
import { modelFrom } from "./model.ts";
import { NO_TOKENS, type Played, play, scripted } from "./play.ts";
import { Report } from "./report.ts";
import { type Request, readRequests } from "./request.ts";
import type { Reach } from "./stage.ts";

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

/** How the command is run; `reach` is for tests. */
export interface Run {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly write: (text: string) => void;
  readonly reach?: Reach;
}

/** @returns the exit code. @throws where nothing could be played: wrong options, or variables that name what there is not */
export async function evaluate({ args, env, write, reach }: Run): Promise<number> {
  const { only, json, parallel, help } = parseArgs({ args: [...args], options }).values;
  if (help) {
    write(HELP);
    return 0;
  }
  if (!/^[1-9]\d?$/.test(parallel)) throw new Error("--parallel: a whole number from 1 to 99");
  const requests = readRequests(join(process.cwd(), "evals", "requests.yaml"));
  const chosen = requests.filter(({ id }) => only?.some((part) => id.includes(part)) ?? true);
  if (chosen.length === 0) throw new Error(`--only: no request has that in its id; they are ${ids(requests)}`);
  const actor = modelFrom(env) ?? scripted;
  const report = new Report({ write, json, ...defined({ secret: env["EVALS_API_KEY"] }) });
  const waiting = chosen.values();
  const worker = async (): Promise<void> => {
    for (const request of waiting) {
      const failed = (error: Error): Played => ({ calls: [], wrong: [error.message], tokens: NO_TOKENS });
      report.add(request, await play(request, actor, reach).catch(failed));
    }
  };
  await Promise.all(Array.from({ length: Number(parallel) }, worker));
  return report.end().failed === 0 ? 0 : 1;
}

function ids(requests: readonly Request[]): string {
  return requests.map(({ id }) => id).join(", ");
}
