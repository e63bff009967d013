/**
 * `npm run bench:start`: what it costs from the spawn of a server to its answer of `tools/list` over stdio, and the memory a few
 * seconds later, when whatever opens in the background is open. The servers take turns, so that a busy machine slows all alike.
 *
 * `-- --runs 15 --with NAME=FILE` adds servers beside hoga and the minimal one, each started as `node FILE`; further words go to it.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type ProcessCost, processCost } from "./process-cost.ts";
import { median, timed } from "./statistics.ts";
import { StdioClient } from "./stdio-client.ts";

const SETTLED_AFTER_MS = 3_000;
const HOGA = ["dist/cli.js", "serve"];
const MINIMAL = [".bench/minimal-server.js"];

interface Start {
  readonly wallMs: number;
  readonly atAnswer: ProcessCost | undefined;
  readonly settled: ProcessCost | undefined;
}

interface Server {
  readonly name: string;
  readonly args: readonly string[];
  readonly starts: Start[];
}

/** A fresh data directory for each start: what hoga makes at its first use is part of it. */
async function start(args: readonly string[]): Promise<Start> {
  const home = mkdtempSync(join(tmpdir(), "hoga-start-"));
  let client: StdioClient | undefined;
  const wallMs = await timed(async () => {
    client = new StdioClient(args, { HOGA_HOME: home, HOME: home }, "ignore");
    await client.initialize();
    await client.request("tools/list");
  });
  const pid = client?.pid ?? 0;
  const atAnswer = processCost(pid);
  await sleep(SETTLED_AFTER_MS);
  const settled = processCost(pid);
  await client?.close();
  rmSync(home, { recursive: true });
  return { wallMs, atAnswer, settled };
}

/** Smallest, middle and largest. */
function spread(figures: readonly (number | undefined)[]): string {
  const known = figures.filter((figure) => figure !== undefined);
  const three = [Math.min(...known), median(known), Math.max(...known)];
  return (known.length === 0 ? "-" : three.map((figure) => figure.toFixed(0)).join(" / ")).padStart(22);
}

const { values } = parseArgs({
  options: { runs: { type: "string", default: "15" }, with: { type: "string", multiple: true, default: [] } },
});
const servers: readonly Server[] = [
  { name: "hoga", args: HOGA, starts: [] },
  { name: "minimal SDK server", args: MINIMAL, starts: [] },
  ...values.with.map((given) => {
    const [name = "", command = ""] = given.split(/=(.*)/s);
    return { name, args: command.split(" "), starts: [] };
  }),
];
for (let run = 0; run < Number(values.runs); run++)
  for (const { args, starts } of servers) starts.push(await start(args));

const columns = ["wall ms", "cpu ms", "rss MB", `rss MB after ${SETTLED_AFTER_MS / 1000} s`];
process.stdout.write(`${"min / median / max".padEnd(22)}${columns.map((column) => column.padStart(22)).join("")}\n`);
for (const { name, starts } of servers) {
  const row = [
    spread(starts.map(({ wallMs }) => wallMs)),
    spread(starts.map(({ atAnswer }) => atAnswer?.cpuMs)),
    spread(starts.map(({ atAnswer }) => atAnswer?.rssMb)),
    spread(starts.map(({ settled }) => settled?.rssMb)),
  ];
  process.stdout.write(`${name.padEnd(22)}${row.join("")}\n`);
}
