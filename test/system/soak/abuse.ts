/**
 * `npm run soak:abuse -- [seconds] [kind]`: a server that may have 1 024 files open, under everything that callers do who mean harm, each for as long
 * as that, 15 seconds unless told otherwise. Meanwhile another caller reads and a person halts, and both have to be answered.
 *
 * Ends with 1 when a promise was broken: another caller was refused or waited too long, a halt failed, memory or descriptors grew.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { oneLine } from "../../fixture/command.ts";
import { addressIn } from "../../fixture/http-address.ts";
import { ABUSES, type Harm, type Tally, type Target } from "./abuser.ts";
import { freshDir, pause, quantile, run, say, start } from "./programs.ts";

const FILES_MAX = 1_024;
/** Of the heap: what is only not collected yet is not to be taken for what is kept. */
const HEAP_MB = 96;
const PROBE_EVERY_MS = 200;
/** On a machine that is busy with the attack, and perhaps with more. */
const ANSWER_MS = 10_000;
const HALT_MS = 15_000;
/** Above what it was after the first calls. */
const GROWTH_MAX = 1.3;

/** In a process of its own: what waits for an answer is not to wait for the attack. */
async function attack(): Promise<void> {
  const [harm] = (await once(process, "message")) as [Harm];
  const tally = await ABUSES[harm.kind](harm.target, Date.now() + harm.forMs);
  process.send?.(tally);
  process.disconnect();
  process.exit();
}

async function attackFrom(harm: Harm): Promise<Tally> {
  const child = fork(process.argv[1] ?? "", ["far"]);
  child.send(harm);
  const [tally] = (await once(child, "message")) as [Tally];
  return tally;
}

interface Probes {
  readonly ms: number[];
  readonly faults: string[];
}

async function soak(forMs: number, only: string | undefined): Promise<void> {
  const home = freshDir();
  const through = ["/bin/sh", "-c", `ulimit -n ${FILES_MAX}; exec "$0" --max-old-space-size=${HEAP_MB} "$@"`];
  const server = start(["serve", "--http", "--json", "--show-token", "--port", "0"], { home }, { through });
  const { url, headers } = addressIn(await server.firstLine());
  const made = async (name: string): Promise<string> =>
    oneLine<{ token: string }>(await run(["tokens", "create", name, "--json"], { home })).token;
  const [token, modest] = [await made("greedy"), await made("modest")];
  const target = { port: Number(new URL(url).port), token, owner: String(headers["Authorization"]).slice(7) };
  for (let n = 0; n < 200; n++) await ask(target, modest);
  const [rssBefore, filesBefore] = [residentMb(server.pid), filesOf(server.pid)];
  say(`at rest: ${rssBefore} MB, ${filesBefore} descriptors of ${FILES_MAX}`);
  const faults: string[] = [];
  for (const kind of Object.keys(ABUSES) as Harm["kind"][]) {
    if (only !== undefined && kind !== only) continue;
    const found = await under({ kind, forMs, target }, modest, { home, pid: server.pid });
    faults.push(...found.map((fault) => `${kind}: ${fault}`));
  }
  await pause(12_000);
  const [rss, files] = [residentMb(server.pid), filesOf(server.pid)];
  say(`afterwards: ${rss} MB, ${files} descriptors`);
  if (rss > rssBefore * GROWTH_MAX) faults.push(`memory grew from ${rssBefore} to ${rss} MB`);
  if (files > filesBefore + 16) faults.push(`descriptors grew from ${filesBefore} to ${files}`);
  const said = server.stderr();
  if (said !== "") say(`it said: ${said.slice(0, 2_000)}`);
  for (const fault of faults) say(`BROKEN ${fault}`);
  server.kill("SIGTERM");
  await server.ended;
  process.exitCode = faults.length === 0 ? 0 : 1;
}

interface Server {
  readonly home: string;
  readonly pid: number;
}

async function under(harm: Harm, modest: string, { home, pid }: Server): Promise<readonly string[]> {
  const before = residentMb(pid);
  let isOver = false;
  let [files, rss] = [0, 0];
  const probes: Probes = { ms: [], faults: [] };
  const probing = (async () => {
    while (!isOver) {
      const beganMs = performance.now();
      const fault = await ask(harm.target, modest);
      probes.ms.push(performance.now() - beganMs);
      if (fault !== undefined) probes.faults.push(fault);
      [files, rss] = [Math.max(files, filesOf(pid)), Math.max(rss, residentMb(pid))];
      await pause(PROBE_EVERY_MS);
    }
  })();
  const attacking = attackFrom(harm);
  await pause(Math.min(3_000, harm.forMs / 2));
  const halted = await run(["halt", "--json"], { home });
  const tally = await attacking;
  isOver = true;
  await probing;
  const at = (share: number): string => quantile(probes.ms, share).toFixed(0);
  say(
    `${harm.kind}: ${JSON.stringify(tally)}; ${probes.ms.length} reads of another caller, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms, ` +
      `failed ${probes.faults.length}; halt ${halted.ms.toFixed(0)} ms (${halted.code}); ${files} descriptors at most; ${before} MB before, ${rss} MB at most, ${residentMb(pid)} MB after`,
  );
  const faults = [...new Set(probes.faults)].map((fault) => `another caller: ${fault}`);
  if (quantile(probes.ms, 1) > ANSWER_MS) faults.push(`another caller waited for ${at(1)} ms`);
  if (halted.code !== 0 || halted.ms > HALT_MS)
    faults.push(`halt: ${halted.code} after ${halted.ms.toFixed(0)} ms: ${halted.stderr}`);
  if (files > FILES_MAX - 100) faults.push(`${files} descriptors of ${FILES_MAX}`);
  return faults;
}

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "soak", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
const BODY = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "get_balances", arguments: {}, _meta: META },
});

/** A read, over a connection of its own. @returns what was wrong */
function ask({ port }: Target, token: string): Promise<string | undefined> {
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": "get_balances",
    authorization: `Bearer ${token}`,
  };
  return new Promise((resolve) => {
    const sent = request({ port, host: "127.0.0.1", path: "/mcp", method: "POST", headers, agent: false }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      answer.on("error", (error) => resolve(error.message));
      answer.on("end", () =>
        resolve(text.includes('"value"') ? undefined : `${answer.statusCode ?? 0} ${text.slice(0, 200)}`),
      );
    });
    sent.setTimeout(30_000, () => sent.destroy(new Error("no answer within 30 s")));
    sent.on("error", (error) => resolve(error.message));
    sent.end(BODY);
  });
}

function residentMb(pid: number): number {
  const [, kb = "0"] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Math.round(Number(kb) / 1024);
}

function filesOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

if (process.argv[2] === "far") await attack();
else await soak(Number(process.argv[2] ?? 15) * 1_000, process.argv[3]);
