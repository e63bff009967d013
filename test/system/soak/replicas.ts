/**
 * `npm run soak:replicas -- [--minutes 5] [--agents 64] [--seed 7]`: three replicas of one store on PostgreSQL behind a proxy, one exchange, and agents of
 * eight tenants, each with an account, a key, a policy and a PIN of its own. Replicas are killed and stopped, PostgreSQL crashes once and its connections are
 * cut; people halt one tenant or all, approve and deny meanwhile.
 *
 * It brings a PostgreSQL of its own (`HOGA_POSTGRES_BIN`). Ends with 1 when a promise was broken: an order doubled or lost, an end that is not the exchange's, a
 * tenant's budget or rate exceeded, a nonce that does not rise, an order of a tenant that was halted, a halt or a denial that a replica did not show at once to
 * whoever asks after it, or that it showed of somebody else. How long asking takes is a figure.
 */
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { oneLine, quartet, type SandboxLine } from "../../fixture/command.ts";
import { freshDir, type Place, type Program, pause, quantile, run, say, start } from "./programs.ts";
import { randomOf } from "./random.ts";
import { add, callAt, type Log, newLog, toldBy, work } from "./replica-agents.ts";
import { type Findings, findings, type Halt, unsettledIn } from "./replica-checks.ts";
import { atTerminal, makeTenant, PROFILE, type SoakTenant, setPin } from "./replica-tenants.ts";
import { type OwnPostgres, ownPostgres, roundRobin, wiretap } from "./replica-ways.ts";

const REPLICAS = 3;
const TENANTS = 8;
const RESUMED_MS = 1_000;
const LOOK_MS = 5_000;
const SETTLED_WITHIN_MS = 120_000;
/** Of what people do, each fourth is a halt, and each sixteenth one of everybody. */
const HALT_EVERY = 4;
const EVERYBODY_EVERY = 16;

/** What a run that proves anything has seen. */
const SEEN = ["a halt of one", "a halt of everybody", "approve", "deny"];

class Replica {
  readonly place: Place;
  #program: Program | undefined;
  url = "http://127.0.0.1:9";
  starts = 0;
  isStopped = false;
  /** How long each start took. */
  readonly startMs: number[] = [];
  readonly said: string[] = [];
  /** What a process took at most, and all of them together. */
  memoryMb = 0;
  cpuS = 0;

  constructor(env: Readonly<Record<string, string>>, exchange: string) {
    this.place = { home: freshDir(), env };
    const profile = `[profiles.${PROFILE}]\nenvironment = "sandbox"\nbase_url = "${exchange}"\n`;
    writeFileSync(join(this.place.home, "config.toml"), profile, { mode: 0o600 });
  }

  async start(): Promise<void> {
    this.starts += 1;
    const beganMs = performance.now();
    const program = start(["serve", "--http", "--json", "--show-token", "--port", "0"], this.place);
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
    if (signal === "SIGKILL") this.#weigh();
    this.#program?.kill(signal);
  }

  async ended(): Promise<void> {
    await this.#program?.ended;
  }

  #weigh(): void {
    const of = (file: string): string => readFileSync(`/proc/${this.#program?.pid}/${file}`, "utf8");
    const [, kb = "0"] = /VmHWM:\s+(\d+) kB/.exec(of("status")) ?? [];
    this.memoryMb = Math.max(this.memoryMb, Number(kb) / 1_024);
    const [user = "0", system = "0"] = of("stat")
      .replace(/^.*\) /, "")
      .split(" ")
      .slice(11);
    // The kernel counts in hundredths for programs.
    this.cpuS += (Number(user) + Number(system)) / 100;
  }
}

interface World {
  readonly postgres: OwnPostgres;
  readonly replicas: readonly Replica[];
  readonly tenants: readonly SoakTenant[];
  /** Opens the figures of all. */
  readonly operatorsToken: string;
  /** Where people give commands. */
  readonly place: Place;
  readonly log: Log;
  /** What people did, by what it is called. */
  readonly people: Map<string, number>;
  /** How long it took until each replica showed what a person had done, by what that was. */
  readonly seenMs: Map<string, number[]>;
  readonly halts: Halt[];
  readonly faults: string[];
  isOver: boolean;
}

/** @returns what is wrong with what the replica shows; undefined where it gives no answer */
type Look = (url: string) => Promise<readonly string[] | undefined>;

/** These tenants are halted, and nobody else. */
const showsHalted =
  ({ tenants, operatorsToken }: World, halted: readonly string[]): Look =>
  async (url) => {
    const answer = await fetch(`${url}/metrics`, {
      headers: { authorization: `Bearer ${operatorsToken}` },
      signal: AbortSignal.timeout(LOOK_MS),
    });
    const text = await answer.text();
    const wrong: string[] = [];
    for (const { name } of tenants) {
      const [, shown] = new RegExp(`^hoga_trading_halted\\{.*tenant="${name}".*\\} ([01])$`, "m").exec(text) ?? [];
      // A replica that has just been started has not opened all of them.
      if (shown === undefined && halted.includes(name)) return undefined;
      if (shown !== undefined && (shown === "1") !== halted.includes(name))
        wrong.push(`${name} halted: ${shown === "1"}`);
    }
    return wrong;
  };

/** Of an order that waits. */
const BEFORE: readonly string[] = ["awaiting_approval", "recorded", "draft"];

const showsEnd =
  (token: string, userref: string): Look =>
  async (url) => {
    const { reply } = await callAt(url, token, "get_audit_log", { userref });
    const { entries } = (reply ?? {}) as { readonly entries?: readonly { readonly event: string }[] };
    if (entries === undefined) return undefined;
    return entries.some(({ event }) => !BEFORE.includes(event)) ? [] : [`${userref} waits`];
  };

/** Every replica that answers has to show it to whoever asks from now on. */
async function seenByAll({ replicas, people: done, seenMs, faults }: World, what: string, look: Look): Promise<void> {
  const since = performance.now();
  const seen = seenMs.get(what) ?? [];
  seenMs.set(what, seen);
  await Promise.all(
    replicas.map(async (replica, at) => {
      const { starts } = replica;
      const wrong = await look(replica.url).catch(() => undefined);
      const ms = performance.now() - since;
      // One that was killed meanwhile has not seen anything; one that stands still answers when it goes on.
      if (wrong === undefined || replica.starts !== starts || replica.isStopped) add(done, "not looked at");
      else if (wrong.length === 0) seen.push(ms);
      else faults.push(`after ${what}, ${ms.toFixed(0)} ms: replica ${at + 1} shows ${wrong.join(", ")}`);
    }),
  );
}

interface Pending {
  readonly intent_id: string;
  readonly userref: string;
}

/** One tenant by a call at one replica, or everybody by a command; lifted a second later, by each one's PIN. */
async function haltAndResume(world: World, n: number): Promise<void> {
  const { replicas, tenants, people: done, place, halts } = world;
  const isEverybody = n % EVERYBODY_EVERY === 0;
  const halted = isEverybody ? tenants : [tenants[(n / HALT_EVERY) % TENANTS] as SoakTenant];
  const [tenant] = halted as readonly [SoakTenant];
  const at = replicas[n % REPLICAS]?.url ?? "";
  const isDone = isEverybody
    ? await everybodyHalted(place)
    : (await callAt(at, tenant.token, "halt_trading", { reason: "soak" })).reply?.brake === "everywhere";
  const names = halted.map(({ name }) => name);
  const halt = { tenants: names, fromMs: Date.now(), toMs: Number.POSITIVE_INFINITY };
  if (isDone) {
    add(done, isEverybody ? "halted everybody" : "halted one");
    await seenByAll(world, isEverybody ? "a halt of everybody" : "a halt of one", showsHalted(world, names));
    halts.push(halt);
    await tryWhileHalted(world, tenant);
  }
  await pause(1_000);
  halt.toMs = Date.now();
  for (const whose of [...names.map((name) => ["--tenant", name]), ...(isEverybody ? [[]] : [])])
    add(done, (await resumed(place, whose)) ? "resumed" : "not resumed");
}

/** At every replica that runs. What comes of it is held against the exchange, as what agents asked for. */
async function tryWhileHalted({ replicas, log, faults }: World, { name, token }: SoakTenant): Promise<void> {
  const order = { symbol: "BTC/KRW", side: "buy", type: "limit", price: "90000000", base_volume: "0.0003" };
  const running = replicas.filter(({ isStopped }) => !isStopped);
  await Promise.all(
    running.map(async ({ url }) => {
      const userref = `h-${randomBytes(9).toString("hex")}`;
      const { reply } = await callAt(url, token, "place_order", { ...order, userref });
      const told = toldBy(reply);
      log.asked.push({ tenant: name, userref, told, orderId: reply?.order_id });
      if (told === "accepted") faults.push(`${name}: ${userref} was taken while it was halted`);
    }),
  );
}

async function everybodyHalted(place: Place): Promise<boolean> {
  const { stdout } = await run(["halt", "--json"], place);
  if (stdout === "") return false;
  const { tenants } = oneLine<{ readonly tenants?: Readonly<Record<string, { readonly brake?: string }>> }>({ stdout });
  const brakes = Object.values(tenants ?? {}).map(({ brake }) => brake);
  return brakes.length === TENANTS && brakes.every((brake) => brake === "everywhere");
}

/** Tries until it is: after this nobody is to be halted. */
async function resumed(place: Place, whose: readonly string[]): Promise<boolean> {
  for (let tries = 0; tries < 20; tries++) {
    if ((await atTerminal(["resume", ...whose], place)) === 0) return true;
    await pause(1_000);
  }
  return false;
}

/** Halts now and then, and resumes; approves and denies what waits. */
async function people(world: World, random: () => number): Promise<void> {
  const { tenants, people: done, place } = world;
  for (let n = 1; !world.isOver; n++) {
    await pause(1_000 + random() * 2_000);
    if (n % HALT_EVERY === 0) {
      await haltAndResume(world, n);
      continue;
    }
    const { name, token } = tenants[n % TENANTS] as SoakTenant;
    const listed = await run(["pending", "--tenant", name, "--json"], place);
    if (listed.code !== 0) continue;
    const waiting = oneLine<{ readonly pending: readonly Pending[] }>(listed).pending[0];
    if (waiting === undefined) continue;
    const { intent_id, userref } = waiting;
    const words = [random() < 0.5 ? "approve" : "deny", intent_id, "--tenant", name];
    const code = words[0] === "approve" ? await atTerminal(words, place) : (await run(words, place)).code;
    add(done, `${words[0]}: ${code}`);
    if (code === 0) await seenByAll(world, `${words[0]}`, showsEnd(token, userref));
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

/** The replicas, the exchange and everybody who trades there. */
async function opened() {
  const postgres = await ownPostgres();
  const venueHome = freshDir();
  const exchange = start(["sandbox", "--json", "--port", "0"], { home: venueHome });
  const line = JSON.parse(await exchange.firstLine()) as SandboxLine;
  const tap = await wiretap(line.base_url);
  const env = {
    ...quartet(tap.url, line.api_key, line.api_secret),
    ...{ HOGA_STORE_URL: postgres.url, HOGA_MASTER_KEY: randomBytes(32).toString("base64") },
  };
  const replicas = Array.from({ length: REPLICAS }, () => new Replica(env, tap.url));
  const homes = replicas.map(({ place }) => place.home);
  const [{ place }] = replicas as [Replica, ...Replica[]];
  const tenants: SoakTenant[] = [];
  for (let n = 0; n < TENANTS; n++) tenants.push(await makeTenant(n, { line, venueHome, place, homes }));
  await setPin(place);
  const made = await run(["tokens", "create", "figures", "--scopes", "account:read", "--json"], place);
  const operatorsToken = oneLine<{ token: string }>(made).token;
  await Promise.all(replicas.map((replica) => replica.start()));
  return { postgres, venueHome, exchange, tap, replicas, place, tenants, operatorsToken };
}

async function soak(forMs: number, agents: number, seed: number): Promise<void> {
  const random = randomOf(seed);
  const { venueHome, exchange, tap, ...parts } = await opened();
  const { replicas, tenants, postgres } = parts;
  const proxy = await roundRobin(() => replicas.map(({ url }) => url));
  const log = newLog();
  const noted = { people: new Map(), seenMs: new Map(), halts: [], faults: [], isOver: false };
  const world: World = { ...parts, log, ...noted };
  const working = Array.from({ length: agents }, (_, n) => {
    const agent = { url: proxy.url, tenant: tenants[n % TENANTS] as SoakTenant, isOfSessions: n >= agents - TENANTS };
    return work({ ...agent, random }, log, () => world.isOver);
  });
  const persons = people(world, random);
  say(`${agents} agents of ${TENANTS} tenants, ${REPLICAS} replicas, ${forMs / 1_000} s, seed ${seed}`);
  await trouble(world, forMs);
  world.isOver = true;
  await Promise.all([...working, persons]);
  for (const { token } of tenants) await callAt(replicas[0]?.url ?? "", token, "cancel_all_orders");
  const settledAtMs = performance.now();
  const isSettled = async () => (await unsettledIn(postgres, tenants)) === 0;
  while (!(await isSettled()) && performance.now() - settledAtMs < SETTLED_WITHIN_MS) await pause(500);
  const settledMs = performance.now() - settledAtMs;
  await verifyLogs(world);
  // Their keys are for those who look now.
  for (const replica of replicas) replica.kill("SIGKILL");
  await Promise.all(replicas.map((replica) => replica.ended()));
  const { halts } = world;
  const found = await findings({ postgres, venueHome, tenants, asked: log.asked, halts, tap });
  const figures = { ...found.figures, "settled within ms": Math.round(settledMs) };
  report(world, { ...found, figures }, proxy.given);
  say(`signed requests: ${JSON.stringify(Object.fromEntries(tap.asked))}`);
  const unseen = SEEN.flatMap((what) =>
    (world.seenMs.get(what) ?? []).length === 0 ? [`no replica was seen to show ${what}: let it run longer`] : [],
  );
  const faults = [...world.faults, ...found.faults, ...unseen];
  for (const fault of faults) say(`BROKEN ${fault}`);
  exchange.kill("SIGKILL");
  await postgres.end();
  process.exitCode = faults.length === 0 ? 0 : 1;
  process.exit();
}

async function verifyLogs({ tenants, place, faults }: World): Promise<void> {
  for (const whose of [[], ...tenants.map(({ name }) => ["--tenant", name])]) {
    const verified = await run(["audit", "verify", ...whose], place);
    if (verified.code !== 0) faults.push(`the log ${whose.join(" ")}: ${verified.stdout}${verified.stderr}`);
  }
}

const shown = (counts: ReadonlyMap<unknown, number>): string => JSON.stringify(Object.fromEntries(counts));

function report(
  { log, people: done, seenMs, replicas, tenants }: World,
  { figures, used }: Findings,
  given: readonly number[],
): void {
  say("\n| call | answered | p50 ms | p99 ms | max ms |\n|---|---|---|---|---|");
  for (const [tool, ms] of [...log.ms].sort(([one], [other]) => one.localeCompare(other)))
    say(`| ${tool} | ${ms.length} | ${[0.5, 0.99, 1].map((share) => quantile(ms, share).toFixed(0)).join(" | ")} |`);
  say(
    "\n| tenant | asked | orders | open at once | in a minute | KRW of the day | KRW spent |\n|---|---|---|---|---|---|---|",
  );
  for (const { name, limits } of tenants) {
    const came = used.get(name);
    if (came === undefined) continue;
    const ofLimit = (["max_open_orders", "max_orders_per_minute", "max_day_krw"] as const).map(
      (limit) => `${came[limit]} of ${limits[limit]}`,
    );
    say(`| ${name} | ${came.asked} | ${came.orders} | ${ofLimit.join(" | ")} | ${came.spentKrw.toFixed(0)} |`);
  }
  const told = new Map<string, number>();
  for (const asked of log.asked) add(told, asked.told);
  say(`\nends: ${shown(log.ends)}`);
  say(`told: ${shown(told)}`);
  say(`longer than ten seconds, by when they began: ${shown(log.slow)}`);
  say(`people: ${shown(done)}`);
  for (const [what, ms] of seenMs) {
    const [middle, most] = [0.5, 1].map((share) => quantile(ms, share).toFixed(0));
    const late = ms.filter((each) => each > 1_000).length;
    say(
      `${what} was shown ${ms.length} times, after p50 ${middle} ms, max ${most} ms, ${late} after more than a second`,
    );
  }
  const rounded = (figure: (replica: Replica) => readonly number[]): string =>
    replicas.flatMap(figure).map(Math.round).join(", ");
  say(`requests by replica: ${given.join(", ")}; starts took ${rounded(({ startMs }) => startMs)} ms`);
  say(`memory at most ${rounded(({ memoryMb }) => [memoryMb])} MB; processor ${rounded(({ cpuS }) => [cpuS])} s`);
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
