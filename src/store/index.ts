/**
 * The store: what has to outlive the process and be shared by several. SQLite, in one file of the data directory.
 *
 * Entry points: `openStore`, and `tryHoldLock` for elections.
 */
import { randomBytes as cryptoRandomBytes } from "node:crypto";
import type { Result } from "../contract/index.ts";
import type { CancelTimers, FillLedger, Journal, KillSwitchStore, Seal, TransferJournal } from "../desk/index.ts";
import { type AccessTokens, createAccessTokens } from "./access-tokens.ts";
import { type AccountNames, createAccountNames } from "./account-names.ts";
import { type Audit, createAudit } from "./audit.ts";
import { type Connection, openConnection } from "./driver.ts";
import { createFillLedger } from "./fill-ledger.ts";
import { type Continuity, findContinuity, keepMark, type Restored } from "./high-water-mark.ts";
import { createInbox, type Inbox } from "./inbox.ts";
import { createKillSwitch, hasKillSwitchFile } from "./kill-switch.ts";
import { createLane, type KeyLane, type LaneSettings, type StoreClock } from "./lane.ts";
import { migrate, SCHEMA_VERSION } from "./migrations.ts";
import { createOrderJournal, rewrite } from "./order-journal.ts";
import { createPin, type Pin } from "./pin.ts";
import { createSeal } from "./seal.ts";
import { resultOf, storeError } from "./store-error.ts";
import { createTimers } from "./timers.ts";
import { createTransferJournal } from "./transfer-journal.ts";

export { type AccessToken, type AccessTokens, TOKENS_MAX } from "./access-tokens.ts";
export type { AccountNames } from "./account-names.ts";
export type { Audit } from "./audit.ts";
export type { Restored } from "./high-water-mark.ts";
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
  /** Where it is kept how far a store in a file has come; outside of its own directory. Without it that is not kept. */
  readonly markDir?: string;
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
  /** What is wrong with how far it has come; undefined where nothing is known to be. */
  readonly restored: Restored | undefined;
  readonly accounts: AccountNames;
  readonly tokens: AccessTokens;
  readonly fills: FillLedger;
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
  { clock, random, redact = (text) => text, randomBytes = cryptoRandomBytes, markDir }: StoreParts,
): Promise<Store<State, Body, TransferState, TransferBody>> {
  const path = "path" in location ? location.path : ":memory:";
  const hadOne = "path" in location && hasKillSwitchFile(path);
  const opened = await openConnection(path, { ...DURABLE, random });
  let continuity: Continuity | undefined;
  try {
    const isGone = (await migrate(opened, clock.now())) && hadOne;
    const audit = createAudit(opened, redact, (head) => continuity?.keep(head));
    if ("path" in location && markDir !== undefined)
      continuity = await findContinuity(opened, { path, markDir, randomBytes, audit, isGone });
    const durable = continuity === undefined ? opened : keepMark(opened, audit, continuity.keep);
    // A second connection to a database in memory would be a second database.
    const lazy = "memory" in location ? durable : await openConnection(path, { ...LAZY, random });
    const killSwitch = createKillSwitch(durable, () => clock.now());
    const connections = { durable, lazy };
    return {
      journal: createOrderJournal<State, Body>(connections, { audit, killSwitch }),
      transfers: createTransferJournal<TransferState, TransferBody>(connections, { audit, killSwitch }),
      restored: continuity?.restored,
      accounts: createAccountNames(durable, audit),
      tokens: createAccessTokens(durable, audit),
      // What a power cut takes of it is read from the venue again.
      fills: createFillLedger(lazy),
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
        continuity?.close();
      },
    };
  } catch (error) {
    continuity?.close();
    opened.close();
    throw error;
  }
}

const DURABLE = { journal: "wal", durability: "full", isStore: true } as const;
const LAZY = { journal: "wal", durability: "normal", isStore: true } as const;

async function check(connection: Connection): Promise<StoreReport> {
  const found = await connection.single(({ all }) => all("PRAGMA quick_check(1)", []));
  if (found[0]?.["quick_check"] !== "ok") throw storeError("damaged", connection.path);
  await rewrite(connection);
  return { path: connection.path, schemaVersion: SCHEMA_VERSION };
}
