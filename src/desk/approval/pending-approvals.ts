/**
 * What waits for a person, whatever its kind, and how its waiting ends without a yes.
 *
 * Invariant: what nobody answered in time does not wait any more, whoever looks first.
 */
import {
  type CreateOrderBody,
  defined,
  type Fault,
  type LocalFaultCode,
  localFault,
  ok,
  type Result,
} from "../../contract/index.ts";
import { formatAmount, notional, price, quantity } from "../../decimal/index.ts";
import type { DeskContext } from "../core/context.ts";
import type { IntentRecord } from "../model/intent.ts";
import { holdAfter } from "../model/intent-transition.ts";
import type { WithdrawnItem } from "../model/reports.ts";
import type { AnySubmission, SubmissionChange } from "../model/submission.ts";
import { hasExpired } from "./approval-validity.ts";

const PAGE = 200;
/** The call that asks has ended it, and nobody was for or against it. */
const WITHDRAWN = "ELocal:Withdrawn";

/** How an item comes to nothing; `undone`: it may be asked for again as it is. */
export type Ending = "denied" | "lapsed" | "rejected" | "undone";

/** What each kind of submission has of its own. */
export interface SubmissionKind<Item extends AnySubmission> {
  readonly journal: {
    inStates(account: string, states: readonly "awaiting_approval"[], limit: number): Promise<Result<readonly Item[]>>;
    /** As `inStates`, of all accounts but this one. */
    elsewhere(account: string, states: readonly "awaiting_approval"[], limit: number): Promise<Result<readonly Item[]>>;
    advance(id: string, change: SubmissionChange<Item>, atMs: number): Promise<Result<Item | undefined>>;
    byId(id: string): Promise<Result<Item | undefined>>;
  };
  /** Says in a sentence what it is. */
  readonly thing: string;
  readonly idOf: (item: Item) => string;
  /** What the journal is told when it ends without effect. */
  readonly endedBy: (item: Item, to: Ending, fault: Fault) => Omit<SubmissionChange<Item>, "from">;
  /** What to do where its waiting has ended and nothing else is known; without it the fault's own. */
  readonly askAgain?: string;
  readonly lapsedMessage: string;
  /** Named in a report after it was withdrawn. */
  readonly viewOf: (item: Item) => WithdrawnItem;
}

/** What whoever asks about it again is told. */
export interface WhyEnded {
  /** `ELocal:Not approved` where there is none. */
  readonly code?: LocalFaultCode;
  readonly message: string;
  readonly nextAction?: string;
}

interface WaitingEnds<Item extends AnySubmission> extends WhyEnded, Pick<SubmissionChange<Item>, "ifStill"> {
  readonly to: "denied" | "lapsed";
  readonly atMs: number;
}

/** @returns the item as it then stands: somebody may have been faster */
export async function endWaiting<Item extends AnySubmission>(
  kind: SubmissionKind<Item>,
  item: Item,
  { to, atMs, ifStill, ...why }: WaitingEnds<Item>,
): Promise<Result<Item>> {
  const { journal, idOf } = kind;
  const change = {
    from: ["awaiting_approval"],
    ...waitingEnded(kind, item, to, why),
    ...defined({ ifStill }),
  } as const;
  const moved = await journal.advance(idOf(item), change, atMs);
  if (!moved.ok) return moved;
  if (moved.value !== undefined) return ok(moved.value);
  const now = await journal.byId(idOf(item));
  return now.ok ? ok(now.value ?? item) : now;
}

/** What the journal is told when its waiting ends. */
export function waitingEnded<Item extends AnySubmission>(
  { endedBy, askAgain: nextAction }: SubmissionKind<Item>,
  item: Item,
  to: "denied" | "lapsed",
  { code = "ELocal:Not approved", ...why }: WhyEnded,
): Omit<SubmissionChange<Item>, "from"> {
  return endedBy(item, to, localFault(code, { ...defined({ nextAction }), ...why }));
}

export class PendingApprovals<Item extends AnySubmission> {
  readonly #context: DeskContext;
  readonly #kind: SubmissionKind<Item>;

  constructor(context: DeskContext, kind: SubmissionKind<Item>) {
    this.#context = context;
    this.#kind = kind;
  }

  /** What waits now, oldest first; what has expired is ended on the way. */
  async list(): Promise<Result<readonly Item[]>> {
    const found = await this.#kind.journal.inStates(this.#context.journalAccount(), ["awaiting_approval"], PAGE);
    if (!found.ok) return found;
    const waiting: Item[] = [];
    for (const item of found.value) {
      if (isExpired(item, this.#now())) await this.lapse(item);
      else waiting.push(item);
    }
    return ok(waiting);
  }

  /** @returns the item as it then stands; as it was where it does not wait, has time left, or cannot be written */
  async expireIfDue(item: Item): Promise<Item> {
    if (item.state !== "awaiting_approval" || !isExpired(item, this.#now())) return item;
    const ended = await this.lapse(item);
    return ended.ok ? ended.value : item;
  }

  /** @returns the item as it then stands: somebody may have been faster */
  async end(item: Item, to: "denied" | "lapsed", why: WhyEnded): Promise<Result<Item>> {
    return endWaiting(this.#kind, item, { ...why, to, atMs: this.#now() });
  }

  /**
   * As `end`, for what holds of this very question, as that its time is over: one asked since goes on waiting.
   * @param fault what ends it, where that is not its time
   */
  async lapse(item: Item, fault?: Fault): Promise<Result<Item>> {
    const message = fault?.message ?? this.#kind.lapsedMessage;
    const why = fault?.code === WITHDRAWN ? ({ code: WITHDRAWN, message } as const) : { message };
    const ifStill = (before: Item): boolean => before.body.approval?.digest === item.body.approval?.digest;
    return endWaiting(this.#kind, item, { ...why, to: "lapsed", ifStill, atMs: this.#now() });
  }

  #now(): number {
    return this.#context.parts.clock.now();
  }
}

/** Whether one that waits has waited long enough. */
export function isExpired({ body: { approval } }: AnySubmission, nowMs: number): boolean {
  return approval === undefined || hasExpired(approval, nowMs);
}

/** Orders that wait for a person. */
export function pendingOrders(context: DeskContext): PendingApprovals<IntentRecord> {
  return new PendingApprovals<IntentRecord>(context, orderKind(context.parts.journal));
}

export function orderKind(journal: SubmissionKind<IntentRecord>["journal"]): SubmissionKind<IntentRecord> {
  return {
    journal,
    thing: "order",
    idOf: ({ intentId }) => intentId,
    endedBy: ({ body, unit }, ending, fault) => {
      const to = ending === "undone" ? "not_placed" : ending;
      const hold = holdAfter(to, undefined, unit);
      return { to, body: { ...body, fault }, ...defined({ hold, unsend: to === "not_placed" || undefined }) };
    },
    lapsedMessage: "Nobody approved this order in time. Nothing was sent.",
    viewOf: ({ intentId, userref, body: { order, replaces } }) => {
      const instead = replaces === undefined ? "" : `, in place of order ${replaces.orderId}`;
      return { id: intentId, userref, summary: `${orderSummary(order)}${instead}` };
    },
  };
}

function orderSummary({ side, symbol, volume, amount, price: limit }: CreateOrderBody): string {
  const [base = "", quote = ""] = symbol.split("/");
  const size =
    volume === undefined ? `for ${formatAmount(notional(amount ?? "0"), quote)}` : formatAmount(quantity(volume), base);
  return `${side} ${size} on ${symbol} ${limit === undefined ? "at market" : `at ${formatAmount(price(limit), quote)}`}`;
}
