/**
 * An exchange whose commands are journaled on disk. Entry point: `openExchange`.
 *
 * Invariants: every command that changed something is journaled before it is answered; snapshots bound the journal; the state
 * after a restart equals the state without one. After a failure of the disk or a broken invariant the exchange takes no more
 * commands, as memory and disk may differ. Source: decision 0002.
 */
import { chmodSync } from "node:fs";
import type {
  Applied,
  CallCommand,
  Command,
  EventListener,
  Exchange,
  MarketRule,
  Millis,
  Refusal,
} from "../../model/index.ts";
import { makeDirectory } from "../../private-files.ts";
import { refusal } from "../core/command.ts";
import { invariant } from "../core/invariant.ts";
import { createEngine, type Engine, restoreEngine } from "../engine.ts";
import { ArchiveFile } from "./archive-file.ts";
import { type Disk, NODE_DISK } from "./disk.ts";
import { EventFeed } from "./event-feed.ts";
import { Journal, JournalFailure } from "./journal.ts";
import { readJournal, readNewestSnapshot, type StoredSnapshot, writeSnapshot } from "./journal-files.ts";
import { JournalMark } from "./journal-mark.ts";
import { OrderArchiver } from "./order-archiver.ts";
import { SnapshotWriter } from "./snapshot-writer.ts";

const PRIVATE_DIRECTORY = 0o700;
/** By work to replay, and bytes: a tick is as much as ten orders, an accepted nonce a fifth of one. */
const WEIGHTS: Readonly<Partial<Record<Command["type"], number>>> = { tick: 10, nonce: 0.2 };

/** Where the exchange is kept; a directory is created if absent, and memory keeps nothing. */
type Location = { readonly dir: string } | { readonly memory: true };

interface OpenSettings {
  /** These four apply only to a new exchange; an existing one keeps its own. */
  readonly seed: number;
  readonly marketMaker: boolean;
  readonly markets?: readonly MarketRule[] | undefined;
  readonly now: () => Millis;
  /** The weight of records between snapshots. Default: by the size of the state. */
  readonly snapshotEvery?: number;
  /** The orders of each account that stay in memory, its newest; those before them are archived once they have ended. Default 1 000. */
  readonly ordersKept?: number;
  readonly disk?: Disk;
  /**
   * After a failure of the disk: writes a new snapshot of what was read before any command is taken, as the operating system may
   * have returned data that is in its memory only.
   */
  readonly rewrite?: boolean;
  /** Called with what a listener of events threw. */
  readonly onDefect?: (error: unknown) => void;
  /**
   * For a subscriber that keeps events in a place of its own: called at the start with the events of replayed commands, which it
   * may have lost in a crash. The events of older commands were published before the snapshot was taken.
   */
  readonly onReplay?: ReplayListener;
  /** Called before a snapshot is taken: the subscriber writes to disk what it has received. Throws as `fs` does. */
  readonly beforeSnapshot?: () => void;
}

export type OpenOptions = Location & OpenSettings;

/** @param exchange as it is right after the command. */
export type ReplayListener = (...published: [...Parameters<EventListener>, exchange: Exchange]) => void;

export interface OpenedExchange {
  /** Its `apply` is the journaling one below. */
  readonly exchange: Exchange;
  /**
   * Applies a command, after what is due by then, and journals it if it changed something. Once `failed`, every command is refused
   * with `EService:Unavailable`; the command whose record could not be written with `EService:Timeout`, as only a restart shows
   * whether it took effect.
   * @throws InvariantError when an invariant of the engine is broken; the exchange is `failed` from then on.
   */
  apply(command: Command, at: Millis): Applied | Refusal;
  /**
   * The same without waiting for its record to be written, which it is with those of others: `flush` or `durable` says whether it could
   * be, and nothing that shows the command may leave the process before. Source: decision 0055.
   */
  applyUnwritten(command: CallCommand, at: Millis): Applied | Refusal;
  /**
   * Calls the listener with the events of each command, before its `apply` returns. Events of replayed commands go to `onReplay` alone.
   * A subscriber publishes nothing outside the process before `durable` says that the command is on disk.
   * What the listener throws goes to `onDefect`.
   * @returns ends the subscription.
   */
  onEvents(listener: EventListener): () => void;
  /** Whether everything so far is with the operating system, and outlives the process; writes what is not. False once, when that fails. */
  flush(): boolean;
  /** Resolves when everything answered so far is on disk. Rejects with JournalFailure. */
  durable(): Promise<void>;
  /** Why no more commands are taken. Reads may show the effect of a command that a restart will not find. */
  readonly failed: string | undefined;
  /** Writes a last snapshot, so that the next start is fast. */
  close(): Promise<void>;
  /** `changes`: the number of the last command in the journal. */
  readonly recovered: {
    readonly replayed: number;
    readonly cutBytes: number;
    readonly changes: number;
    /** How many records that were on disk once are not there any more. */
    readonly lostRecords: number;
  };
}

interface Backing {
  readonly engine: Engine;
  readonly recovered: OpenedExchange["recovered"];
  append(command: Command, at: Millis): void;
  snapshotIfDue(): void;
  /** The state in memory is never written any more; the next start makes it from the journal. */
  distrust(reason: string): void;
  /** @throws JournalFailure */
  flush(): void;
  durable(): Promise<void>;
  failed(): string | undefined;
  close(): Promise<void>;
}

/**
 * @throws DamagedJournalError with file and byte offset when the files cannot be trusted; JournalFailure when a rewrite was asked
 * for and failed.
 */
export async function openExchange(options: OpenOptions): Promise<OpenedExchange> {
  const backing = "dir" in options ? await openDirectory(options.dir, options) : openMemory(options);
  const { engine } = backing;
  let stopped: string | undefined;
  const failed = (): string | undefined => stopped ?? backing.failed();
  const feed = new EventFeed((on) => engine.recordEvents(on), options.onDefect ?? (() => {}));
  const applyUnwritten = (command: Command, at: Millis): Applied | Refusal => attempt(command, at, false);
  const apply = (command: Command, at: Millis): Applied | Refusal => attempt(command, at, true);
  const attempt = (command: Command, at: Millis, written: boolean): Applied | Refusal => {
    const reason = failed();
    if (reason !== undefined) return refusal("EService:Unavailable", `the exchange takes no commands: ${reason}`);
    try {
      if (engine.isDue(at)) applyAndJournal({ type: "passTime" }, at, written);
      return applyAndJournal(command, at, written);
    } catch (error) {
      if (error instanceof JournalFailure) return refusal("EService:Timeout", error.message);
      stopped = error instanceof Error ? error.message : String(error);
      backing.distrust(stopped);
      throw error;
    }
  };
  /** Applies, journals and publishes, in this order. */
  const applyAndJournal = (command: Command, at: Millis, written: boolean): Applied | Refusal => {
    const before = engine.changes();
    const answer = engine.apply(command, at);
    if (engine.changes() === before) return answer;
    backing.append(command, at);
    if (written) backing.flush();
    if (feed.isFollowed) {
      const recorded = engine.takeEvents();
      feed.publish(recorded.events, recorded.at, engine.changes());
    }
    // Not inside a command given by a listener: other listeners have yet to receive the events of the command before it.
    if (!feed.isPublishing) backing.snapshotIfDue();
    return answer;
  };
  return {
    exchange: { ...engine, apply },
    apply,
    applyUnwritten,
    onEvents: (listener) => feed.subscribe(listener),
    flush() {
      try {
        backing.flush();
        return true;
      } catch (error) {
        if (error instanceof JournalFailure) return false;
        throw error;
      }
    },
    durable: () => backing.durable(),
    get failed() {
      return failed();
    },
    async close() {
      stopped ??= "it was closed";
      await backing.close();
    },
    recovered: backing.recovered,
  };
}

function newEngine({ seed, marketMaker, markets, now }: OpenSettings): Engine {
  return createEngine({ seed, marketMaker, openedAt: now(), markets });
}

function openMemory(options: OpenSettings): Backing {
  const engine = newEngine(options);
  return {
    engine,
    recovered: { replayed: 0, cutBytes: 0, changes: engine.changes(), lostRecords: 0 },
    append: () => {},
    snapshotIfDue: () => {},
    distrust: () => {},
    flush: () => {},
    durable: async () => {},
    failed: () => undefined,
    close: async () => {},
  };
}

async function openDirectory(dir: string, options: OpenSettings): Promise<Backing> {
  makeDirectory(dir);
  chmodSync(dir, PRIVATE_DIRECTORY);
  const stored = readNewestSnapshot(dir);
  const archive = stored?.archive && (await ArchiveFile.open(dir, stored.archive));
  try {
    return backingOf(dir, options, { stored, archive });
  } catch (error) {
    archive?.close();
    throw error;
  }
}

/** The newest snapshot, and the archive of what it leaves out. */
interface Found {
  readonly stored: StoredSnapshot | undefined;
  readonly archive: ArchiveFile | undefined;
}

function backingOf(dir: string, options: OpenSettings, found: Found): Backing {
  const { disk = NODE_DISK, snapshotEvery: every, ordersKept: kept, beforeSnapshot } = options;
  const { engine, seq: recoveredSeq, snapshotSeq, read, snapshotBytes } = recover(dir, options, disk, found);
  const mark = new JournalMark(dir);
  const lostRecords = Math.max(0, mark.read() - recoveredSeq);
  const journal = Journal.open({ dir, disk, mark, lastSeq: recoveredSeq }, read.appendTo);
  let seq = recoveredSeq;
  const last = { seq: snapshotSeq, bytes: snapshotBytes, weight: read.entries.length };
  const archiver = new OrderArchiver({ dir, engine, kept, archive: found.archive });
  const snapshots = new SnapshotWriter({ dir, engine, archiver, journal, disk, every, beforeSnapshot, seq, last });

  if (options.rewrite === true) {
    snapshots.take({ atOnce: true });
    if (snapshots.failed !== undefined) {
      journal.abandon();
      throw new JournalFailure(snapshots.failed);
    }
  }
  return {
    engine,
    recovered: { replayed: read.entries.length, cutBytes: read.cutBytes, changes: engine.changes(), lostRecords },
    append(command, at) {
      journal.append({ seq: seq + 1, at, command });
      seq += 1;
      snapshots.count(seq, WEIGHTS[command.type] ?? 1);
    },
    snapshotIfDue: () => snapshots.takeIfDue(),
    distrust: (reason) => snapshots.stop(reason),
    flush: () => journal.flush(),
    durable: () => journal.durable(),
    failed: () => journal.failed ?? snapshots.failed,
    async close() {
      await snapshots.close();
      archiver.close();
      await journal.close();
    },
  };
}

/** Restores the newest snapshot and replays the records after it. In a directory without one a new exchange begins. */
function recover(dir: string, options: OpenSettings, disk: Disk, { stored, archive }: Found) {
  if (stored === undefined) {
    const engine = newEngine(options);
    const snapshotBytes = writeSnapshot(dir, { seq: 0, engine: engine.beginSnapshot() }, disk);
    return { engine, seq: 0, snapshotSeq: 0, snapshotBytes, read: readJournal(dir, 0) };
  }
  const engine = restoreEngine(stored.engine, archive);
  const read = readJournal(dir, stored.seq);
  const { onReplay } = options;
  engine.recordEvents(onReplay !== undefined);
  for (const { seq, command, at } of read.entries) {
    const before = engine.changes();
    engine.apply(command, at);
    invariant(
      engine.changes() > before,
      `record ${seq} in ${dir} changed the exchange when it was written, and does not now`,
    );
    const recorded = engine.takeEvents();
    if (recorded.events.length > 0) onReplay?.(recorded.events, recorded.at, engine.changes(), engine);
  }
  engine.recordEvents(false);
  const seq = stored.seq + read.entries.length;
  return { engine, seq, snapshotSeq: stored.seq, snapshotBytes: 0, read };
}
