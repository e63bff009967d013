/**
 * The files of an exchange's directory: segments `journal-<first seq>.log` and snapshots `snapshot-<seq>.json`. Entry points:
 * `readJournal`, `readNewestSnapshot`, `writeSnapshot`, `dropOldFiles`.
 *
 * Invariant: only the last segment may have a damaged end (record-file.ts).
 */
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Command, Millis } from "../../model/index.ts";
import type { StoredEngineSnapshot } from "../snapshot/snapshot-format.ts";
import { readCommand } from "./command-json.ts";
import type { Disk } from "./disk.ts";
import { damaged, encodeHeader, readHeader, readRecordFile, writeRecordFile } from "./record-file.ts";
import { decodeLines } from "./record-line.ts";

const JOURNAL_FORMAT = "hoga-journal";
const SNAPSHOT_FORMAT = "hoga-snapshot";
const SEQ_DIGITS = 12;
const SNAPSHOTS_KEPT = 2;

export interface JournalEntry {
  readonly seq: number;
  readonly at: Millis;
  readonly command: Command;
}

interface NamedFile {
  readonly path: string;
  /** Of the first record of a segment, or the last record of a snapshot. */
  readonly seq: number;
}

export function segmentPath(dir: string, firstSeq: number): string {
  return join(dir, `journal-${String(firstSeq).padStart(SEQ_DIGITS, "0")}.log`);
}

function snapshotPath(dir: string, seq: number): string {
  return join(dir, `snapshot-${String(seq).padStart(SEQ_DIGITS, "0")}.json`);
}

export function segmentHeader(firstSeq: number): Buffer {
  return encodeHeader(JOURNAL_FORMAT, { first: firstSeq });
}

/** The files whose names match, oldest first. */
function listFiles(dir: string, pattern: RegExp): NamedFile[] {
  return readdirSync(dir)
    .flatMap((name) => {
      const digits = pattern.exec(name)?.[1];
      return digits === undefined ? [] : [{ path: join(dir, name), seq: Number(digits) }]; // not money: a record number
    })
    .sort((a, b) => a.seq - b.seq);
}

const listSegments = (dir: string): NamedFile[] => listFiles(dir, /^journal-(\d{12})\.log$/);
const listSnapshots = (dir: string): NamedFile[] => listFiles(dir, /^snapshot-(\d{12})\.json$/);

export interface JournalRead {
  readonly entries: readonly JournalEntry[];
  /** How many bytes were cut off the end. */
  readonly cutBytes: number;
  /** The segment to continue; undefined when a new one is to be started. */
  readonly appendTo: string | undefined;
}

/**
 * Reads all records after `afterSeq` and cuts off a damaged end.
 * @throws DamagedJournalError for a damaged record before intact ones, a gap, or another file version.
 */
export function readJournal(dir: string, afterSeq: number): JournalRead {
  const segments = listSegments(dir);
  const entries: JournalEntry[] = [];
  let [cutBytes, next] = [0, afterSeq + 1];
  let appendTo: string | undefined;
  for (const [index, segment] of segments.entries()) {
    const following = segments[index + 1];
    // The snapshot contains all of it.
    if (following !== undefined && following.seq <= afterSeq + 1) continue;
    const read = readSegment(segment, following === undefined);
    cutBytes += read.cutBytes;
    appendTo = read.started ? segment.path : undefined;
    for (const { entry, offset } of read.entries) {
      if (entry.seq < next) continue;
      if (entry.seq !== next) throw damaged(segment.path, offset, `record ${entry.seq} where ${next} should be`);
      entries.push(entry);
      next += 1;
    }
  }
  return { entries, cutBytes, appendTo };
}

interface SegmentRead {
  readonly entries: readonly { readonly entry: JournalEntry; readonly offset: number }[];
  readonly cutBytes: number;
  /** Whether its first line is complete. */
  readonly started: boolean;
}

function readSegment({ path, seq }: NamedFile, isLast: boolean): SegmentRead {
  const { header, records, cutBytes } = readRecordFile(path, JOURNAL_FORMAT, isLast);
  if (header === undefined) return { entries: [], cutBytes, started: false };
  if ((header as { readonly first?: unknown }).first !== seq) throw damaged(path, 0, "the file was renamed");
  return {
    entries: records.map(({ value, offset }) => ({ entry: readEntry(value), offset })),
    cutBytes,
    started: true,
  };
}

function readEntry(value: unknown): JournalEntry {
  const { seq, at, command } = value as { seq: number; at: Millis; command: { readonly [name: string]: unknown } };
  return { seq, at, command: readCommand(command) };
}

export interface StoredSnapshot {
  readonly seq: number;
  readonly engine: StoredEngineSnapshot;
}

/**
 * The newest intact snapshot; where the newest is damaged, the one before, as the journal records after it are kept too.
 * @returns undefined in a directory without an exchange.
 * @throws DamagedJournalError when there are files but no intact snapshot.
 */
export function readNewestSnapshot(dir: string): StoredSnapshot | undefined {
  for (const name of readdirSync(dir)) if (name.endsWith(".tmp")) rmSync(join(dir, name));
  const snapshots = listSnapshots(dir).reverse();
  for (const { path } of snapshots) {
    const [line] = decodeLines(readFileSync(path));
    if (line?.value === undefined) continue;
    return readHeader(path, line.value, SNAPSHOT_FORMAT) as StoredSnapshot;
  }
  const [leftover] = [...snapshots, ...listSegments(dir)];
  if (leftover !== undefined) throw damaged(leftover.path, 0, "no sound snapshot to start from");
  return undefined;
}

/** @returns the size of the file in bytes. */
export function writeSnapshot(dir: string, snapshot: StoredSnapshot, disk: Disk): number {
  return writeRecordFile(snapshotPath(dir, snapshot.seq), [encodeHeader(SNAPSHOT_FORMAT, snapshot)], disk);
}

/** Removes all but the last two snapshots and the records after the older one. */
export function dropOldFiles(dir: string): void {
  const snapshots = listSnapshots(dir);
  const kept = snapshots.slice(-SNAPSHOTS_KEPT);
  const oldest = kept[0];
  if (oldest === undefined || kept.length < SNAPSHOTS_KEPT) return;
  for (const { path } of snapshots.slice(0, -SNAPSHOTS_KEPT)) rmSync(path);
  const segments = listSegments(dir);
  for (const [index, { path }] of segments.entries()) {
    const following = segments[index + 1];
    if (following !== undefined && following.seq <= oldest.seq + 1) rmSync(path);
  }
}
