/**
 * Owns the data directory's mark of its store: whether that is the file in it or on a server, and which one.
 *
 * Invariants: it is whole or not there; there is no password in it, and nothing of an address that messages do not show.
 *
 * Source: settings.md#store, decision 0067.
 */
import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { ConfigError } from "../files/config-error.ts";
import { readOwnFile } from "../files/own-file.ts";

export interface StoreMark {
  readonly kind: "file" | "server";
  /** Identifies the store; undefined where a person has changed where it is, until a process serves from there. */
  readonly storeId?: string | undefined;
  /** Says where one on a server is, as messages show it. */
  readonly shown?: string | undefined;
  /** The same, by which it is compared. */
  readonly standsAt?: string | undefined;
}

/** @returns undefined where there is none. @throws ConfigError where it cannot be read */
export function readStoreMark(path: string): StoreMark | undefined {
  const text = readOwnFile(path, (problem) => unreadable(path, problem));
  if (text === undefined) return undefined;
  const found = parsed(text);
  const { kind, store_id: storeId, shown, stands_at: standsAt } = found;
  const texts = [storeId, shown, standsAt];
  const isMark = kind === "file" || (kind === "server" && typeof shown === "string");
  if (!isMark || !texts.every((each) => each === undefined || typeof each === "string"))
    throw unreadable(path, "says nothing that this version knows");
  return { kind, storeId, shown, standsAt } as StoreMark;
}

/** @throws the system's error; what was there before is then as it was */
export function writeStoreMark(path: string, { kind, storeId, shown, standsAt }: StoreMark): void {
  const part = `${path}.${randomBytes(6).toString("hex")}`;
  const file = openSync(part, "wx", 0o600);
  try {
    writeSync(file, `${JSON.stringify({ kind, store_id: storeId, shown, stands_at: standsAt })}\n`);
    fsyncSync(file);
    renameSync(part, path);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const found: unknown = JSON.parse(text);
    return typeof found === "object" && found !== null ? (found as Readonly<Record<string, unknown>>) : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

function unreadable(path: string, problem: string): ConfigError {
  return new ConfigError(
    `${path}, which says which store this data directory has, ${problem}.`,
    "Where HOGA_STORE_URL, or its absence, is right, hoga store use writes it anew.",
  );
}
