/**
 * The files of an exchange's directory: segments `journal-<first seq>.log`, snapshots `snapshot-<seq>.json`, and the archive of ended
 * orders (archive-file.ts). Entry points: `readJournal`, `readNewestSnapshot`, `writeSnapshot`, `writeSnapshotSlowly`, `dropOldFiles`.
 *
 * Invariant: only the last segment may have a damaged end (record-file.ts).
 */
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Command, Millis } from "../../model/index.ts";
import { readPrivate } from "../../private-files.ts";
import { joinedSnapshot } from "../snapshot/snapshot.ts";
import {
  LONG_LISTS,
  type PartedSnapshot,
  type SnapshotHead,
  type SnapshotPart,
  type StoredEngineSnapshot,
} from "../snapshot/snapshot-format.ts";
import { readCommand } from "./command-json.ts";
import type { Disk } from "./disk.ts";
import {
  damaged,
  encodeHeader,
  readHeader,
  readRecordFile,
  writeRecordFile,
  writeRecordFileSlowly,
} from "./record-file.ts";
import { decodeLines, encodeLine, type Fields, isFields } from "./record-line.ts";

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

export function archivePath(dir: string): string {
  return join(dir, "archive.db");
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
  if (header["first"] !== seq) throw damaged(path, 0, "the file was renamed");
  return {
    entries: records.map(({ value, offset }) => ({ entry: readEntry(path, offset, value), offset })),
    cutBytes,
    started: true,
  };
}

function readEntry(path: string, offset: number, value: unknown): JournalEntry {
  const { seq, at, command: written }: Fields = isFields(value) ? value : {};
  const command = readCommand(written);
  if (typeof seq === "number" && typeof at === "number" && command !== undefined) return { seq, at, command };
  throw damaged(path, offset, "a record that is no command");
}

/** What a snapshot leaves to the archive. */
export interface ArchiveMark {
  readonly orders: number;
  /** The id of the order that was archived last. */
  readonly last: string;
}

export interface StoredSnapshot {
  readonly seq: number;
  /** The orders that it leaves to the archive; undefined where it has all of them. */
  readonly archive?: ArchiveMark | undefined;
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
    const [line, ...rest] = decodeLines(readPrivate(path));
    if (line?.value === undefined) continue;
    const header = readHeader(path, line.value, SNAPSHOT_FORMAT);
    if (!isStored(header)) throw damaged(path, 0, "a snapshot without a state");
    // Before version 6 the header held all of it.
    if (header.parts === undefined) return header;
    const parts = rest.map(({ value }) => value).filter(isPart);
    if (parts.length !== header.parts || rest.length !== header.parts) continue;
    return { seq: header.seq, archive: header.archive, engine: joinedSnapshot(header.engine, parts) };
  }
  const files = [...snapshots, ...listSegments(dir)].map(({ path }) => path);
  const leftover = [...files, archivePath(dir)].find((path) => existsSync(path));
  if (leftover !== undefined) throw damaged(leftover, 0, "no sound snapshot to start from");
  return undefined;
}

/** Its checksum was verified: what begins as a snapshot is one. */
function isStored(header: Fields): header is Fields & (StoredHeader | (StoredSnapshot & { readonly parts?: never })) {
  return typeof header["seq"] === "number" && isFields(header["engine"]);
}

function isPart(value: unknown): value is SnapshotPart {
  return isFields(value) && LONG_LISTS.some((list) => list === value["list"]) && Array.isArray(value["rows"]);
}

/** A header, then the parts that it says there are, one a line. */
interface StoredHeader {
  readonly seq: number;
  readonly engine: SnapshotHead;
  readonly archive?: ArchiveMark | undefined;
  readonly parts: number;
}

export interface NewSnapshot extends Omit<StoredSnapshot, "engine"> {
  readonly engine: PartedSnapshot;
}

/** @returns the size of the file in bytes. */
export function writeSnapshot(dir: string, snapshot: NewSnapshot, disk: Disk): number {
  return writeRecordFile(snapshotPath(dir, snapshot.seq), snapshotLines(snapshot), disk);
}

/** The same part by part. @param turn lets others have their turn */
export async function writeSnapshotSlowly(
  dir: string,
  snapshot: NewSnapshot,
  disk: Disk,
  turn: () => Promise<void>,
): Promise<number> {
  return writeRecordFileSlowly(snapshotPath(dir, snapshot.seq), snapshotLines(snapshot), disk, turn);
}

function* snapshotLines({ seq, archive, engine: { head, partCount, parts } }: NewSnapshot): Iterable<Buffer> {
  yield encodeHeader(SNAPSHOT_FORMAT, { seq, engine: head, archive, parts: partCount } satisfies StoredHeader);
  for (const part of parts) yield encodeLine(part);
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
