/**
 * The journal of transfers, orders' sibling: money that was to leave, how far it has come, and what it counts for.
 *
 * Invariants, besides those of every submission: with one request key there is one transfer that can have an effect. The audit log
 * tells only what the desk hands it (`detail`), as a body may name a person.
 */
import { defined } from "../../contract/index.ts";
import type {
  SentTransfers,
  SubmissionChange,
  TransferJournal,
  TransferRecord,
  TransferUsage,
} from "../../desk/index.ts";
import type { AuditWriter } from "../audit/audit.ts";
import type { KillSwitchKeeper } from "../safety/kill-switch.ts";
import type { Connections } from "../sql/connection.ts";
import { type Statements, textCell, together, type Work } from "../sql/statement.ts";
import { StoreInvariantError } from "../sql/store-error.ts";
import { DAY_MS, heldText, NO_ROW, unitCell, unitOf } from "./account-usage.ts";
import { createSubmissionJournal } from "./submission-journal.ts";

const SAME_REQUEST = "account = ? AND request_key = ? AND state NOT IN (SELECT value FROM json_each(?)) LIMIT 1";
const UNACKNOWLEDGED = "account = ? AND unacknowledged = 1 AND transfer_id <> ? ORDER BY created_at_ms DESC LIMIT ?";
const UNACKNOWLEDGED_MAX = 100;
const SENT_FROM = "account = ? AND transfer_id <> ? AND sent_at_ms >= ?";
const USAGE = `SELECT CAST(coalesce(sum(held), 0) AS TEXT) AS day, min(unit) AS least, max(unit) AS most FROM transfers
  WHERE account = ? AND family = ? AND rowid <> ? AND held > 0 AND (held_live = 1 OR held_at_ms > ?)`;

export function createTransferJournal<State extends string, Body>(
  connections: Connections,
  { audit, killSwitch }: { readonly audit: AuditWriter; readonly killSwitch: KillSwitchKeeper },
): TransferJournal<State, Body> {
  const usageOf = function* (statements: Statements, of: Owner, atMs: number, exceptRow = NO_ROW): Work<TransferUsage> {
    const [row, halt] = yield* together(
      statements.get(USAGE, [of.account, of.family, exceptRow, atMs - DAY_MS]),
      killSwitch.stateIn(statements, atMs),
    );
    if (row === undefined) throw new StoreInvariantError("a sum has no row");
    const unit = unitOf([unitCell(row, "least"), unitCell(row, "most")]);
    const day = heldText(BigInt(textCell(row, "day")), unit);
    return { day, ...defined({ unit }), killSwitch: halt };
  };
  const { journal, access } = createSubmissionJournal<
    TransferRecord<State, Body>,
    SubmissionChange<TransferRecord<State, Body>>,
    TransferUsage,
    SentTransfers<State, Body>
  >(connections, audit, {
    name: "transfers",
    idColumn: "transfer_id",
    columns: {
      transferId: "transfer_id",
      family: "family",
      requestKey: "request_key",
      idempotencyKey: "idempotency_key",
    },
    unacknowledged: "unacknowledged = 1",
    event: "transfer",
    auditsBody: false,
    *usageAndSent({ statements, list, listSince }, { before, rowId }, atMs) {
      const { account, transferId } = before;
      const [usage, unacknowledged, since] = yield* together(
        usageOf(statements, before, atMs, rowId),
        list(UNACKNOWLEDGED, [account, transferId, UNACKNOWLEDGED_MAX]),
        listSince((fromMs) => list(SENT_FROM, [account, transferId, fromMs])),
      );
      return [usage, { unacknowledged, since } satisfies SentTransfers<State, Body>];
    },
  });
  return {
    ...journal,
    record: (transfer, ended, detail = {}) => {
      const { account, requestKey } = transfer;
      const sameRequest = [account, requestKey, JSON.stringify(ended)];
      return access.record({ ...transfer, nonce: null }, { request_key: requestKey, ...detail }, [
        SAME_REQUEST,
        sameRequest,
      ]);
    },
    usage: (account, family, atMs) => access.read((statements) => usageOf(statements, { account, family }, atMs)),
    byRequestKey: (account, requestKey) =>
      access.one("account = ? AND request_key = ? ORDER BY rowid DESC", [account, requestKey]),
  };
}

interface Owner {
  readonly account: string;
  readonly family: string;
}
