/**
 * What probes leave in the data directory: `probes/NAME-DATE.json`, the last one of a day; and when it was said last that there was none.
 *
 * Invariants: only its owner reads it; there is no key, no balance and no whole id in it; what is not a file of a probe counts as none.
 */
import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { ConfigError, type Home, makeDir, readOwnFile, scrubber } from "../../config/index.ts";

/** What is read of one again. */
export interface KeptProbe {
  readonly exchange: string;
  readonly environment: string;
  /** The exchange says that it is a sandbox. */
  readonly practice: boolean;
  /** ISO 8601. */
  readonly at: string;
  /** No required step failed. */
  readonly passed: boolean;
  /** When an order was placed, found and canceled, that day. */
  readonly ordered_at?: string | null;
}

/** With real money, on this data directory. */
export interface Tried {
  /** The day of the last probe that has passed. */
  readonly day: string;
  /** The day on which an order was placed and canceled last. */
  readonly ordered_on: string | null;
}

const VERSION = 1;
const NAME = /^([a-z0-9-]{1,32}?)(-sandbox)?-(\d{4}-\d\d-\d\d)\.json$/;

const folderOf = ({ dir }: Pick<Home, "dir">): string => join(dir, "probes");

/** @returns where it is */
export function keepProbe(home: Home, probe: KeptProbe): string {
  const folder = folderOf(home);
  makeDir(folder);
  const kind = probe.environment === "live" && !probe.practice ? "" : "-sandbox";
  const name = `${probe.exchange}${kind}-${probe.at.slice(0, 10)}.json`;
  const path = join(folder, name);
  const earlier = readProbe(folder, name);
  const whole = { version: VERSION, ...probe, ordered_at: probe.ordered_at ?? earlier?.ordered_at ?? null };
  writeWhole(path, `${scrubber.json(whole)}\n`);
  return path;
}

function writeWhole(path: string, text: string): void {
  const part = `${path}.${randomBytes(6).toString("hex")}`;
  const file = openSync(part, "wx", 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
    renameSync(part, path);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

/** Whether an exchange was tried here with a real key, and passed. */
export function triedAt(home: Pick<Home, "dir">, exchange: string): Tried | undefined {
  const folder = folderOf(home);
  const kept = namesIn(folder)
    .filter((name) => NAME.exec(name)?.[1] === exchange && NAME.exec(name)?.[2] === undefined)
    .sort()
    .reverse()
    .flatMap((name) => readProbe(folder, name) ?? [])
    .filter((probe) => probe.exchange === exchange && probe.environment === "live" && !probe.practice && probe.passed);
  const [last] = kept;
  if (last === undefined) return undefined;
  const ordered = kept.find(({ ordered_at: at }) => typeof at === "string");
  return { day: last.at.slice(0, 10), ordered_on: ordered?.ordered_at?.slice(0, 10) ?? null };
}

/** Whether nothing was said today of an exchange that nobody has tried: what is said once a day is then to be said now. */
export function isFirstToday(home: Pick<Home, "dir">, exchange: string, nowMs: number): boolean {
  const folder = folderOf(home);
  const path = join(folder, `${exchange}-untried`);
  const today = new Date(nowMs).toISOString().slice(0, 10);
  try {
    if (readOwnFile(path, (problem) => new ConfigError(problem, "")) === today) return false;
    makeDir(folder);
    writeWhole(path, today);
  } catch {
    // A file that cannot be read or written: it is said once more than needed.
  }
  return true;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readProbe(folder: string, name: string): KeptProbe | undefined {
  try {
    const text = readOwnFile(join(folder, name), (problem) => new ConfigError(`${name} ${problem}.`, "Move it away."));
    const found = JSON.parse(text ?? "null") as (KeptProbe & { readonly version: number }) | null;
    return found?.version === VERSION && /^\d{4}-\d\d-\d\dT/.test(found.at) ? found : undefined;
  } catch {
    return undefined;
  }
}
