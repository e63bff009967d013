/**
 * An exchange and its home on disk. Entry point: `openExchange`.
 *
 * Every command that changed something is journaled before it is answered; snapshots bound the journal.
 * State after a restart equals state without one. After a failure of the disk or of an invariant the
 * exchange takes no more commands, since memory and disk may then differ.
 */
import { chmodSync } from "node:fs";
import type { Applied, Command, EventListener, Exchange, MarketRule, Millis, Refusal } from "../../model/index.ts";
import { makeDirectory } from "../../private-directory.ts";
import { refusal } from "../core/command.ts";
import { invariant } from "../core/invariant.ts";
import { createEngine, type Engine, restoreEngine } from "../engine.ts";
import { type Disk, NODE_DISK } from "./disk.ts";
import { EventFeed } from "./event-feed.ts";
import { Journal, JournalFailure } from "./journal.ts";
import { dropOldFiles, readJournal, readNewestSnapshot, writeSnapshot } from "./journal-files.ts";

const PRIVATE_DIRECTORY = 0o700;
/** Work to replay at most before a snapshot is due; a tick is as much work as ten orders. */
const SNAPSHOT_EVERY = 20_000;
const TICK_WEIGHT = 10;
/** A large state is written less often, so that snapshots stay a fraction of the journal's own bytes. */
const SNAPSHOT_BYTES_PER_RECORD = 100;

/** Where the exchange lives; a directory is created if absent, memory keeps nothing. */
type Place = { readonly dir: string } | { readonly memory: true };

interface OpenSettings {
  /** These four count at birth only: an exchange that exists keeps its own. */
  readonly seed: number;
  readonly marketMaker: boolean;
  readonly markets?: readonly MarketRule[];
  readonly now: () => Millis;
  /** Weight of records between snapshots; by the size of the state unless given. */
  readonly snapshotEvery?: number;
  readonly disk?: Disk;
  /**
   * After a failure of the disk: what was read goes into a new snapshot before anything rests on it, as the system may have
   * shown what is in its memory only.
   */
  readonly rewrite?: boolean;
  /** Told what a listener of facts threw. */
  readonly onDefect?: (error: unknown) => void;
  /**
   * For whoever keeps what was told in a place of its own: hears, at the start, what is replayed, which a crash may have kept it
   * from keeping. What is not replayed any more was told before the snapshot was taken that stands in its place.
   */
  readonly onReplay?: ReplayListener;
  /** Before a snapshot is taken: what was told has to be on disk. Throws as `fs` does. */
  readonly beforeSnapshot?: () => void;
}

export type OpenOptions = Place & OpenSettings;

/** @param exchange as it is right after the command. */
export type ReplayListener = (...told: [...Parameters<EventListener>, exchange: Exchange]) => void;

export interface OpenedExchange {
  /** Its `apply` is the journaling one below. */
  readonly exchange: Exchange;
  /**
   * Applies, then journals what changed something; what is due by then happens first. Once `failed`, every command is refused with
   * `EService:Unavailable`; the very command whose record could not be written with `EService:Timeout`,
   * as only a restart shows whether it took effect.
   * @throws InvariantError when the engine is broken; it is `failed` from then on.
   */
  apply(command: Command, at: Millis): Applied | Refusal;
  /**
   * The listener hears what each command changed, once the command is journaled and before its `apply` returns; what is
   * replayed at the start is told to `onReplay` alone. What must not be known before it is on disk waits for `durable`. An exception goes to
   * `onDefect`.
   * @returns ends the subscription.
   */
  onEvents(listener: EventListener): () => void;
  /** Resolves when all that was answered so far is on the disk. Rejects with JournalFailure. */
  durable(): Promise<void>;
  /** Why no more commands are taken. Reads may show a command that a restart will not know. */
  readonly failed: string | undefined;
  /** Writes a last snapshot, so that the next start is quick. */
  close(): Promise<void>;
  /** `changes`: number of the last command that was kept. */
  readonly recovered: { readonly replayed: number; readonly cutBytes: number; readonly changes: number };
}

interface Home {
  readonly engine: Engine;
  readonly recovered: OpenedExchange["recovered"];
  append(command: Command, at: Millis): void;
  /** Takes a snapshot when one is due. */
  tidy(): void;
  durable(): Promise<void>;
  failed(): string | undefined;
  close(): Promise<void>;
}

/**
 * @throws DamagedJournalError naming file and byte offset when the files cannot be trusted; JournalFailure when they were to
 * be rewritten and cannot.
 */
export async function openExchange(options: OpenOptions): Promise<OpenedExchange> {
  const home = "dir" in options ? openDirectory(options.dir, options) : openMemory(options);
  const { engine } = home;
  let broken: string | undefined;
  const failed = (): string | undefined => broken ?? home.failed();
  const feed = new EventFeed((on) => engine.recordEvents(on), options.onDefect ?? (() => {}));
  const apply = (command: Command, at: Millis): Applied | Refusal => {
    const trouble = failed();
    if (trouble !== undefined) return refusal("EService:Unavailable", `the exchange takes no commands: ${trouble}`);
    try {
      if (engine.isDue(at)) keep({ type: "passTime" }, at);
      return keep(command, at);
    } catch (error) {
      if (error instanceof JournalFailure) return refusal("EService:Timeout", error.message);
      broken = error instanceof Error ? error.message : String(error);
      throw error;
    }
  };
  /** Applies, writes down and tells, in this order. */
  const keep = (command: Command, at: Millis): Applied | Refusal => {
    const before = engine.changes();
    const answer = engine.apply(command, at);
    if (engine.changes() === before) return answer;
    home.append(command, at);
    if (feed.watched) {
      const noted = engine.takeEvents();
      feed.tell(noted.facts, noted.at, engine.changes());
    }
    // Not inside a listener's own command: others have yet to hear of the one before it.
    if (!feed.telling) home.tidy();
    return answer;
  };
  return {
    exchange: { ...engine, apply },
    apply,
    onEvents: (listener) => feed.subscribe(listener),
    durable: () => home.durable(),
    get failed() {
      return failed();
    },
    async close() {
      broken ??= "it was closed";
      await home.close();
    },
    recovered: home.recovered,
  };
}

function newborn({ seed, marketMaker, markets, now }: OpenSettings): Engine {
  return createEngine({ seed, marketMaker, bornAt: now(), ...(markets === undefined ? {} : { markets }) });
}

function openMemory(options: OpenSettings): Home {
  const engine = newborn(options);
  return {
    engine,
    recovered: { replayed: 0, cutBytes: 0, changes: engine.changes() },
    append: () => {},
    tidy: () => {},
    durable: async () => {},
    failed: () => undefined,
    close: async () => {},
  };
}

function openDirectory(dir: string, options: OpenSettings): Home {
  const { disk = NODE_DISK, snapshotEvery } = options;
  makeDirectory(dir);
  chmodSync(dir, PRIVATE_DIRECTORY);
  const { engine, seq: recoveredSeq, snapshotSeq, read, snapshotBytes } = recover(dir, options, disk);
  const journal = Journal.open(dir, disk, recoveredSeq + 1, read.appendTo);
  let [seq, lastSnapshotSeq, weight, bytes] = [recoveredSeq, snapshotSeq, read.entries.length, snapshotBytes];
  let snapshotFailed: string | undefined;

  const takeSnapshot = (): void => {
    try {
      options.beforeSnapshot?.();
      bytes = writeSnapshot(dir, { seq, engine: engine.snapshot() }, disk);
      journal.rotate(seq + 1);
      dropOldFiles(dir);
      [lastSnapshotSeq, weight] = [seq, 0];
    } catch (error) {
      // The record before it is kept, so its command may still be answered; the next is not taken.
      snapshotFailed = `snapshot failed: ${error instanceof Error ? error.message : String(error)}`;
    }
  };

  if (options.rewrite === true) {
    takeSnapshot();
    if (snapshotFailed !== undefined) {
      journal.abandon();
      throw new JournalFailure(snapshotFailed);
    }
  }
  return {
    engine,
    recovered: { replayed: read.entries.length, cutBytes: read.cutBytes, changes: engine.changes() },
    append(command, at) {
      journal.append({ seq: seq + 1, at, command });
      seq += 1;
      weight += command.type === "tick" ? TICK_WEIGHT : 1;
    },
    tidy() {
      if (weight >= (snapshotEvery ?? Math.max(SNAPSHOT_EVERY, bytes / SNAPSHOT_BYTES_PER_RECORD))) takeSnapshot();
    },
    durable: () => journal.durable(),
    failed: () => journal.failed ?? snapshotFailed,
    async close() {
      if ((journal.failed ?? snapshotFailed) === undefined && seq > lastSnapshotSeq) takeSnapshot();
      await journal.close();
    },
  };
}

/** The state on disk: newest snapshot, then the records after it. A directory without one is a birth. */
function recover(dir: string, options: OpenSettings, disk: Disk) {
  const stored = readNewestSnapshot(dir);
  if (stored === undefined) {
    const engine = newborn(options);
    const snapshotBytes = writeSnapshot(dir, { seq: 0, engine: engine.snapshot() }, disk);
    return { engine, seq: 0, snapshotSeq: 0, snapshotBytes, read: readJournal(dir, 0) };
  }
  const engine = restoreEngine(stored.engine);
  const read = readJournal(dir, stored.seq);
  const { onReplay } = options;
  engine.recordEvents(onReplay !== undefined);
  for (const { seq, command, at } of read.entries) {
    const before = engine.changes();
    engine.apply(command, at);
    invariant(engine.changes() > before, `record ${seq} in ${dir} changed the exchange once, and now does not`);
    const noted = engine.takeEvents();
    if (noted.facts.length > 0) onReplay?.(noted.facts, noted.at, engine.changes(), engine);
  }
  engine.recordEvents(false);
  const seq = stored.seq + read.entries.length;
  return { engine, seq, snapshotSeq: stored.seq, snapshotBytes: 0, read };
}
