/**
 * Owns a look at a store that leaves it as it is: for whoever asks what is wrong with it, which is no use of it. Nothing is made, brought up to
 * date or written, and no process that uses it is waited for longer than for a read.
 *
 * Entry points: `lookAt`, and `openIn` and `plansIn` for who waits for an answer as they type.
 */
import { lstatSync } from "node:fs";
import type { KillSwitchRecord } from "../../desk/index.ts";
import { type AuditVerdict, verifyChain } from "../audit/audit-check.ts";
import { haltPathOf, killSwitchIn } from "../safety/kill-switch.ts";
import { type Connection, WHOLE } from "../sql/connection.ts";
import { openToLook } from "../sql/driver.ts";
import { lenientTextCell, numberCell, type Statements, textCell, type Work } from "../sql/statement.ts";
import { storeError } from "../sql/store-error.ts";
import { SCHEMA_VERSION, schemaVersion } from "./migrations.ts";

/** `none`: nothing was kept yet. `older`: the next process that opens it brings it up to date. */
export type StoreLook =
  | { readonly is: "none"; readonly path: string }
  | { readonly is: "older"; readonly path: string; readonly version: number; readonly current: number }
  | {
      readonly is: "current";
      readonly path: string;
      readonly version: number;
      readonly log: AuditVerdict;
      readonly halted: KillSwitchRecord | undefined;
      readonly hasPin: boolean;
      readonly putBack: PutBack | undefined;
      /** Orders, payments and remittances that a person is asked about, and those without an answer. */
      readonly open: readonly OpenRow[];
      /** Notices that their receiver has not taken, given up; newest first. */
      readonly parked: readonly ParkedNotice[];
      /** Plans that have not ended. */
      readonly plans: readonly PlanRow[];
      /** Who looks after some account's plans looked last; undefined where nobody ever has. Unix milliseconds. */
      readonly watchedAtMs: number | undefined;
    };

export interface ParkedNotice {
  readonly type: string;
  readonly planId: string;
  readonly atMs: number;
}

/** That a store was found to have been put back from a copy, or to be another than stood there; the last time. */
export interface PutBack {
  readonly atMs: number;
  /** Absent while it waits for a person. */
  readonly resumed?: {
    readonly atMs: number;
    /** So many orders that it lacks were shown to them; undefined where none were. */
    readonly shown: number | undefined;
  };
}

export interface OpenRow {
  readonly id: string;
  readonly state: string;
}

export interface PlanRow extends OpenRow {
  readonly kind: string;
}

type Looked = { readonly path: string } | { readonly url: string; readonly haltPath: string; readonly tenant?: string };

const OPEN_MAX = 500;
const OPEN = `SELECT intent_id AS id, state FROM intents WHERE state IN ('awaiting_approval', 'unknown')
  UNION ALL SELECT transfer_id AS id, state FROM transfers WHERE state IN ('awaiting_approval', 'unknown')
  LIMIT ?`;
const PARKED = `SELECT type, plan_id, at_ms FROM notices WHERE delivered_at_ms IS NULL AND due_at_ms IS NULL
  ORDER BY at_ms DESC, notice_id LIMIT ?`;
const PLANS = "SELECT plan_id, kind, state FROM plans WHERE ended_at_ms IS NULL ORDER BY plan_id DESC LIMIT ?";
const WATCHED = "SELECT max(seen_ms) AS at_ms FROM plan_watch";
const PIN = "SELECT 1 AS found FROM pin";

/** @throws StoreError where it is damaged, another program's, of another version, or out of reach */
export async function lookAt(location: Looked): Promise<StoreLook> {
  const connection = await connectionTo(location);
  if (connection === undefined) return { is: "none", path: "path" in location ? location.path : "" };
  return look(connection, "url" in location ? location.haltPath : haltPathOf(location.path));
}

/** Without reading the file and its log through. @throws as `lookAt` */
export async function openIn(location: Looked): Promise<readonly OpenRow[]> {
  const connection = await connectionTo(location);
  try {
    if (connection === undefined || (await schemaVersion(connection)) !== SCHEMA_VERSION) return [];
    return await openRows(connection);
  } finally {
    connection?.close();
  }
}

/** The plans that have not ended, and nothing else. @throws as `lookAt` */
export async function plansIn(location: Looked): Promise<readonly PlanRow[]> {
  const connection = await connectionTo(location);
  try {
    if (connection === undefined || (await schemaVersion(connection)) !== SCHEMA_VERSION) return [];
    return await planRows(connection);
  } finally {
    connection?.close();
  }
}

/** @returns undefined for a file in which nothing was kept yet */
async function connectionTo(location: Looked): Promise<Connection | undefined> {
  if ("url" in location) {
    const { serverAddress } = await import("../sql/postgres-address.ts");
    const { openServer } = await import("../sql/postgres-driver.ts");
    return (await openServer(serverAddress(location.url, location.tenant), Math.random)).durable;
  }
  const { path } = location;
  if ((lstatSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return undefined;
  return openToLook(path, Math.random);
}

async function openRows(connection: Connection): Promise<readonly OpenRow[]> {
  const rows = await connection.single(({ all }) => all(OPEN, [OPEN_MAX]));
  return rows.map((row) => ({ id: textCell(row, "id"), state: textCell(row, "state") }));
}

async function planRows(connection: Connection): Promise<readonly PlanRow[]> {
  const rows = await connection.single(({ all }) => all(PLANS, [OPEN_MAX]));
  return rows.map((row) => ({
    id: textCell(row, "plan_id"),
    kind: textCell(row, "kind"),
    state: textCell(row, "state"),
  }));
}

async function watchedAt(connection: Connection): Promise<number | undefined> {
  const row = await connection.single(({ get }) => get(WATCHED, []));
  return row === undefined || row["at_ms"] === null ? undefined : numberCell(row, "at_ms");
}

async function parkedIn(connection: Connection): Promise<readonly ParkedNotice[]> {
  const rows = await connection.single(({ all }) => all(PARKED, [OPEN_MAX]));
  return rows.map((row) => ({
    type: textCell(row, "type"),
    planId: textCell(row, "plan_id"),
    atMs: numberCell(row, "at_ms"),
  }));
}

async function look(connection: Connection, haltPath: string): Promise<StoreLook> {
  const { path } = connection;
  try {
    const version = await schemaVersion(connection);
    if (version === 0) return { is: "none", path };
    const found = await connection.single(({ all }) => all(connection.catalog.check, []), WHOLE);
    if (found[0]?.["quick_check"] !== "ok") throw storeError("damaged", path);
    if (version !== SCHEMA_VERSION) return { is: "older", path, version, current: SCHEMA_VERSION };
    return {
      ...{ is: "current", path, version },
      log: await verifyChain(connection),
      halted: await connection.single((statements) => killSwitchIn(statements, haltPath, Date.now())),
      hasPin: (await connection.single(({ get }) => get(PIN, []))) !== undefined,
      putBack: await connection.single(putBackIn),
      open: await openRows(connection),
      parked: await parkedIn(connection),
      plans: await planRows(connection),
      watchedAtMs: await watchedAt(connection),
    };
  } finally {
    connection.close();
  }
}

const RESTORED = "SELECT seq, at_ms FROM audit WHERE event = 'restored' ORDER BY seq DESC LIMIT 1";
/** The one that was for it: a later one was for another halt. */
const RESUMED = `SELECT at_ms, CAST(detail AS BLOB) AS detail FROM audit WHERE event = 'resumed' AND seq > ?
  ORDER BY seq LIMIT 1`;

function* putBackIn({ get }: Statements): Work<PutBack | undefined> {
  const restored = yield* get(RESTORED, []);
  if (restored === undefined) return undefined;
  const atMs = numberCell(restored, "at_ms");
  const resumed = yield* get(RESUMED, [numberCell(restored, "seq")]);
  if (resumed === undefined) return { atMs };
  return { atMs, resumed: { atMs: numberCell(resumed, "at_ms"), shown: shownIn(lenientTextCell(resumed, "detail")) } };
}

/** A row of a version that showed nothing, or that was changed, says nothing of it. */
function shownIn(detail: string): number | undefined {
  const orders = /"since_copy":\{[^{}]*"orders":\[([^\]]*)\]/.exec(detail)?.[1];
  return orders === undefined ? undefined : orders.split(",").filter((id) => id !== "").length;
}
