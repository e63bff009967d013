/** What a child process of the store's tests does. Bundled by `processes.ts`, as Node 20 runs no TypeScript. */
import { setTimeout as sleep } from "node:timers/promises";
import { type LaneSettings, openStore, StoreError, type StoreLocation, tryHoldLock } from "../../src/store/index.ts";

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
  | {
      readonly role: "claim";
      readonly location: StoreLocation;
      readonly intents: readonly string[];
      readonly to: string;
    }
  | { readonly role: "record"; readonly location: StoreLocation; readonly prefix: string }
  | { readonly role: "lock"; readonly path: string };

const clock = { now: () => Date.now(), sleep: (ms: number, signal?: AbortSignal) => rest(ms, signal) };

async function rest(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, signal === undefined ? {} : { signal });
}

const nowUs = () => Number(process.hrtime.bigint() / 1_000n);
const open = (location: StoreLocation) =>
  openStore<string, { readonly n: number }>(location, { clock, random: Math.random });

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
          const pass = await lane.enter("key", { weight: 1, clockOffsetMs: 0 });
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
      const pass = await lane.enter("key", { weight: 1, clockOffsetMs: 0 });
      tell({ nonce: String(pass.nonce), enteredUs: nowUs() });
      await rest(60_000);
      return;
    }
    case "claim": {
      const { journal } = await open(job.location);
      const won: string[] = [];
      for (const intentId of job.intents) {
        if (await journal.advance(intentId, { from: ["ready"], to: job.to }, Date.now())) won.push(intentId);
      }
      tell(won);
      return;
    }
    case "record": {
      const { journal } = await open(job.location);
      for (let n = 0; ; n++) {
        const intentId = `${job.prefix}-${n}`;
        const order = { intentId, account: "a", userref: intentId, nonce: null, orderId: null, body: { n } };
        await journal.record({ ...order, state: "ready", createdAtMs: n });
        tell({ intentId, state: "ready" });
        await journal.advance(intentId, { from: ["ready"], to: "sent", nonce: String(n) }, n);
        tell({ intentId, state: "sent" });
      }
    }
    case "lock": {
      tell((await tryHoldLock(job.path)) !== undefined);
      await rest(60_000);
    }
  }
}

await work(JSON.parse(process.argv[2] ?? "null") as Job);
process.disconnect();
