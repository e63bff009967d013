/**
 * Owns the webhooks that were received: each is kept once, before it is acknowledged, until it has been processed.
 *
 * Invariants: what `keep` resolved for is on disk; an id stays known for ever, so an event that comes again is recognized
 * whenever that is; of all processes that look, one is given a webhook, and another only when the claim has run out, as that
 * process may have died. Looking where nothing waits writes nothing. An id may be of any length; a long one is known by its digest, as
 * PostgreSQL has no index of long texts.
 */
import { createHash } from "node:crypto";
import type { Connection } from "../sql/connection.ts";
import { numberCell, type Row, textCell } from "../sql/statement.ts";
import { StoreInvariantError } from "../sql/store-error.ts";

/** Times in Unix milliseconds. */
export interface KeptWebhook {
  /** Rises with every webhook of the store. */
  readonly seq: number;
  readonly id: string;
  readonly body: string;
  readonly receivedAtMs: number;
}

/** @param source whom the ids belong to: two senders may use the same. */
export interface Inbox {
  /** @returns false for one that was kept before. */
  keep(source: string, webhook: Pick<KeptWebhook, "id" | "body">, nowMs: number): Promise<boolean>;
  /** Those that nobody has processed, oldest first; they are the caller's for `claimMs`. */
  claim(source: string, nowMs: number, claimMs: number, limit: number): Promise<readonly KeptWebhook[]>;
  /** It has been processed. Its body is not kept any longer. */
  done(seq: number, nowMs: number): Promise<void>;
}

const IS_KEPT = "SELECT 1 AS found FROM inbox WHERE source = ? AND event_id = ?";
const KEEP = `INSERT INTO inbox (source, event_id, body, received_at_ms, claimed_until_ms) VALUES (?, ?, ?, ?, 0)
  ON CONFLICT (source, event_id) DO NOTHING`;
/** A claim that ends further ahead than any was made for is void: the clock was set back since. */
const WAITING = `SELECT seq, event_id, body, received_at_ms FROM inbox WHERE source = ? AND processed_at_ms IS NULL
  AND (claimed_until_ms <= ? OR claimed_until_ms > ?) ORDER BY seq LIMIT ?`;
const CLAIM = "UPDATE inbox SET claimed_until_ms = ? WHERE seq = ?";
const DONE = "UPDATE inbox SET processed_at_ms = ?, body = ? WHERE seq = ? AND processed_at_ms IS NULL";
/** PostgreSQL indexes 2 704 bytes, of source and id together; a NUL takes two. */
const ID_BYTES_MAX = 1_024;
const NO_BODY = Buffer.alloc(0);

export function createInbox(connection: Connection): Inbox {
  return {
    keep: async (source, { id: given, body }, nowMs) => {
      const id = keptId(given);
      // Without a write lock first: what comes again is answered, and nothing else.
      if ((await connection.single(({ get }) => get(IS_KEPT, [source, id]))) !== undefined) return false;
      const bytes = Buffer.from(body, "utf8");
      const { changes } = await connection.transaction(({ run }) => run(KEEP, [source, id, bytes, nowMs]));
      return changes === 1;
    },
    claim: async (source, nowMs, claimMs, limit) => {
      // Twice claimMs: nowMs was read before waiting for the lock, so a newer claim may end later.
      const waiting = [source, nowMs, nowMs + 2 * claimMs, limit];
      if ((await connection.single(({ all }) => all(WAITING, waiting))).length === 0) return [];
      return connection.transaction(function* ({ all, run }) {
        const webhooks = (yield* all(WAITING, waiting)).map(webhookOf);
        for (const { seq } of webhooks) yield* run(CLAIM, [nowMs + claimMs, seq]);
        return webhooks;
      });
    },
    done: async (seq, nowMs) => {
      await connection.transaction(({ run }) => run(DONE, [nowMs, NO_BODY, seq]));
    },
  };
}

function keptId(id: string): string {
  return Buffer.byteLength(id) <= ID_BYTES_MAX ? id : `sha256:${createHash("sha256").update(id).digest("hex")}`;
}

function webhookOf(row: Row): KeptWebhook {
  const body = row["body"];
  if (!Buffer.isBuffer(body)) throw new StoreInvariantError("a webhook's row holds no body");
  return {
    seq: numberCell(row, "seq"),
    id: textCell(row, "event_id"),
    body: body.toString("utf8"),
    receivedAtMs: numberCell(row, "received_at_ms"),
  };
}
