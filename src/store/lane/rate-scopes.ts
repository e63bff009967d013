/**
 * Owns what the processes of a store have used of a venue's rate groups, by the key or the address that each counts by: one row for each, with the time until
 * which the venue has shut it out.
 *
 * Invariants: reading, deciding and writing come to one change of a row that nobody has changed in between; time is the store's own, so that no process's
 * clock matters. What a power cut takes of it is a second old at the most, or learned from the venue once more.
 *
 * Source: decision 0101.
 */
import type { Result } from "../../contract/index.ts";
import type { Connection } from "../sql/connection.ts";
import { numberCell, type Row, type Statements, textCell } from "../sql/statement.ts";
import { resultOf, StoreInvariantError, storeError } from "../sql/store-error.ts";
import { decideShare, type ScopeClaim, type ScopeShare, type ScopeState, UNUSED_SCOPE } from "./rate-share.ts";

export interface RateScopes {
  /** Tells what was used and learned, and takes what may be used next. @param scope what the venue counts by: a key of it, or its address */
  claim(scope: string, claim: ScopeClaim): Promise<Result<ScopeShare>>;
}

/** A cancel may wait for it. */
const LIMIT = { busyMs: 500, isHurried: true } as const;
/** Of those that change a row at once one gets through each time. */
const TRIES = 64;

const MAKE = `INSERT INTO rate_scopes (scope, revision, banned_from_ms, banned_until_ms, bans, spent) VALUES (?, 1, ?, ?, ?, ?)
  ON CONFLICT (scope) DO NOTHING`;
const CHANGE = `UPDATE rate_scopes SET revision = revision + 1, banned_from_ms = ?, banned_until_ms = ?, bans = ?, spent = ?
  WHERE scope = ? AND revision = ?`;

export function createRateScopes(connection: Connection): RateScopes {
  const look = `SELECT now_ms, revision, banned_from_ms, banned_until_ms, bans, spent
    FROM (SELECT ${connection.catalog.nowMs} AS now_ms) AS clock LEFT JOIN rate_scopes ON scope = ?`;
  const claimed = async (scope: string, claim: ScopeClaim): Promise<ScopeShare> => {
    for (let tried = 0; tried < TRIES; tried++) {
      const row = await connection.single(({ get }) => get(look, [scope]), LIMIT);
      if (row === undefined) break;
      const { state, share } = decideShare(stateOf(row), claim, numberCell(row, "now_ms"));
      if (await isChanged(connection, scope, row, state)) return share;
    }
    throw storeError("busy", connection.path);
  };
  return { claim: (scope, claim) => resultOf(claimed(scope, claim)) };
}

function stateOf(row: Row): ScopeState {
  if (row["revision"] === null) return UNUSED_SCOPE;
  return {
    groups: JSON.parse(textCell(row, "spent")) as ScopeState["groups"],
    bannedFromMs: numberCell(row, "banned_from_ms"),
    bannedUntilMs: numberCell(row, "banned_until_ms"),
    bans: numberCell(row, "bans"),
  };
}

/** @returns whether it was still as it was read; told twice where nobody knows whether it was told, as then too much is counted */
async function isChanged(connection: Connection, scope: string, row: Row, state: ScopeState): Promise<boolean> {
  const { bannedFromMs, bannedUntilMs, bans, groups } = state;
  const values = [bannedFromMs, bannedUntilMs, bans, JSON.stringify(groups)];
  const work = ({ put }: Statements) =>
    row["revision"] === null
      ? put(MAKE, [scope, ...values], 1, changedSince)
      : put(CHANGE, [...values, scope, numberCell(row, "revision")], 1, changedSince);
  try {
    await connection.transaction(work, { ...LIMIT, isRepeatable: true });
    return true;
  } catch (error) {
    if (error instanceof ChangedSince) return false;
    throw error;
  }
}

/** Another process was there in between. */
class ChangedSince extends Error {}

const changedSince = (error: unknown): unknown => (error instanceof StoreInvariantError ? new ChangedSince() : error);
