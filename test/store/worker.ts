/** What a child process of the store's tests does. Bundled by `processes.ts`, as Node 20 runs no TypeScript. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Result } from "../../src/contract/index.ts";
import type { KillSwitchRecord } from "../../src/desk/index.ts";
import {
  type LaneSettings,
  openStore,
  type Store,
  StoreError,
  type StoreLocation,
  tryHoldLock,
} from "../../src/store/index.ts";
import { openConnection } from "../../src/store/sql/driver.ts";
import { resultOf } from "../../src/store/sql/store-error.ts";
import { unwrap } from "../fixture/result.ts";
import { FILLS_PER_PAGE, pageOf } from "./fill.ts";
import { claimOf } from "./plan.ts";

export interface Call {
  readonly nonce: string;
  /** The machine's monotonic clock, microseconds: the same for all processes. */
  readonly enteredUs: number;
}

export type Job =
  | { readonly role: "open"; readonly location: StoreLocation; readonly atMs: number }
  | {
      readonly role: "lane";
      readonly location: StoreLocation;
      readonly settings: LaneSettings;
      readonly calls: number;
      readonly holdMs: number;
      readonly atMs: number;
    }
  | { readonly role: "enter-and-hang"; readonly location: StoreLocation; readonly settings: LaneSettings }
  | { readonly role: "enter-and-ask"; readonly location: StoreLocation; readonly settings: LaneSettings }
  | {
      readonly role: "claim";
      readonly location: StoreLocation;
      readonly intents: readonly string[];
      readonly to: string;
    }
  | { readonly role: "record"; readonly location: StoreLocation; readonly prefix: string }
  | { readonly role: "lock"; readonly path: string }
  | {
      readonly role: "begin";
      readonly location: StoreLocation;
      readonly intents: readonly string[];
      readonly limits: Limits;
      readonly atMs: number;
      /** Tells every one as it begins, and nothing at the end. */
      readonly tellEach?: boolean;
    }
  | { readonly role: "begin-and-die"; readonly location: StoreLocation; readonly intentId: string }
  | { readonly role: "begin-and-stop"; readonly location: StoreLocation; readonly intentId: string }
  | { readonly role: "begin-until-halted"; readonly location: StoreLocation; readonly prefix: string }
  | { readonly role: "engage"; readonly location: StoreLocation; readonly by: string }
  | { readonly role: "append"; readonly location: StoreLocation; readonly account: string; readonly count: number }
  | {
      readonly role: "guess";
      readonly location: StoreLocation;
      readonly guesses: readonly string[];
      /** Of the console; absent: on a terminal. */
      readonly session?: string;
    }
  | { readonly role: "set-pin"; readonly location: StoreLocation; readonly pin: string; readonly atMs: number }
  | {
      readonly role: "claim-timer";
      readonly location: StoreLocation;
      readonly nowMs: number;
      readonly claimMs: number;
      readonly atMs: number;
    }
  | { readonly role: "sign"; readonly location: StoreLocation; readonly text: string; readonly atMs: number }
  | {
      readonly role: "keep-fills";
      readonly location: StoreLocation;
      readonly pages: number;
      readonly atMs: number;
      readonly tellEach?: boolean;
    }
  | { readonly role: "halt-on-full-disk"; readonly location: StoreLocation }
  | {
      readonly role: "claim-steps";
      readonly location: StoreLocation;
      readonly planIds: readonly string[];
      readonly atMs: number;
    }
  | { readonly role: "claim-and-die"; readonly location: StoreLocation; readonly planId: string };

/** KRW are text of whole numbers, as everywhere. */
export interface Limits {
  readonly orderKrw: string;
  readonly day: string;
  readonly openOrders: number;
}

/** What one process saw of a kill switch that another engaged; microseconds as above. */
export interface Halted {
  readonly lastBegunAtUs: number;
  readonly begun: number;
  readonly brake: KillSwitchRecord;
}

/** What happened on the full disk. */
export interface HaltedOnFullDisk {
  readonly writing: string;
  readonly brake: KillSwitchRecord | undefined;
  readonly begun: unknown;
}

const clock = { now: () => Date.now(), sleep: (ms: number, signal?: AbortSignal) => rest(ms, signal) };

async function rest(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, signal === undefined ? {} : { signal });
}

const nowUs = () => Number(process.hrtime.bigint() / 1_000n);
const open = (location: StoreLocation) =>
  openStore<string, { readonly n: number }>(location, { clock, random: Math.random });

function die(): never {
  process.kill(process.pid, "SIGKILL");
  // The signal comes at once, but not before the call has returned.
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
}

function tell(message: unknown): void {
  process.send?.(message);
}

async function work(job: Job): Promise<void> {
  switch (job.role) {
    case "open": {
      await rest(Math.max(0, job.atMs - Date.now()));
      try {
        const store = await open(job.location);
        tell(await store.check());
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        tell({ name: error.name, code: error.code, message: error.message, fix: error.fix });
      }
      return;
    }
    case "lane": {
      const lane = (await open(job.location)).lane(job.settings);
      await rest(Math.max(0, job.atMs - Date.now()));
      const calls: Call[] = [];
      await Promise.all(
        Array.from({ length: job.calls }, async () => {
          const pass = await lane.enter("key", { weight: 1, clockOffsetMs: () => 0 });
          calls.push({ nonce: String(pass.nonce), enteredUs: nowUs() });
          if (job.holdMs > 0) await rest(job.holdMs);
          await pass.leave();
        }),
      );
      tell(calls);
      return;
    }
    case "enter-and-hang": {
      const lane = (await open(job.location)).lane(job.settings);
      const pass = await lane.enter("key", { weight: 1, clockOffsetMs: () => 0 });
      tell({ nonce: String(pass.nonce), enteredUs: nowUs() });
      await rest(60_000);
      return;
    }
    case "enter-and-ask": {
      const lane = (await open(job.location)).lane(job.settings);
      const pass = await lane.enter("key", { weight: 1, clockOffsetMs: () => 0 });
      for (;;) {
        tell({ nonce: String(pass.nonce), holds: pass.holds() });
        await rest(100);
      }
    }
    case "claim": {
      const { journal } = await open(job.location);
      const won: string[] = [];
      for (const intentId of job.intents) {
        if (await unwrap(journal.advance(intentId, { from: ["ready"], to: job.to }, Date.now()))) won.push(intentId);
      }
      tell(won);
      return;
    }
    case "record": {
      const { journal } = await open(job.location);
      for (let n = 0; ; n++) {
        const intentId = `${job.prefix}-${n}`;
        const order = {
          intentId,
          account: "a",
          userref: intentId,
          nonce: null,
          orderId: null,
          unit: "KRW",
          body: { n },
        } as const;
        await unwrap(journal.record({ ...order, state: "ready", createdAtMs: n }));
        tell({ intentId, state: "ready" });
        await unwrap(journal.advance(intentId, { from: ["ready"], to: "sent", nonce: String(n) }, n));
        tell({ intentId, state: "sent" });
      }
    }
    case "lock": {
      tell((await tryHoldLock(job.path)) !== undefined);
      await rest(60_000);
      return;
    }
    case "append": {
      const { audit } = await open(job.location);
      const { account } = job;
      for (let n = 0; n < job.count; n++)
        await unwrap(audit.append({ event: "worked", account, detail: { n } }, Date.now()));
      tell(job.count);
      return;
    }
    case "guess": {
      const { pin } = await open(job.location);
      const { session, guesses } = job;
      if (session === undefined) {
        tell(await Promise.all(guesses.map((guess) => pin.check(guess, 1_000))));
        return;
      }
      // One after another: at once, the last might be counted first.
      const verdicts: unknown[] = [];
      for (const guess of guesses) verdicts.push(await pin.checkAtConsole(guess, 1_000, session));
      tell(verdicts);
      return;
    }
    case "set-pin": {
      const { pin } = await open(job.location);
      await rest(Math.max(0, job.atMs - Date.now()));
      tell(await pin.set(job.pin, 1_000));
      return;
    }
    case "claim-timer": {
      const { timers } = await open(job.location);
      await rest(Math.max(0, job.atMs - Date.now()));
      tell((await unwrap(timers.claimDue("main", job.nowMs, job.claimMs))) ?? null);
      return;
    }
    case "sign": {
      const { seal } = await open(job.location);
      await rest(Math.max(0, job.atMs - Date.now()));
      tell(await unwrap(seal.sign(job.text)));
      return;
    }
    case "keep-fills": {
      const { fills } = await open(job.location);
      await rest(Math.max(0, job.atMs - Date.now()));
      let added = 0;
      for (let page = 0; page < job.pages; page++) {
        const newestMs = job.pages * FILLS_PER_PAGE;
        const isLast = page === job.pages - 1;
        const step = isLast ? { doneToMs: newestMs } : { pass: { fromMs: 0, newestMs, cursor: String(page + 1) } };
        added += await unwrap(fills.keep("a", pageOf(page, job.pages), step));
        if (job.tellEach === true) tell(page);
      }
      tell(added);
      return;
    }
    case "claim-steps": {
      const { plans } = await open(job.location);
      await rest(Math.max(0, job.atMs - Date.now()));
      const won: string[] = [];
      for (const planId of job.planIds)
        if ("written" in (await unwrap(plans.claim(claimOf(planId, 2))))) won.push(planId);
      tell(won);
      return;
    }
    case "claim-and-die": {
      // What it is asked to hide tells how far it is: its intent is there, and the transaction goes on.
      const redact = (text: string) => (text.includes("plan_step_claimed") ? die() : text);
      const dying = await openStore<string, { readonly n: number }>(job.location, {
        clock,
        random: Math.random,
        redact,
      });
      await dying.plans.claim(claimOf(job.planId, 2));
      return;
    }
    case "begin":
    case "begin-and-die":
    case "begin-and-stop":
    case "begin-until-halted":
    case "engage":
    case "halt-on-full-disk":
      await trade(job);
  }
}

type Trade = Extract<
  Job,
  { role: "begin" | "begin-and-die" | "begin-and-stop" | "begin-until-halted" | "engage" | "halt-on-full-disk" }
>;

/** The jobs in which orders begin. */
async function trade(job: Trade): Promise<void> {
  const store = await open(job.location);
  switch (job.role) {
    case "begin": {
      await rest(Math.max(0, job.atMs - Date.now()));
      const begun: string[] = [];
      for (const intentId of job.intents) {
        if (!(await begin(store, intentId, job.limits))) continue;
        begun.push(intentId);
        if (job.tellEach === true) tell(intentId);
      }
      tell(begun);
      return;
    }
    case "begin-and-die": {
      await unwrap(store.journal.begin(job.intentId, send("1"), die, () => Date.now()));
      return;
    }
    case "begin-and-stop": {
      let asked = 0;
      const stop = () => {
        asked += 1;
        if (asked === 1) {
          process.send?.("inside");
          process.kill(process.pid, "SIGSTOP");
        }
        return undefined;
      };
      const begun = await store.journal.begin(job.intentId, send("1"), stop, () => Date.now());
      tell(begun.ok ? (begun.value ?? "begun by another") : begun.fault.message);
      return;
    }
    case "begin-until-halted": {
      let lastBegunAtUs = 0;
      for (let n = 0; ; n++) {
        const intentId = `${job.prefix}-${n}`;
        await unwrap(store.journal.record(newIntent(intentId)));
        const startedAtUs = nowUs();
        const ended = await unwrap(
          store.journal.begin(
            intentId,
            send("1"),
            ({ killSwitch: brake }) => brake,
            () => Date.now(),
          ),
        );
        if (ended !== undefined && "refused" in ended) {
          tell({ lastBegunAtUs, begun: n, brake: ended.refused } satisfies Halted);
          return;
        }
        lastBegunAtUs = startedAtUs;
        if (n === 0) tell("begun");
      }
    }
    case "engage": {
      await unwrap(store.killSwitch.engage({ reason: "enough", by: job.by, atMs: 7 }));
      tell(nowUs());
      return;
    }
    case "halt-on-full-disk":
      if (!("path" in job.location)) throw new Error("memory is never full");
      tell(await haltOnFullDisk(store, job.location.path));
  }
}

type WorkerStore = Store<string, { readonly n: number }>;

const send = (held: string) => ({ from: ["ready"], to: "sent", nonce: "1", held, unit: "KRW" as const });

function newIntent(intentId: string) {
  const order = {
    intentId,
    account: "main",
    userref: intentId,
    nonce: null,
    orderId: null,
    unit: "KRW",
    body: { n: 1 },
  } as const;
  return { ...order, state: "ready", createdAtMs: Date.now() };
}

/** As a policy would: what is in use, and this order, stay inside the limits. */
async function begin({ journal }: WorkerStore, intentId: string, limits: Limits): Promise<boolean> {
  const { orderKrw, day, openOrders } = limits;
  const ended = await unwrap(
    journal.begin(
      intentId,
      send(orderKrw),
      ({ usage }) => {
        const isInside = BigInt(usage.day) + BigInt(orderKrw) <= BigInt(day) && usage.openOrders < openOrders;
        return isInside ? undefined : usage;
      },
      () => Date.now(),
    ),
  );
  return ended !== undefined && "begun" in ended;
}

/** @returns the messages of the last failures, of which there is nothing else any more. */
async function untilFull(write: (n: number, isLast: boolean) => Promise<Result<unknown>>): Promise<readonly string[]> {
  let failures: string[] = [];
  for (let n = 0; failures.length < 20; n++) {
    const written = await write(n, failures.length > 0);
    failures = written.ok ? [] : [...failures, written.fault.message];
  }
  return failures;
}

/** Writes until nothing more can be written, not even one page, then engages the kill switch. */
async function haltOnFullDisk({ journal, killSwitch: brake }: WorkerStore, path: string): Promise<HaltedOnFullDisk> {
  await unwrap(journal.record(newIntent("before")));
  const failures = await untilFull((n, isLast) =>
    journal.record({ ...newIntent(`fill-${n}`), userref: "x".repeat(isLast ? 1 : 20_000) + n }),
  );
  const page = await openConnection(path, { journal: "wal", durability: "full", random: Math.random });
  await untilFull(() => resultOf(page.exec("UPDATE schema_version SET applied_at_ms = applied_at_ms + 1")));
  await unwrap(brake.engage({ reason: "disk is full", by: "test", atMs: 7 }));
  const begun = await unwrap(
    journal.begin(
      "before",
      send("1"),
      (standing) => standing.killSwitch,
      () => Date.now(),
    ),
  );
  return { writing: String(failures[0]), brake: await unwrap(brake.state()), begun };
}

await work(JSON.parse(process.argv[2] ?? "null") as Job);
process.disconnect?.();
