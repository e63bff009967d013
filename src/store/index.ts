/**
 * The store: what has to outlive the process and be shared by several. SQLite, in one file of the data directory.
 *
 * Entry points: `openStore`, and `tryHoldLock` for elections.
 */
import { randomBytes as cryptoRandomBytes } from "node:crypto";
import type { Result } from "../contract/index.ts";
import type { CancelTimers, Journal, KillSwitchStore, Seal, TransferJournal } from "../desk/index.ts";
import { type Audit, createAudit } from "./audit.ts";
import { type Connection, openConnection } from "./driver.ts";
import { createInbox, type Inbox } from "./inbox.ts";
import { createKillSwitch } from "./kill-switch.ts";
import { createLane, type KeyLane, type LaneSettings, type StoreClock } from "./lane.ts";
import { migrate, SCHEMA_VERSION } from "./migrations.ts";
import { createOrderJournal } from "./order-journal.ts";
import { createPin, type Pin } from "./pin.ts";
import { createSeal } from "./seal.ts";
import { resultOf, storeError } from "./store-error.ts";
import { createTimers } from "./timers.ts";
import { createTransferJournal } from "./transfer-journal.ts";

export type { Audit } from "./audit.ts";
export { type HeldLock, tryHoldLock } from "./host-lock.ts";
export type { Inbox, KeptWebhook } from "./inbox.ts";
export { engageKillSwitchFile } from "./kill-switch.ts";
export type { KeyLane, LaneSettings, StoreClock } from "./lane.ts";
export type { Pin } from "./pin.ts";
export { StoreError, type StoreErrorCode } from "./store-error.ts";

export type StoreLocation = { readonly path: string } | { readonly memory: true };

export interface StoreParts {
  readonly clock: StoreClock;
  /** At least 0, below 1; for jitter only. */
  readonly random: () => number;
  /** Takes known secrets out of a text. Applied to every string of an audit entry before it is hashed and kept. */
  readonly redact?: (text: string) => string;
  /** For keys and salts: cryptographically strong. */
  readonly randomBytes?: (size: number) => Buffer;
}

export interface StoreReport {
  /** The file, or `:memory:`. */
  readonly path: string;
  readonly schemaVersion: number;
}

export interface Store<State extends string, Body, TransferState extends string = string, TransferBody = unknown> {
  readonly journal: Journal<State, Body>;
  readonly transfers: TransferJournal<TransferState, TransferBody>;
  readonly audit: Audit;
  readonly killSwitch: KillSwitchStore;
  readonly pin: Pin;
  readonly timers: CancelTimers;
  readonly seal: Seal;
  readonly inbox: Inbox;
  lane(settings: LaneSettings): KeyLane;
  /** Reads the whole file for damage and makes sure it can be written. Takes time with its size. */
  check(): Promise<Result<StoreReport>>;
  close(): void;
}

/**
 * Opens the store, and creates or migrates it first where needed. Safe while other processes do the same.
 * @throws StoreError, with the file and the remedy named.
 */
export async function openStore<
  State extends string,
  Body,
  TransferState extends string = string,
  TransferBody = unknown,
>(
  location: StoreLocation,
  { clock, random, redact = (text) => text, randomBytes = cryptoRandomBytes }: StoreParts,
): Promise<Store<State, Body, TransferState, TransferBody>> {
  const path = "path" in location ? location.path : ":memory:";
  const durable = await openConnection(path, { journal: "wal", durability: "full", random });
  try {
    await migrate(durable, clock.now());
    // A second connection to a database in memory would be a second database.
    const lazy = "memory" in location ? durable : await openConnection(path, { ...LAZY, random });
    const audit = createAudit(durable, redact);
    const killSwitch = createKillSwitch(durable, () => clock.now());
    const connections = { durable, lazy };
    return {
      journal: createOrderJournal<State, Body>(connections, { audit, killSwitch }),
      transfers: createTransferJournal<TransferState, TransferBody>(connections, { audit, killSwitch }),
      audit,
      killSwitch,
      pin: createPin(durable, randomBytes, audit),
      timers: createTimers(durable),
      seal: createSeal(durable, randomBytes),
      inbox: createInbox(durable),
      lane: (settings) => createLane(lazy, settings, clock, random),
      check: () => resultOf(check(durable)),
      close: () => {
        lazy.close();
        durable.close();
      },
    };
  } catch (error) {
    durable.close();
    throw error;
  }
}

const LAZY = { journal: "wal", durability: "normal" } as const;

async function check(connection: Connection): Promise<StoreReport> {
  const found = await connection.single(({ all }) => all("PRAGMA quick_check(1)", []));
  if (found[0]?.["quick_check"] !== "ok") throw storeError("damaged", connection.path);
  await connection.transaction(({ run }) => run("UPDATE schema_version SET applied_at_ms = applied_at_ms", []));
  return { path: connection.path, schemaVersion: SCHEMA_VERSION };
}
