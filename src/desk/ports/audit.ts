/** The port `AuditLog`: every step, chained. The store satisfies it. */
import type { Result } from "../../contract/index.ts";

export interface AuditEntry {
  readonly event: string;
  readonly account: string;
  readonly intentId?: string;
  readonly orderId?: string;
  /** JSON; never a secret. */
  readonly detail: Readonly<Record<string, unknown>>;
}

/** Shows one row of the audit log. */
export interface AuditRow extends Omit<AuditEntry, "intentId" | "orderId"> {
  /** Rises with every row. */
  readonly seq: number;
  readonly atMs: number;
  readonly intentId: string | null;
  readonly orderId: string | null;
}

export interface AuditQuery {
  readonly account?: string;
  readonly intentId?: string;
  readonly orderId?: string;
  readonly event?: string;
  /** Only rows of this time or later, Unix milliseconds. */
  readonly sinceMs?: number;
  /** 1 to 1000. */
  readonly limit: number;
  /** Only rows before this one. */
  readonly beforeSeq?: number;
}

/** Every step, chained; moves of an intent are written with the move, the others through `append`. */
export interface AuditLog {
  append(entry: AuditEntry, atMs: number): Promise<Result<void>>;
  /** Newest first. Looking adds nothing. */
  recent(query: AuditQuery): Promise<Result<readonly AuditRow[]>>;
}
