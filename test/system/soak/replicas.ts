/**
 * `npm run soak:replicas -- [--minutes 5] [--agents 64] [--seed 7]`: three replicas of one store on PostgreSQL behind a proxy, one exchange, and agents that trade
 * by 8 tokens. Replicas are killed and stopped, PostgreSQL crashes once and cuts its connections; people halt, approve and deny meanwhile.
 *
 * It brings a PostgreSQL of its own (`HOGA_POSTGRES_BIN`). Ends with 1 when a promise was broken: an order doubled or lost, an end that is not the exchange's, a
 * budget or the rate exceeded, a nonce that does not rise, a halt or a denial that a replica did not see at once:
 * whoever asks after it has to be shown it. How long asking takes is a figure.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { oneLine, quartet, type SandboxLine } from "../../fixture/command.ts";
import { openShell } from "../../fixture/pseudo-terminal.ts";
import { freshDir, type Place, type Program, pause, quantile, run, say, start } from "./programs.ts";
import { randomOf } from "./random.ts";
import { add, callAt, type Log, newLog, work } from "./replica-agents.ts";
import { findings, POLICY, unsettledIn } from "./replica-checks.ts";
import { type OwnPostgres, ownPostgres, roundRobin, wiretap } from "./replica-ways.ts";

const REPLICAS = 3;
const TOKENS = 8;
const PIN = "correct horse 7";
const ALL_SCOPES = "market:read,account:read,trade:write,safety:write";
const RESUMED_MS = 1_000;
const LOOK_MS = 5_000;
const SETTLED_WITHIN_MS = 120_000;

class Replica {
  readonly place: Place;
  #program: Program | undefined;
  url = "http://127.0.0.1:9";
  starts = 0;
  isStopped = false;
  /** How long each start took. */
  readonly startMs: number[] = [];
  readonly said: string[] = [];

  constructor(env: Readonly<Record<string, string>>) {
    this.place = { home: freshDir(), env };
    const lines = Object.entries(POLICY).map(([name, value]) => `${name} = ${value}\n`);
    writeFileSync(join(this.place.home, "policy.toml"), lines.join(""), { mode: 0o600 });
  }

  get pid(): number {
    return this.#program?.pid ?? 0;
  }

  async start(): Promise<void> {
    this.starts += 1;
    const beganMs = performance.now();
    const program = start(["serve", "--http", "--json", "--port", "0"], this.place);
    this.#program = program;
    void program.ended.then(() => this.said.push(program.stderr()));
    const { mcp_url } = JSON.parse(await program.firstLine()) as { mcp_url: string };
    this.url = new URL(mcp_url).origin;
    this.startMs.push(performance.now() - beganMs);
  }

  kill(signal: NodeJS.Signals): void {
    // Until a second after it goes on: what it was asked meanwhile it answers late.
    if (signal === "SIGSTOP") this.isStopped = true;
    if (signal === "SIGCONT") void pause(RESUMED_MS).then(() => (this.isStopped = false));
    this.#program?.kill(signal);
  }

  async ended(): Promise<void> {
    await this.#program?.ended;
  }
}

interface World {
  readonly postgres: OwnPostgres;
  readonly replicas: readonly Replica[];
  readonly tokens: readonly string[];
  readonly log: Log;
  /** What people did, by what it is called. */
  readonly people: Map<string, number>;
  /** How long it took until each replica showed what a person had done. */
  readonly seenMs: number[];
  readonly faults: string[];
  isOver: boolean;
}

/** A command that asks for the PIN, at a terminal. */
async function atTerminal(
  words: readonly string[],
  { home, env = {} }: Place,
  answers: readonly string[],
): Promise<number | null> {
  const cli = join(process.cwd(), process.env["HOGA_TEST_CLI"] ?? "dist/cli.js");
  const line = `exec ${[process.execPath, cli, ...words].map((word) => `'${word}'`).join(" ")}`;
  const own = { PATH: process.env["PATH"] ?? "", HOME: home, HOGA_HOME: home, ...env };
  const terminal = openShell(line, own);
  for (const question of answers) {
    const isAsked = await terminal.see(question).then(
      () => true,
      () => false,
    );
    if (!isAsked) break;
    terminal.type(`${PIN}\r`);
  }
  return (await terminal.ended).code;
}

/** @returns whether the replica shows it; undefined where it gives no answer */
type Look = (url: string, token: string) => Promise<boolean | undefined>;

const showsHalt: Look = async (url, token) => {
  const answer = await fetch(`${url}/metrics`, {
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(LOOK_MS),
  });
  const [, halted] = /^hoga_trading_halted\S* ([01])$/m.exec(await answer.text()) ?? [];
  return halted === undefined ? undefined : halted === "1";
};

/** Of an order that waits. */
const BEFORE: readonly string[] = ["awaiting_approval", "recorded", "draft"];

const showsEnd =
  (userref: string): Look =>
  async (url, token) => {
    const { reply } = await callAt(url, token, "get_audit_log", { userref });
    const { entries } = (reply ?? {}) as { readonly entries?: readonly { readonly event: string }[] };
    return entries?.some(({ event }) => !BEFORE.includes(event));
  };

/** Every replica that answers has to show it to whoever asks from now on. */
async function seenByAll(
  { replicas, tokens, people: done, seenMs, faults }: World,
  what: string,
  look: Look,
): Promise<void> {
  const [token = ""] = tokens;
  const since = performance.now();
  await Promise.all(
    replicas.map(async (replica, at) => {
      const { starts } = replica;
      const shown = await look(replica.url, token).catch(() => undefined);
      const ms = performance.now() - since;
      // One that was killed meanwhile has not seen anything; one that stands still answers when it goes on.
      if (shown === undefined || replica.starts !== starts || replica.isStopped) add(done, "not looked at");
      else if (shown) seenMs.push(ms);
      else faults.push(`replica ${at + 1} did not show ${what} after ${ms.toFixed(0)} ms`);
    }),
  );
}

interface Pending {
  readonly intent_id: string;
  readonly userref: string;
}

/** Halts now and then, and resumes; approves and denies what waits. */
async function people(world: World, random: () => number): Promise<void> {
  const { replicas, tokens, people: done } = world;
  const [{ place } = { place: { home: "" } }] = replicas;
  for (let n = 1; !world.isOver; n++) {
    await pause(2_000 + random() * 3_000);
    if (n % 4 === 0) {
      const { reply } = await callAt(replicas[n % REPLICAS]?.url ?? "", tokens[n % TOKENS] ?? "", "halt_trading", {
        reason: "soak",
      });
      if ((reply as { brake?: unknown } | undefined)?.brake === "everywhere") {
        add(done, "halted");
        await seenByAll(world, "the halt", showsHalt);
      }
      await pause(1_000);
      add(done, (await atTerminal(["resume"], place, ["PIN: "])) === 0 ? "resumed" : "not resumed");
      continue;
    }
    const listed = await run(["pending", "--json"], place);
    if (listed.code !== 0) continue;
    const waiting = oneLine<{ readonly pending: readonly Pending[] }>(listed).pending[0];
    if (waiting === undefined) continue;
    const { intent_id, userref } = waiting;
    const isYes = random() < 0.5;
    const words = [isYes ? "approve" : "deny", intent_id];
    const code = isYes ? await atTerminal(words, place, ["PIN: "]) : (await run(words, place)).code;
    add(done, `${words[0]}: ${code}`);
    if (code === 0) await seenByAll(world, words[0] ?? "", showsEnd(userref));
  }
}

/** What goes wrong, at its share of the time. */
async function trouble({ postgres, replicas }: World, forMs: number): Promise<void> {
  const [one, two, three] = replicas as readonly [Replica, Replica, Replica];
  const again = async (replica: Replica): Promise<void> => {
    replica.kill("SIGKILL");
    await replica.ended();
    await pause(1_000);
    await replica.start();
  };
  const cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'hoga'";
  const plan: readonly (readonly [share: number, name: string, act: () => Promise<unknown>])[] = [
    [0.08, "replica 1 is killed", () => again(one)],
    [0.16, "every connection to PostgreSQL is cut", () => postgres.query(cut)],
    [0.22, "replica 2 stands still", async () => two.kill("SIGSTOP")],
    [0.3, "replica 3 is killed", () => again(three)],
    [0.44, "replica 2 goes on", async () => two.kill("SIGCONT")],
    [0.55, "PostgreSQL crashes", () => postgres.crash()],
    [0.58, "PostgreSQL is back", () => postgres.start()],
    [0.66, "replica 1 is killed", () => again(one)],
    [0.72, "replica 2 is killed", () => again(two)],
    [0.8, "every connection to PostgreSQL is cut", () => postgres.query(cut)],
    [0.88, "replica 3 is killed", () => again(three)],
  ];
  const beganMs = performance.now();
  for (const [share, name, act] of plan) {
    await pause(Math.max(0, beganMs + share * forMs - performance.now()));
    say(`${((performance.now() - beganMs) / 1_000).toFixed(0)} s: ${name}`);
    await act();
  }
  await pause(Math.max(0, beganMs + forMs - performance.now()));
}

async function soak(forMs: number, agents: number, seed: number): Promise<void> {
  const random = randomOf(seed);
  const postgres = await ownPostgres();
  const venueHome = freshDir();
  const exchange = start(["sandbox", "--json", "--port", "0"], { home: venueHome });
  const line = JSON.parse(await exchange.firstLine()) as SandboxLine;
  const tap = await wiretap(line.base_url);
  const env = { ...quartet(tap.url, line.api_key, line.api_secret), HOGA_STORE_URL: postgres.url };
  const replicas = Array.from({ length: REPLICAS }, () => new Replica(env));
  const place = replicas[0]?.place ?? { home: "" };
  await Promise.all(replicas.map((replica) => replica.start()));
  await atTerminal(["pin"], place, ["New PIN (6 to 64 characters): ", "New PIN again: "]);
  const tokens: string[] = [];
  for (let n = 0; n < TOKENS; n++) {
    const made = await run(["tokens", "create", `tenant-${n}`, "--scopes", ALL_SCOPES, "--json"], place);
    tokens.push(oneLine<{ token: string }>(made).token);
  }
  const proxy = await roundRobin(() => replicas.map(({ url }) => url));
  const log = newLog();
  const world: World = { postgres, replicas, tokens, log, people: new Map(), seenMs: [], faults: [], isOver: false };
  const working = Array.from({ length: agents }, (_, n) =>
    work(
      { url: proxy.url, token: tokens[n % TOKENS] ?? "", isOfSessions: n % 8 === 7, random },
      log,
      () => world.isOver,
    ),
  );
  const persons = people(world, random);
  say(`${agents} agents of ${TOKENS} tokens, ${REPLICAS} replicas, ${forMs / 1_000} s, seed ${seed}`);
  await trouble(world, forMs);
  world.isOver = true;
  await Promise.all([...working, persons]);
  await atTerminal(["resume"], place, ["PIN: "]);
  await callAt(replicas[0]?.url ?? "", tokens[0] ?? "", "cancel_all_orders");
  const settledAtMs = performance.now();
  while ((await unsettledIn(postgres)) > 0 && performance.now() - settledAtMs < SETTLED_WITHIN_MS) await pause(500);
  const settledMs = performance.now() - settledAtMs;
  const verified = await run(["audit", "verify"], place);
  if (verified.code !== 0) world.faults.push(`the log: ${verified.stdout}${verified.stderr}`);
  const found = await findings({ postgres, venueHome, asked: log.asked, tap });
  report(world, { ...found.figures, "settled within ms": Math.round(settledMs) }, proxy.given);
  say(`signed requests: ${JSON.stringify(Object.fromEntries(tap.asked))}`);
  const faults = [...world.faults, ...found.faults];
  for (const fault of faults) say(`BROKEN ${fault}`);
  for (const replica of replicas) replica.kill("SIGKILL");
  exchange.kill("SIGKILL");
  await postgres.end();
  process.exitCode = faults.length === 0 ? 0 : 1;
  process.exit();
}

function report(
  { log, people: done, seenMs, replicas }: World,
  figures: Readonly<Record<string, number>>,
  given: readonly number[],
): void {
  const shown = (counts: ReadonlyMap<unknown, number>): string => JSON.stringify(Object.fromEntries(counts));
  say("\n| call | answered | p50 ms | p99 ms | max ms |\n|---|---|---|---|---|");
  for (const [tool, ms] of [...log.ms].sort(([one], [other]) => one.localeCompare(other)))
    say(`| ${tool} | ${ms.length} | ${[0.5, 0.99, 1].map((share) => quantile(ms, share).toFixed(0)).join(" | ")} |`);
  const told = new Map<string, number>();
  for (const asked of log.asked) add(told, asked.told);
  say(`\nends: ${shown(log.ends)}`);
  say(`told: ${shown(told)}`);
  say(
    `people: ${shown(done)}; seen by a replica ${seenMs.length} times, after p50 ${quantile(seenMs, 0.5).toFixed(0)} ms, max ${quantile(seenMs, 1).toFixed(0)} ms`,
  );
  say(
    `requests by replica: ${given.join(", ")}; starts took ${replicas
      .flatMap(({ startMs }) => startMs)
      .map((ms) => Math.round(ms))
      .join(", ")} ms`,
  );
  for (const [what, figure] of Object.entries(figures)) say(`${what}: ${figure}`);
  const said = new Map<string, number>();
  for (const text of replicas.flatMap((replica) => replica.said.join("\n").split("\n")))
    if (text !== "") add(said, text.replaceAll(/\d+/g, "N").slice(0, 240));
  say(`\nthey said: ${JSON.stringify(Object.fromEntries(said), null, 1)}`);
}

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "5" },
    agents: { type: "string", default: "64" },
    seed: { type: "string", default: "7" },
  },
});
await soak(Number(values.minutes) * 60_000, Number(values.agents), Number(values.seed));
