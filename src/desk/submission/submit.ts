/**
 * Sending: the one request of a submission, and what is known of it afterwards.
 *
 * Invariants:
 * - The item is on disk before its request is numbered; its nonce, and its share of the budgets, are on disk before the first byte leaves.
 * - `SendingKind.send` is called from here only, at most once for each move `approved → submitting`, and only the process that made this
 *   move sends.
 * - No answer means `unknown`; it is then looked up, nothing is sent again.
 *
 * Source: architecture.md#rule-1, architecture.md#rule-3.
 */
import { defined, type Fault, failed, type Result } from "../../contract/index.ts";
import type { Ending } from "../approval/pending-approvals.ts";
import type { DeskContext } from "../core/context.ts";
import type { AnySubmission, SubmissionChange, SubmissionSend } from "../model/submission.ts";
import type { Begun } from "../ports/submission-journal.ts";
import { holderOf, whileHeld } from "../reconciliation/lease.ts";
import type { Move, Reconciler, SettlingKind } from "../reconciliation/reconciler.ts";
import { withdrawal } from "./withdrawn.ts";

/** An item as it is after a step, and what its report has to add. */
export interface Step<Item> {
  readonly item: Item;
  readonly warnings: readonly string[];
  /** The one just like it that took effect meanwhile; then nothing of this one was sent. */
  readonly instead?: Item;
}

/** When it was requested, or requested again: no duplicate of it may have been sent since. */
export interface Request {
  readonly requestedAtMs: number;
  /** Fires when it is withdrawn. */
  readonly withdrawn?: AbortSignal | undefined;
}

/** Why nothing was sent; `instead`, where another that took effect is the answer. */
export interface Refusal<Item> {
  readonly fault: Fault;
  readonly instead?: Item;
}

/** How something ends of which no byte has left. */
export type Unsent = Exclude<Ending, "rejected">;

/** What judging came to: it may go, or how it ends. */
export type Judgement<Judged> = { readonly judged: Judged } | { readonly ends: Unsent; readonly fault: Fault };

/** How a kind is judged and sent, and what is written down of the answer. */
export interface SendingKind<Item extends AnySubmission, Shown, Judged> extends SettlingKind<Item, Shown> {
  judge(item: Item): Promise<Judgement<Judged>>;
  /** Whether a refusal comes of what was looked at having become too old in its turn: then it is judged anew, a few times. */
  isStale?(refusal: Fault): boolean;
  /** Whether a refusal ends a question that was answered, and not the item by the policy. */
  lapsesBy(refusal: Fault, item: Item): boolean;
  /** A refusal as it is told and kept, where more than this item hangs on it. */
  told?(refusal: Fault, item: Item): Fault;
  /** Whether what is sent may be another than was recorded. */
  isChanged?(item: Item): boolean;
  /** Moves it to where its request may leave, unless there is something against it at that moment. */
  begin(
    item: Item,
    send: Pick<SubmissionSend<Item>, "from" | "to" | "nonce" | "body">,
    request: Request,
    judged: Judged,
  ): Promise<Result<Begun<Item, Refusal<Item>> | undefined>>;
  /** The one request. @param beforeSend told the nonce before the first byte leaves; when it answers false nothing is sent */
  send(item: Item, beforeSend: (nonce: string) => Promise<boolean>): Promise<Result<Shown>>;
  /** Sees an answer before it is written down. @returns the fault that it is, where it is about something else */
  heard?(item: Item, answer: Result<Shown>): Promise<Fault | undefined>;
  /** What an answer of the exchange changes. */
  answeredBy(item: Item, shown: Shown): Move<Item>;
  /** The item with what a change makes of it, where that could not be stored. */
  changed(item: Item, change: Move<Item>): Item;
  canMove(from: "submitting" | "unknown", to: Item["state"]): boolean;
  /** As the exchange shows it now, after it was taken or where it is asked about again; as it was where that cannot be asked. */
  shownNow(item: Item, after: "sending" | "repeat"): Promise<Step<Item>>;
}

/** Where what was looked at has become too old in its turn, and nothing newer came in time. */
const TRIES_MAX = 3;
const SENT = ["submitting", "unknown"] as const;

export class SubmitOnce<Item extends AnySubmission, Shown, Judged> {
  readonly #context: DeskContext;
  readonly #kind: SendingKind<Item, Shown, Judged>;
  readonly #reconciler: Reconciler<Item, Shown>;

  constructor(context: DeskContext, kind: SendingKind<Item, Shown, Judged>, reconciler: Reconciler<Item, Shown>) {
    this.#context = context;
    this.#kind = kind;
    this.#reconciler = reconciler;
  }

  /** Works on what is let through, for as long as that takes: meanwhile nobody ends it as abandoned. */
  async held(item: Item, request: Request, work: () => Promise<Step<Item>>): Promise<Step<Item>> {
    const { holder } = holderOf(this.#context);
    const renew = (body?: Item["body"]) =>
      this.#advance(item, { from: ["approved"], to: "approved", lazy: true, isLease: true, ...defined({ body }) });
    // Left over by another process: from now on it is this one's.
    if (holder !== undefined && holder !== item.body.holder) await renew({ ...item.body, holder });
    return whileHeld(this.#context, renew, async () => {
      const unwanted = withdrawal(request.withdrawn);
      return unwanted === undefined ? work() : this.end(item, "lapsed", unwanted);
    });
  }

  /**
   * Sends what is let through, or ends it unsent.
   * @param fresh a judgement made just now that allows it
   */
  async submit(item: Item, request: Request, fresh?: Judged): Promise<Step<Item>> {
    return this.held(item, request, () => this.send(item, request, fresh));
  }

  /** As `submit`, of what is held already. */
  async send(item: Item, request: Request, fresh?: Judged): Promise<Step<Item>> {
    let judged = fresh;
    for (let tries = 1; ; tries++) {
      if (judged === undefined) {
        const found = await this.#kind.judge(item);
        if ("ends" in found) return this.end(item, found.ends, this.#told(found.fault, item));
        judged = found.judged;
      }
      const sent = await this.#sendOnce(item, request, judged);
      if ("item" in sent) return sent;
      const { fault, instead } = sent;
      if (this.#kind.isStale?.(fault) !== true || tries === TRIES_MAX) {
        const ends = this.#kind.lapsesBy(fault, item) || fault.code === "ELocal:Withdrawn" ? "lapsed" : "denied";
        return { ...(await this.end(item, ends, this.#told(fault, item))), ...defined({ instead }) };
      }
      judged = undefined;
    }
  }

  #told(fault: Fault, item: Item): Fault {
    return this.#kind.told?.(fault, item) ?? fault;
  }

  /** What became of an item that was requested before. */
  async reportExisting(item: Item): Promise<Step<Item>> {
    return this.#kind.shownNow(await this.#reconciler.settle(item), "repeat");
  }

  /** Ends an item of which no byte has left. */
  async end(item: Item, to: Unsent, fault: Fault): Promise<Step<Item>> {
    const change = this.#kind.endedBy(item, to, fault);
    const moved = await this.#advance(item, { from: ["approved"], ...change });
    if (moved.ok && moved.value !== undefined) return { item: moved.value, warnings: [] };
    if (moved.ok) return this.reportExisting((await this.#current(item)) ?? item);
    return this.#unstored(item, { item: this.#kind.changed(item, change), warnings: [this.#notStored(moved.fault)] });
  }

  /** It could not be stored that this call has sent nothing. Another call may have sent it, and then that counts; also where that is not known. */
  async #unstored(item: Item, step: Step<Item>): Promise<Step<Item>> {
    const now = await this.#current(item);
    if (now === undefined) return { item, warnings: step.warnings };
    return now.state === "approved" ? step : this.reportExisting(now);
  }

  async #sendOnce(item: Item, request: Request, judged: Judged): Promise<Step<Item> | Refusal<Item>> {
    const unwanted = withdrawal(request.withdrawn);
    if (unwanted !== undefined) return { fault: unwanted };
    const kind = this.#kind;
    const keyId = this.#context.parts.venue.keyId ?? item.body.keyId;
    // Another process may have recorded it under its own key, whose fence would then say nothing about this request.
    const isAsRecorded = keyId === item.body.keyId && kind.isChanged?.(item) !== true;
    const moved = {
      from: ["approved"],
      to: "submitting",
      ...(!isAsRecorded && { body: { ...item.body, keyId } }),
    } as const;
    let beginning: Result<Begun<Item, Refusal<Item>> | undefined> | undefined;
    const answer = await kind.send(item, async (nonce) => {
      beginning = await kind.begin(item, { ...moved, nonce }, request, judged);
      return beginning.ok && beginning.value !== undefined && "begun" in beginning.value;
    });
    const begun = beginning?.ok === true ? beginning.value : undefined;
    if (begun !== undefined && "refused" in begun) return begun.refused;
    if (beginning?.ok === true && begun === undefined) return this.reportExisting((await this.#current(item)) ?? item);
    // Where the nonce could not be put on disk, the request was not sent.
    const outcome = beginning?.ok === false ? beginning : answer;
    const sent = begun?.begun ?? item;
    // Once it has left it counts as sent.
    const isLate = begun !== undefined && request.withdrawn?.aborted === true;
    const told = isLate ? { ...sent, body: { ...sent.body, withdrawn: true as const } } : sent;
    const step = await this.#recordAnswer(told, outcome, begun !== undefined);
    if (step.item.state === "unknown") return { ...step, item: await this.#reconciler.settle(step.item) };
    const shown = await kind.shownNow(step.item, "sending");
    return { item: shown.item, warnings: [...step.warnings, ...shown.warnings] };
  }

  /** Writes the answer to the item. The exchange's word counts even if our store cannot take it. */
  async #recordAnswer(item: Item, given: Result<Shown>, isNumbered: boolean): Promise<Step<Item>> {
    const wrong = await this.#kind.heard?.(item, given);
    const answer = wrong === undefined ? given : failed(wrong);
    const move = answer.ok ? this.#kind.answeredBy(item, answer.value) : this.#refused(item, answer.fault, isNumbered);
    const change = {
      // A request without a nonce may only end an item that no other process has begun to send.
      from: isNumbered ? SENT.filter((state) => this.#kind.canMove(state, move.to)) : ["approved"],
      // Another process may have settled it and begun a new request meanwhile: then this answer is not about the current one.
      ...(isNumbered && !answer.ok && { ifNonce: item.nonce }),
      ...move,
    };
    const moved = await this.#advance(item, change);
    if (moved.ok && moved.value !== undefined) return { item: moved.value, warnings: [] };
    const shown = this.#kind.changed(item, move);
    if (!moved.ok) {
      const step = { item: shown, warnings: [this.#notStored(moved.fault)] };
      return isNumbered ? step : this.#unstored(item, step);
    }
    // Another process settled it first, on the exchange's evidence; only an answer of our own knows as much.
    return { item: answer.ok ? shown : ((await this.#current(item)) ?? shown), warnings: [] };
  }

  #refused(item: Item, fault: Fault, isNumbered: boolean): Move<Item> {
    const reached = isNumbered ? fault.reachedVenue : "no";
    switch (reached) {
      case "yes":
        return this.#kind.endedBy(item, "rejected", fault);
      case "unknown":
        return { to: "unknown", body: { ...item.body, fault } };
      case "no":
        return this.#kind.endedBy(item, "undone", fault);
      default:
        return reached satisfies never;
    }
  }

  #advance(item: Item, change: SubmissionChange<Item>): Promise<Result<Item | undefined>> {
    const { journal, idOf } = this.#kind;
    return journal.advance(idOf(item), change, this.#context.parts.clock.now());
  }

  async #current(item: Item): Promise<Item | undefined> {
    const found = await this.#kind.journal.byId(this.#kind.idOf(item));
    return found.ok ? found.value : undefined;
  }

  #notStored({ message }: Fault): string {
    return `What became of this ${this.#kind.thing} could not be stored: ${message}`;
  }
}
