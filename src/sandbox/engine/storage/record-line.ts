/**
 * A record as a line of text: the CRC-32 of the JSON in eight hex digits, a space, the JSON, a line feed. Entry points:
 * `lineOf`, `encodeLine`, `decodeLines`, `isFields`.
 *
 * Invariant: a line whose checksum does not match is damaged; no part of it is used.
 */
import { crc32 } from "node:zlib";

const CRC_DIGITS = 8;
const LINE_FEED = 0x0a;

export interface Line {
  /** The position of its first byte in the file. */
  readonly offset: number;
  /** The position of the byte after its line feed. */
  readonly end: number;
  /** undefined for a damaged or incomplete line. */
  readonly value: unknown;
}

/** A record of which nothing is known yet but that it has fields. */
export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}

function checksum(json: Buffer | string): string {
  return crc32(json).toString(16).padStart(CRC_DIGITS, "0");
}

/** The record as text, to be written as UTF-8. */
export function lineOf(value: object, replaced?: (name: string, value: unknown) => unknown): string {
  const json = JSON.stringify(value, replaced);
  return `${checksum(json)} ${json}\n`;
}

/** @param replaced what is written in place of a value, as `JSON.stringify` takes it */
export function encodeLine(value: object, replaced?: (name: string, value: unknown) => unknown): Buffer {
  return Buffer.from(lineOf(value, replaced));
}

/** All lines of a file, damaged ones included. */
export function* decodeLines(bytes: Buffer): Iterable<Line> {
  let offset = 0;
  while (offset < bytes.length) {
    const feed = bytes.indexOf(LINE_FEED, offset);
    const end = feed < 0 ? bytes.length : feed + 1;
    yield { offset, end, value: feed < 0 ? undefined : decode(bytes.subarray(offset, feed)) };
    offset = end;
  }
}

function decode(line: Buffer): unknown {
  const json = line.subarray(CRC_DIGITS + 1);
  const head = line.subarray(0, CRC_DIGITS + 1).toString("latin1");
  // An empty record would match too: its checksum is zero.
  if (json.length === 0 || head !== `${checksum(json)} `) return undefined;
  return JSON.parse(json.toString("utf8"));
}
