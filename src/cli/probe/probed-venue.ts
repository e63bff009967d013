/** What `hoga probe` asks of an exchange beside what the desk reads there. */
import type { CreateOrderBody, KeyFacts, Result } from "../../contract/index.ts";
import type { VenueReads } from "../../desk/index.ts";

export interface ProbedVenue extends VenueReads {
  /** As the exchange calls itself where it is a sandbox; undefined of one that does not, and before its first answer. */
  readonly sandboxId: string | undefined;
  /** Absent where the exchange tells nothing of a key. */
  keyFacts?(): Promise<Result<KeyFacts>>;
  /** Has the exchange check an order, and places nothing; absent where it cannot. */
  validateOrder?(order: CreateOrderBody): Promise<Result<unknown>>;
}
