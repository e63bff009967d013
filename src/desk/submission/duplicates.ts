/**
 * Looks for what a new submission may duplicate: one that equals it, and whose outcome the caller may not know. The caller most likely
 * means that one, so nothing is sent until it is settled, and then that one is the answer.
 *
 * An item counts as a possible original while it is requested or sent without a settled answer, and, once settled, until its outcome
 * was handed to a caller that still waited (its process may have died first, or its caller given up). What counts is how it stood when
 * the new one was requested, or stands now.
 *
 * Source: architecture.md#rule-1; decisions 0016 and 0017.
 */
import { type Fault, ok, type Result } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import type { AnySubmission } from "../model/submission.ts";
import type { Reconciler, SettlingKind } from "../reconciliation/reconciler.ts";
import type { Refusal } from "./submit.ts";

/** Items that a new one is compared with. */
const COMPARED_MAX = 100;
/** After this long, the same requested again is a new one. */
export const DUPLICATE_WINDOW_MS = 24 * 3_600_000;

/** So soon after a look another one would see the same: what is sent meanwhile is looked for once more when the new one begins. */
const SAME_MOMENT_MS = 20;

interface Look {
  readonly account: string | undefined;
  readonly atMs: number;
}

export interface DuplicateKind<Item extends AnySubmission, Shown> extends SettlingKind<Item, Shown> {
  readonly journal: SettlingKind<Item, Shown>["journal"] & {
    unresolvedOrUnacknowledged(
      account: string | undefined,
      states: readonly Item["state"][],
      limit: number,
    ): Promise<Result<readonly Item[]>>;
  };
  /** Requested, and not settled. */
  readonly open: readonly Item["state"][];
  /** Whether a caller of this process has just heard the outcome. */
  isAcknowledged(id: string): boolean;
  /** Why nothing is sent while the first has no outcome. */
  openFault(first: Item): Fault;
}

export class Duplicates<Item extends AnySubmission, Shown> {
  readonly #context: DeskContext;
  readonly #kind: DuplicateKind<Item, Shown>;
  readonly #reconciler: Reconciler<Item, Shown>;
  readonly #looks = new WeakMap<Result<readonly Item[]>, Look>();

  constructor(context: DeskContext, kind: DuplicateKind<Item, Shown>, reconciler: Reconciler<Item, Shown>) {
    this.#context = context;
    this.#kind = kind;
    this.#reconciler = reconciler;
  }

  /** What a request that is made now may duplicate. Of all accounts as long as ours is not known. */
  async openAtRequest(): Promise<Result<readonly Item[]>> {
    const { journal, idOf, open } = this.#kind;
    const account = this.#context.knowsAccount ? this.#context.journalAccount() : undefined;
    const since = this.#now() - DUPLICATE_WINDOW_MS;
    const counts = (item: Item): boolean =>
      this.isOpen(item) || (item.updatedAtMs > since && !this.#kind.isAcknowledged(idOf(item)));
    const found = await journal.unresolvedOrUnacknowledged(account, open, COMPARED_MAX);
    const listed = found.ok ? ok(found.value.filter(counts)) : found;
    this.#looks.set(listed, { account, atMs: this.#now() });
    return listed;
  }

  #now(): number {
    return this.#context.parts.clock.now();
  }

  /** As it stands now, which is as it was found a moment ago. */
  #openNow(lately: Result<readonly Item[]>): Promise<Result<readonly Item[]>> {
    const look = this.#looks.get(lately);
    const ageMs = this.#now() - (look?.atMs ?? Number.NEGATIVE_INFINITY);
    const isSame = look?.account === this.#context.journalAccount() && ageMs >= 0 && ageMs <= SAME_MOMENT_MS;
    return isSame ? Promise.resolve(lately) : this.openAtRequest();
  }

  /**
   * The item that a new one must wait for, settled as far as it can be, or that is its answer.
   * @param isLike whether an item is one that the new one may duplicate
   * @param atRequest what it could duplicate when it was requested; the outcome may have been reported to another caller since
   * @param lately the last look
   */
  async find(
    isLike: (other: Item) => boolean,
    atRequest: Result<readonly Item[]>,
    lately = atRequest,
  ): Promise<Refusal<Item> | undefined> {
    const now = await this.#openNow(lately);
    if (!now.ok) return { fault: now.fault };
    if (!atRequest.ok) return { fault: atRequest.fault };
    const account = this.#context.journalAccount();
    const then = atRequest.value.filter((each) => each.account === account);
    for (const other of new Map([...then, ...now.value].map((each) => [this.#kind.idOf(each), each])).values()) {
      if (!isLike(other)) continue;
      const settled = await this.#reconciler.settle(other);
      const refusal = this.refusalFor(settled);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }

  /** What one like it that is known does to a new one; what had no effect holds nothing back. */
  refusalFor(first: Item): Refusal<Item> | undefined {
    const fault = this.#kind.openFault(first);
    if (this.#kind.isDone(first.state)) return { fault, instead: first };
    return this.isOpen(first) ? { fault } : undefined;
  }

  isOpen({ state }: Item): boolean {
    return this.#kind.open.includes(state);
  }
}
