/** What the store has of orders and transfers, looked at past every process. */
import type { Fault } from "../../src/contract/index.ts";
import type { IntentState, TransferState } from "../../src/desk/index.ts";
import type { Move, StoredIntent, StoredTransfer, TransferHistory } from "./history.ts";
import type { Storage } from "./storage.ts";

type Detail = Partial<Move> &
  Pick<Move, "to"> & {
    readonly body?: { readonly settledBy?: string; readonly fault?: Pick<Fault, "code" | "reachedVenue"> };
  };

export function intentsIn(storage: Storage): readonly StoredIntent[] {
  return storage
    .rows(
      "SELECT intent_id, userref, state, nonce, order_id, held, held_live, body ->> '$.replaces' AS replaces FROM intents ORDER BY created_at_ms, rowid",
    )
    .map((row) => ({
      intentId: String(row["intent_id"]),
      userref: String(row["userref"]),
      state: row["state"] as IntentState,
      nonce: row["nonce"] as string | null,
      orderId: row["order_id"] as string | null,
      held: BigInt(String(row["held"])),
      isLive: String(row["held_live"]) === "1",
      replaces:
        row["replaces"] === null ? undefined : (JSON.parse(String(row["replaces"])) as StoredIntent["replaces"]),
    }));
}

export function movesIn(storage: Storage): readonly Move[] {
  const nonces = new Map<string, string>();
  return storage
    .rows(
      "SELECT intent_id, detail FROM audit WHERE intent_id IS NOT NULL AND event IN ('intent_recorded', 'intent_moved') ORDER BY seq",
    )
    .map((row) => {
      const intentId = String(row["intent_id"]);
      const { from, to, nonce, body } = JSON.parse(String(row["detail"])) as Detail;
      if (typeof nonce === "string") nonces.set(intentId, nonce);
      const isByPerson = body?.settledBy === "person";
      const { code = "ELocal:", reachedVenue } = body?.fault ?? {};
      const isRefused = reachedVenue !== "unknown" && !code.startsWith("ELocal:");
      return { intentId, from, to, nonce: nonces.get(intentId) ?? null, isByPerson, isRefused };
    });
}

export function transfersIn(storage: Storage): readonly StoredTransfer[] {
  return storage.rows("SELECT transfer_id, state, idempotency_key FROM transfers ORDER BY rowid").map((row) => ({
    transferId: String(row["transfer_id"]),
    state: row["state"] as TransferState,
    idempotencyKey: String(row["idempotency_key"]),
  }));
}

export function transferMovesIn(storage: Storage): TransferHistory["moves"] {
  const sql = "SELECT intent_id, detail FROM audit WHERE event IN ('transfer_recorded', 'transfer_moved') ORDER BY seq";
  return storage.rows(sql).map((row) => ({
    transferId: String(row["intent_id"]),
    ...(JSON.parse(String(row["detail"])) as { from: TransferState | undefined; to: TransferState }),
  }));
}
