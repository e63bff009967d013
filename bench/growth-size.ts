/** What the curves of `bench:growth` share: sizes, places, repeated measures. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore, type Store } from "../src/store/index.ts";
import { full, huge, smoke } from "./options.ts";
import { type Curve, Results } from "./results.ts";
import { median, timed } from "./statistics.ts";

export type Points = Curve["points"];
export const results = new Results("growth");

export const newPoints = (): [size: number, figure: number][] => [];

/** From the smallest, each ten times the one before, up to the largest that this run takes. @param most of `-- --huge` */
export function sizes(smallest: number, short: number, whole: number, most = whole): readonly number[] {
  const largest = smoke ? smallest * 10 : huge ? most : full ? whole : short;
  return Array.from({ length: Math.round(Math.log10(largest / smallest)) + 1 }, (_, power) => smallest * 10 ** power);
}

export async function repeated(times: number, work: () => Promise<unknown>): Promise<number> {
  const found: number[] = [];
  for (let run = 0; run < (smoke ? Math.min(times, 2) : times); run++) found.push(await timed(work));
  return median(found);
}

export async function withDir<T>(work: (dir: string) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), "hoga-bench-"));
  try {
    return await work(dir);
  } finally {
    rmSync(dir, { recursive: true });
  }
}

const clock = {
  now: () => Date.now(),
  sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
};

export type AnyStore = Store<string, unknown>;

export function storeAt(path: string): Promise<AnyStore> {
  return openStore({ path }, { clock, random: Math.random });
}
