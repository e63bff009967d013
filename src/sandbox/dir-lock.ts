/**
 * Owns that a directory belongs to one running sandbox: two would write two histories into one journal.
 *
 * The lock is a file with the owner's process id. A lock whose process is gone is taken over, so a crash blocks nobody;
 * nor does a process that ended and was not collected by its parent, nor another program that was given the same id since: a lock also ends with the machine's boot and, where the system
 * tells when a process began, with the process that wrote it.
 */
import { randomUUID } from "node:crypto";
import { link, open, readFile, rename, rm, stat } from "node:fs/promises";
import { uptime } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { SandboxStartError, systemCode } from "./start-error.ts";

const FILE = "lock";
const UNWRITTEN_MS = 100;
const UNTOLD = "-";
/** A process that runs no more although its id is still taken: a zombie, or dead. */
const ENDED_STATES = ["Z", "X", "x"];
/** How much the machine's clock and its time since boot may disagree. */
const BOOT_SLACK_MS = 10_000;
/** Locks of this process; a lock file naming this process that is not among them is left from an earlier one. */
const held = new Set<string>();

/**
 * Takes the lock of a directory that exists.
 * @returns gives it back.
 * @throws SandboxStartError while another sandbox runs there; the system's error where no file can be made.
 */
export async function lockDir(dir: string): Promise<() => Promise<void>> {
  const path = join(resolve(dir), FILE);
  if (held.has(path)) throw inUse(dir, process.pid);
  held.add(path);
  try {
    const mark = `${process.pid} ${(await processOf(process.pid))?.begin ?? UNTOLD} ${randomUUID()}\n`;
    while (!(await create(path, mark))) await removeStale(dir, path);
  } catch (error) {
    held.delete(path);
    throw error;
  }
  return async () => {
    await rm(path, { force: true });
    held.delete(path);
  };
}

async function create(path: string, mark: string): Promise<boolean> {
  try {
    const file = await open(path, "wx", 0o600);
    try {
      await file.writeFile(mark);
    } finally {
      await file.close();
    }
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  }
}

/** Moves a lock out of the way whose owner is gone. */
async function removeStale(dir: string, path: string): Promise<void> {
  let mark = await contentOf(path);
  if (mark === "") {
    // Made a moment ago and not written yet, or left so by a crash.
    await setTimeout(UNWRITTEN_MS);
    mark = await contentOf(path);
  }
  if (mark === undefined) return;
  const [pid = "", begin = UNTOLD] = mark.split(/\s/);
  const owner = Number.parseInt(pid, 10); // not money: a process id
  if (owner !== process.pid && (await isOwned(path, owner, begin))) throw inUse(dir, owner);
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return;
    throw error;
  }
  // Somebody quicker may have taken the lock since it was read: then what was moved is theirs, and goes back.
  if ((await contentOf(aside)) !== mark) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
}

async function contentOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Whether the process that wrote the lock is still the one with that id. */
async function isOwned(path: string, owner: number, begin: string): Promise<boolean> {
  if (!isRunning(owner)) return false;
  const entry = await processOf(owner);
  if (entry !== undefined && ENDED_STATES.includes(entry.state)) return false;
  const begins = entry?.begin;
  if (begins !== undefined && begin !== UNTOLD) return begins === begin;
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
  return mtimeMs > Date.now() - uptime() * 1000 - BOOT_SLACK_MS;
}

interface ProcessEntry {
  readonly state: string;
  /** When it began, in the system's own count. */
  readonly begin: string;
}

/** Undefined where the system does not tell. */
async function processOf(pid: number): Promise<ProcessEntry | undefined> {
  try {
    const line = await readFile(`/proc/${pid}/stat`, "utf8");
    // The program's name stands in brackets and may hold anything; the begin is the 20th field after it.
    const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
    const [state, begin] = [fields[0], fields[19]];
    return state === undefined || begin === undefined ? undefined : { state, begin };
  } catch {
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === "EPERM";
  }
}

function inUse(dir: string, owner: number): SandboxStartError {
  return new SandboxStartError(
    "dir_in_use",
    `another sandbox (process ${owner}) is running on ${dir}`,
    `use that one, stop it, or choose another directory; if no such sandbox runs, remove ${join(dir, FILE)}`,
  );
}
