/**
 * What waits for a person, orders and transfers alike, and how its waiting ends without a yes.
 *
 * Invariant: what nobody answered in time does not wait any more, whoever looks first.
 */
import { defined, localFault, ok, type Result } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import type { ApprovalTerms, IntentRecord } from "../model/intent.ts";
import { holdAfter } from "../model/intent-transition.ts";
import type { Submission, SubmissionChange } from "../model/submission.ts";
import { hasExpired } from "./approval-validity.ts";

const PAGE = 200;

type Timed = Submission<string, { readonly approval?: Pick<ApprovalTerms, "askedAtMs" | "expiresAtMs"> }>;

/** What orders and transfers have each of their own. */
export interface PendingKind<Item extends Timed> {
  readonly journal: {
    inStates(account: string, states: readonly "awaiting_approval"[], limit: number): Promise<Result<readonly Item[]>>;
    advance(id: string, change: SubmissionChange<Item>, atMs: number): Promise<Result<Item | undefined>>;
    byId(id: string): Promise<Result<Item | undefined>>;
  };
  readonly idOf: (item: Item) => string;
  /** What the journal is told when its waiting ends. */
  readonly endedBy: (item: Item, to: "denied" | "lapsed", message: string) => Omit<SubmissionChange<Item>, "from">;
  readonly lapsedMessage: string;
}

export class PendingApprovals<Item extends Timed> {
  readonly #context: DeskContext;
  readonly #kind: PendingKind<Item>;

  constructor(context: DeskContext, kind: PendingKind<Item>) {
    this.#context = context;
    this.#kind = kind;
  }

  /** What waits now, oldest first; what has expired is ended on the way. */
  async list(): Promise<Result<readonly Item[]>> {
    const found = await this.#kind.journal.inStates(this.#context.journalAccount(), ["awaiting_approval"], PAGE);
    if (!found.ok) return found;
    const waiting: Item[] = [];
    for (const item of found.value) {
      if (isExpired(item, this.#now())) await this.end(item, "lapsed");
      else waiting.push(item);
    }
    return ok(waiting);
  }

  /** @returns the item as it then stands; as it was where it does not wait, has time left, or cannot be written */
  async expireIfDue(item: Item): Promise<Item> {
    if (item.state !== "awaiting_approval" || !isExpired(item, this.#now())) return item;
    const ended = await this.end(item, "lapsed");
    return ended.ok ? ended.value : item;
  }

  /** @returns the item as it then stands: somebody may have been faster */
  async end(item: Item, to: "denied" | "lapsed", message: string = this.#kind.lapsedMessage): Promise<Result<Item>> {
    const { journal, idOf, endedBy } = this.#kind;
    const change = { from: ["awaiting_approval"], ...endedBy(item, to, message) } as const;
    const moved = await journal.advance(idOf(item), change, this.#now());
    if (!moved.ok) return moved;
    if (moved.value !== undefined) return ok(moved.value);
    const now = await journal.byId(idOf(item));
    return now.ok ? ok(now.value ?? item) : now;
  }

  #now(): number {
    return this.#context.parts.clock.now();
  }
}

/** Whether one that waits has waited long enough. */
export function isExpired({ body: { approval } }: Timed, nowMs: number): boolean {
  return approval === undefined || hasExpired(approval, nowMs);
}

/** Orders that wait for a person. */
export function pendingOrders(context: DeskContext): PendingApprovals<IntentRecord> {
  return new PendingApprovals<IntentRecord>(context, {
    journal: context.parts.journal,
    idOf: ({ intentId }) => intentId,
    endedBy: ({ body }, to, message) => {
      const hold = holdAfter(to, undefined);
      const fault = localFault("ELocal:Not approved", { message });
      return { to, body: { ...body, fault }, ...defined({ hold }) };
    },
    lapsedMessage: "Nobody approved this order in time. Nothing was sent.",
  });
}
