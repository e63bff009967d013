/**
 * The store: what has to outlive the process and be shared by several. SQLite, in one file of the data directory, or a schema of a PostgreSQL
 * server, which several machines can share.
 *
 * Entry points: `openStore`, and `tryHoldLock` for elections.
 */
import { randomBytes as cryptoRandomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { type Result, withFirstUse } from "../contract/index.ts";
import type {
  CancelTimers,
  FillLedger,
  Journal,
  KillSwitchStore,
  Notices,
  PlanBook,
  Seal,
  TransferJournal,
} from "../desk/index.ts";
import { type Audit, type AuditWriter, createAudit } from "./audit/audit.ts";
import { keptHead, readHead } from "./audit/audit-chain.ts";
import { type Continuity, findContinuity, idsIn, keepMark, type Restored } from "./audit/high-water-mark.ts";
import { type AccountNames, createAccountNames } from "./journal/account-names.ts";
import { createFillLedger } from "./journal/fill-ledger.ts";
import { createInbox, type Inbox } from "./journal/inbox.ts";
import { createNotices } from "./journal/notices.ts";
import { createOrderJournal, rewrite } from "./journal/order-journal.ts";
import { createPlanBook } from "./journal/plan-book.ts";
import { haltPlans } from "./journal/plan-stops.ts";
import { createTransferJournal } from "./journal/transfer-journal.ts";
import { createLane, type KeyLane, type LaneSettings, type StoreClock } from "./lane/lane.ts";
import { createRateScopes, type RateScopes } from "./lane/rate-scopes.ts";
import { type AccessTokens, createAccessTokens } from "./people/access-tokens.ts";
import { createStoredSessions, type StoredSessions } from "./people/console-sessions.ts";
import { createEndedSessions, type EndedSessions } from "./people/ended-sessions.ts";
import { createPasskeys, type Passkeys } from "./people/passkeys.ts";
import { createPin, type Pin } from "./people/pin.ts";
import { createSeal } from "./people/seal.ts";
import { createTenants, type Tenants } from "./people/tenants.ts";
import {
  createKillSwitch,
  type HaltPlans,
  haltPathOf,
  hasKillSwitchFile,
  type KillSwitchPlace,
} from "./safety/kill-switch.ts";
import { createTimers } from "./safety/timers.ts";
import { migrate, SCHEMA_VERSION } from "./schema/migrations.ts";
import type { StoreCopy } from "./schema/store-backup.ts";
import type { OpenRow, PlanRow, StoreLook } from "./schema/store-look.ts";
import type { MovedStore } from "./schema/store-move.ts";
import { type Connection, WHOLE } from "./sql/connection.ts";
import { type FileConnection, openConnection, quickCheck } from "./sql/driver.ts";
import { resultOf, storeError } from "./sql/store-error.ts";

export type { Audit } from "./audit/audit.ts";
export type { Restored } from "./audit/high-water-mark.ts";
export type { AccountNames } from "./journal/account-names.ts";
export type { Inbox, KeptWebhook } from "./journal/inbox.ts";
export type { KeyLane, LaneSettings, StoreClock } from "./lane/lane.ts";
export type { RateScopes } from "./lane/rate-scopes.ts";
export { type AccessToken, type AccessTokens, TOKENS_MAX } from "./people/access-tokens.ts";
export type { StoredSessions } from "./people/console-sessions.ts";
export type { Passkey, PasskeyEnrolment, Passkeys } from "./people/passkeys.ts";
export type { Pin } from "./people/pin.ts";
export { type KeptTenant, TENANTS_MAX, type Tenants } from "./people/tenants.ts";
export { engageKillSwitchFile, haltPathOf } from "./safety/kill-switch.ts";
export type { StoreLook } from "./schema/store-look.ts";
export type { MovedStore } from "./schema/store-move.ts";
export { type HeldLock, tryHoldLock } from "./sql/host-lock.ts";
export { StoreError, type StoreErrorCode } from "./sql/store-error.ts";

/**
 * @param url of a PostgreSQL server and a database there, with the password; `?schema=` is one store of several in it
 * @param haltPath where the kill switch's file is
 * @param tenant whose it is, if not the operator's: a schema beside that of the URL
 */
export type StoreLocation =
  | { readonly path: string }
  | { readonly memory: true }
  | { readonly url: string; readonly haltPath: string; readonly tenant?: string };

export interface StoreParts {
  readonly clock: StoreClock;
  /** At least 0, below 1; for jitter only. */
  readonly random: () => number;
  /** Takes known secrets out of a text. Applied to every string of an audit entry before it is hashed and kept. */
  readonly redact?: (text: string) => string;
  /** Names by whose call something is written now; undefined where by nobody's, as in maintenance. */
  readonly caller?: () => string | undefined;
  /** Says where it is kept how far a store in a file has come; outside of its own directory. Without it that is not kept. */
  readonly markDir?: string;
  /** The id of the store that the data directory is known to have: another in its place counts as gone. */
  readonly known?: string | undefined;
  /** The id of the only store that may be opened there; nothing is made. */
  readonly only?: string | undefined;
  /** For keys and salts: cryptographically strong. */
  readonly randomBytes?: (size: number) => Buffer;
}

export interface StoreReport {
  /** The file, `:memory:`, or where on which server. */
  readonly path: string;
  readonly schemaVersion: number;
}

export interface Store<State extends string, Body, TransferState extends string = string, TransferBody = unknown> {
  readonly journal: Journal<State, Body>;
  readonly transfers: TransferJournal<TransferState, TransferBody>;
  readonly plans: PlanBook<State, Body>;
  readonly notices: Notices;
  /** Tells what is wrong with how far it has come; undefined where nothing is known to be. */
  readonly restored: Restored | undefined;
  /** Since when it is known not to have been put back from a copy, Unix milliseconds: undefined where that is not kept, now where it was not known before. */
  vouchedSinceMs(): number | undefined;
  /** Identifies it outside of it; undefined where that is not kept. */
  readonly id: string | undefined;
  /** Tell the operator what to know of where it is kept. */
  readonly warnings: readonly string[];
  readonly accounts: AccountNames;
  readonly tokens: AccessTokens;
  /** In the operator's store; in a tenant's own there are none. */
  readonly tenants: Tenants;
  readonly fills: FillLedger;
  readonly audit: Audit;
  readonly killSwitch: KillSwitchStore;
  readonly pin: Pin;
  readonly passkeys: Passkeys;
  readonly timers: CancelTimers;
  readonly seal: Seal;
  readonly endedSessions: EndedSessions;
  readonly consoleSessions: StoredSessions;
  readonly inbox: Inbox;
  lane(settings: LaneSettings): KeyLane;
  readonly rates: RateScopes;
  /** Reads the whole file for damage and makes sure it can be written. Takes time with its size. */
  check(): Promise<Result<StoreReport>>;
  /**
   * Checks whether the file can be read through, looked at beside all else; the server's tables where it is on one. @throws StoreError
   * "damaged"
   */
  checkBeside(signal: AbortSignal): Promise<void>;
  /** Copies it into an empty file while others use it; undefined of one on a server, which has means of its own. */
  readonly copyTo: ((path: string) => Promise<StoreCopy>) | undefined;
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
  { clock, random, redact = (text) => text, caller, randomBytes = cryptoRandomBytes, markDir, known, only }: StoreParts,
): Promise<Store<State, Body, TransferState, TransferBody>> {
  const opened = await openDatabase(location, random);
  const { place, path, lazy } = opened;
  let continuity: Continuity | undefined;
  try {
    if (only !== undefined && !(await idsIn(opened.durable)).includes(only))
      throw storeError("another_store", opened.durable.path);
    const hadOne = path !== undefined && hasKillSwitchFile(path);
    const isGone = (await migrate(opened.durable, clock.now())) && hadOne;
    const kept = keptHead((head) => continuity?.keep(head));
    const audit = createAudit(opened.durable, redact, kept, caller);
    if (place !== undefined && markDir !== undefined)
      continuity = await findContinuity(opened.durable, {
        ...{ path, standsAt: opened.standsAt, known, markDir },
        ...{ randomBytes, audit, isGone, nowMs: clock.now() },
      });
    const newest = continuity === undefined ? await opened.durable.single(readHead) : continuity.newest;
    if (newest !== undefined) kept.keep(newest);
    const durable = keepMark(opened.durable, audit, kept.keep);
    const killSwitch = createKillSwitch(durable, () => clock.now(), place, haltingBy(audit));
    const connections = { durable, lazy };
    const parts = {
      journal: createOrderJournal<State, Body>(connections, { audit, killSwitch }),
      restored: continuity?.restored,
      vouchedSinceMs: () => continuity?.vouchedSinceMs(),
      get id() {
        return continuity?.storeId;
      },
      warnings: opened.warnings,
      accounts: createAccountNames(durable, audit),
      audit,
      killSwitch,
      timers: createTimers(durable),
      lane: (settings: LaneSettings) => createLane(lazy, settings, clock, random),
      ...careOf(opened, durable),
      close: () => {
        lazy.close();
        durable.close();
        continuity?.close();
      },
    };
    return withFirstUse(parts, {
      transfers: () => createTransferJournal<TransferState, TransferBody>(connections, { audit, killSwitch }),
      plans: () => createPlanBook<State, Body>(connections, { audit, killSwitch }),
      notices: () => createNotices(durable, audit),
      ...ofPeople(connections, randomBytes, audit),
      // What a power cut takes of it is read from the venue again.
      fills: () => createFillLedger(lazy),
      inbox: () => createInbox(durable),
      rates: () => createRateScopes(lazy),
    });
  } catch (error) {
    continuity?.close();
    opened.durable.close();
    throw error;
  }
}

/** What is kept of people and of what they may do. */
function ofPeople({ durable, lazy }: Pick<Database, "durable" | "lazy">, randomBytes: RandomBytes, audit: AuditWriter) {
  return {
    tokens: () => createAccessTokens(durable, audit),
    tenants: () => createTenants(durable, audit),
    pin: () => createPin(durable, randomBytes, audit),
    passkeys: () => createPasskeys(durable, audit),
    seal: () => createSeal(durable, randomBytes),
    // What a power cut takes of it can be opened anew by its own caller, who has a token.
    endedSessions: () => createEndedSessions(lazy),
    consoleSessions: () => createStoredSessions(durable),
  };
}

type RandomBytes = Required<StoreParts>["randomBytes"];

/** Looking at a store as a whole. */
function careOf({ path, file }: Database, durable: Connection) {
  return {
    check: () => resultOf(check(durable)),
    checkBeside: (signal: AbortSignal) => checkBeside(path, durable, signal),
    copyTo: file && (async (to: string) => (await import("./schema/store-backup.ts")).copyStore(file, to)),
  };
}

interface Database {
  readonly file?: FileConnection;
  readonly durable: Connection;
  readonly lazy: Connection;
  /** Leads to the file; undefined where there is none. */
  readonly path: string | undefined;
  /** Says where it stands: what one expects there at the next start. */
  readonly standsAt: string;
  /** Holds the kill switch; undefined of a database in memory. */
  readonly place: KillSwitchPlace | undefined;
  readonly warnings: readonly string[];
}

async function openDatabase(location: StoreLocation, random: () => number): Promise<Database> {
  if ("url" in location) {
    const { serverAddress } = await import("./sql/postgres-address.ts");
    const { openServer } = await import("./sql/postgres-driver.ts");
    const address = serverAddress(location.url, location.tenant);
    const { durable, lazy, warnings } = await openServer(address, random);
    const place = { filePath: location.haltPath, isShared: true };
    return { durable, lazy, path: undefined, standsAt: address.standsAt, place, warnings };
  }
  if ("memory" in location) {
    const durable = await openConnection(":memory:", { ...DURABLE, random });
    return { durable, lazy: durable.lazily, path: undefined, standsAt: "", place: undefined, warnings: [] };
  }
  const { path } = location;
  const durable = await openConnection(path, { ...DURABLE, random });
  const place = { filePath: haltPathOf(path), isShared: false };
  return { file: durable, durable, lazy: durable.lazily, path, standsAt: resolve(path), place, warnings: [] };
}

/**
 * Tells what a store on a server is called in messages, and what it is known by from one start to the next. @throws StoreError
 * "bad_address"
 */
export async function serverPlace(url: string, tenant?: string): Promise<{ shown: string; standsAt: string }> {
  const { serverAddress } = await import("./sql/postgres-address.ts");
  const { shown, standsAt } = serverAddress(url, tenant);
  return { shown, standsAt };
}

/** Moves a store from a file to a server. See `store-move.ts`. */
export async function moveStore(path: string, url: string, nowMs: number, tenant?: string): Promise<MovedStore> {
  const { move } = await import("./schema/store-move.ts");
  return move({ path, url, nowMs, tenant });
}

/** Looks at a store without opening it to others: nothing is made, brought up to date or written. See `store-look.ts`. */
export async function lookAtStore(location: Exclude<StoreLocation, { readonly memory: true }>): Promise<StoreLook> {
  const { lookAt } = await import("./schema/store-look.ts");
  return lookAt(location);
}

/** What waits for a person or has no answer, and nothing else of a store, read as `lookAtStore` reads. */
export async function openInStore(
  location: Exclude<StoreLocation, { readonly memory: true }>,
): Promise<readonly OpenRow[]> {
  const { openIn } = await import("./schema/store-look.ts");
  return openIn(location);
}

/** The plans that have not ended, read in the same way. */
export async function plansInStore(
  location: Exclude<StoreLocation, { readonly memory: true }>,
): Promise<readonly PlanRow[]> {
  const { plansIn } = await import("./schema/store-look.ts");
  return plansIn(location);
}

function haltingBy(audit: AuditWriter): HaltPlans {
  const why = "Trading was halted.";
  return (statements, atMs, found) => haltPlans(statements, audit, { why, atMs, found });
}

const DURABLE = { journal: "wal", durability: "full", isStore: true } as const;

const SMALL_BYTES = 4 * 1024 * 1024;

async function checkBeside(path: string | undefined, connection: Connection, signal: AbortSignal): Promise<void> {
  if (connection.path === ":memory:") return;
  // Some milliseconds' work; more is for a thread of its own.
  if (path !== undefined && statSync(path).size > SMALL_BYTES) return quickCheck(path, signal);
  const found = await connection.single(({ all }) => all(connection.catalog.check, []), WHOLE);
  if (found[0]?.["quick_check"] !== "ok") throw storeError("damaged", connection.path);
}

async function check(connection: Connection): Promise<StoreReport> {
  const found = await connection.single(({ all }) => all(connection.catalog.check, []), WHOLE);
  if (found[0]?.["quick_check"] !== "ok") throw storeError("damaged", connection.path);
  await rewrite(connection);
  return { path: connection.path, schemaVersion: SCHEMA_VERSION };
}
