/** Reads an account's fills from an exchange into a store, in a process of its own that can be killed. Bundled, as Node 20 runs no TypeScript. */
import { setTimeout as pause } from "node:timers/promises";
import type { Result } from "../../../src/contract/index.ts";
import { syncLedger } from "../../../src/desk/portfolio/ledger-sync.ts";
import { openStore } from "../../../src/store/index.ts";
import type { Lane } from "../../../src/transport/index.ts";
import { UpbitVenue } from "../../../src/venues/upbit/venue.ts";

export interface ReadingJob {
  readonly path: string;
  readonly baseUrl: string;
  readonly key: { readonly apiKey: string; readonly apiSecret: string };
  readonly account: string;
}

/** What is told of each call that was answered, and at the end. */
export type Told = { readonly endpoint: string } | { readonly added: number } | { readonly fault: string };

/** The real rates would take half an hour. */
const unpaced: Lane = {
  enter: async () => ({ nonce: 1n, leave: async () => {} }),
  pause: async () => {},
};

const tell = (message: Told): void => {
  process.send?.(message);
};

async function read({ path, baseUrl, key, account }: ReadingJob): Promise<void> {
  const clock = { now: Date.now, rising: () => performance.now(), sleep: (ms: number) => pause(ms) };
  const store = await openStore({ path }, { clock, random: Math.random });
  const venue = new UpbitVenue({
    ...{ environment: "sandbox", baseUrl, credentials: key, lane: unpaced },
    onEvent: (event) => event.type === "request_ended" && tell({ endpoint: event.endpoint }),
  });
  const added: Result<number> = await syncLedger({ venue, fills: store.fills, clock }, account);
  tell(added.ok ? { added: added.value } : { fault: added.fault.message });
  await venue.close();
  store.close();
}

await read(JSON.parse(process.argv[2] ?? "") as ReadingJob);
