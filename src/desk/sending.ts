/**
 * Sending: the one request of an intent, and what is known of it afterwards.
 *
 * Invariants:
 * - The intent and its `userref` are on disk before the request is numbered; its nonce, and its share of the budgets, are on
 *   disk before the first byte leaves.
 * - `Venue.submit` is called from here only, at most once for each move `approved → submitting`, and only the process that
 *   made this move sends.
 * - No answer means `unknown`; it is then looked up, never sent again.
 *
 * Source: architecture rules 1 and 3.
 */
import { type Fault, failed, localFault, type Order, type Result } from "../contract/index.ts";
import { type DeskContext, stored, storeFault } from "./context.ts";
import { holdAfter, shownChange } from "./evidence.ts";
import type { Following } from "./following.ts";
import { approvalLapse, faultOf, type Gate, type Weighed } from "./gate.ts";
import { sourcesOf, UNRESOLVED_STATES } from "./intent.ts";
import type { Begun, IntentChange, IntentRecord, JournaledOrder, SentSince, TakenOrder } from "./ports.ts";
import type { Reconciler } from "./reconciler.ts";
import type { Standing } from "./standing.ts";
import type { Twins } from "./twins.ts";

/** An intent as it stands after a step, and what its report has to add. */
export interface Step {
  readonly intent: IntentRecord;
  readonly warnings: readonly string[];
}

/** A request may wait for its turn for longer than the policy lets a book be old; then the book is looked at again. */
const TRIES_MAX = 3;

export interface SendingParts {
  readonly gate: Gate;
  readonly reconciler: Reconciler;
  readonly following: Following;
  readonly twins: Twins;
}

export class Sending {
  private readonly context: DeskContext;
  private readonly gate: Gate;
  private readonly reconciler: Reconciler;
  private readonly following: Following;
  private readonly twins: Twins;

  constructor(context: DeskContext, { gate, reconciler, following, twins }: SendingParts) {
    this.context = context;
    this.gate = gate;
    this.reconciler = reconciler;
    this.following = following;
    this.twins = twins;
  }

  /**
   * Sends an approved intent, or ends it unsent.
   * @param askedAtMs when it was asked for, or for again: nothing like it may have been sent since
   * @param fresh what the gate found out just now
   */
  async send(intent: IntentRecord, askedAtMs: number, fresh?: Weighed): Promise<Step> {
    let weighed = fresh;
    for (let tries = 1; ; tries++) {
      if (weighed === undefined) {
        const judged = await this.gate.weigh(intent.body);
        if (!judged.ok) return this.unsent(intent, "not_placed", judged.fault);
        weighed = judged.value;
      }
      const { approval } = intent.body;
      const { policy, verdict } = weighed;
      const lapse = approval && approvalLapse(approval, policy, weighed, this.context.parts.clock.now());
      if (lapse !== undefined) return this.unsent(intent, "lapsed", lapse);
      const denied = faultOf(verdict);
      if (denied !== undefined) return this.unsent(intent, "denied", denied);
      const sent = await this.submit(intent, askedAtMs, weighed);
      if ("intent" in sent) return sent;
      const isLapsed = approval !== undefined && sent.refused.code === "ELocal:Not approved";
      if (isLapsed) return this.unsent(intent, "lapsed", sent.refused);
      if (sent.refused.rule !== "book_age" || tries === TRIES_MAX) return this.unsent(intent, "denied", sent.refused);
      weighed = undefined;
    }
  }

  /** What became of an intent that was asked for before. */
  async look(intent: IntentRecord): Promise<Step> {
    const settled = await this.reconciler.settle(intent);
    return {
      intent: settled.orderId === null ? settled : await this.asSeenNow(settled, settled.orderId),
      warnings: [`An order with userref ${intent.userref} was asked for before; this is that order, nothing was sent.`],
    };
  }

  /** With the order as the venue shows it now. What was seen last must do only where the venue cannot be asked. */
  private async asSeenNow(intent: IntentRecord, orderId: string): Promise<IntentRecord> {
    const answer = await this.context.parts.venue.order(intent.body.order.symbol, orderId);
    if (answer.ok) {
      await this.following.note([answer.value]);
      const now = (await this.current(intent)) ?? intent;
      return { ...now, body: { ...now.body, seen: answer.value } };
    }
    if (answer.fault.code !== "EOrder:Unknown order") return intent;
    const { seen: _gone, ...body } = intent.body;
    const message = "The exchange accepted this order earlier and says now that it does not know it.";
    return { ...intent, state: "unknown", body: { ...body, fault: localFault("ELocal:Unknown order", { message }) } };
  }

  /** Ends an intent of which no byte has left. */
  private async unsent(intent: IntentRecord, to: "denied" | "lapsed" | "not_placed", fault: Fault): Promise<Step> {
    const { journal, clock } = this.context.parts;
    const body = { ...intent.body, fault };
    const change = { from: ["approved"], to, body, ...holdOf(to) } as const;
    const moved = await stored(() => journal.advance(intent.intentId, change, clock.now()));
    if (moved.ok && moved.value !== undefined) return { intent: moved.value, warnings: [] };
    if (moved.ok) return this.look((await this.current(intent)) ?? intent);
    return this.unstored(intent, { intent: { ...intent, state: to, body }, warnings: [notStored(moved.fault)] });
  }

  /** That this call has sent nothing could not be noted. Another one may have sent it, and then that counts; so it does where nobody can tell. */
  private async unstored(intent: IntentRecord, step: Step): Promise<Step> {
    const now = await this.current(intent);
    if (now === undefined) return { intent, warnings: step.warnings };
    return now.state === "approved" ? step : this.look(now);
  }

  private async submit(
    intent: IntentRecord,
    askedAtMs: number,
    weighed: Weighed,
  ): Promise<Step | { readonly refused: Fault }> {
    const { venue, journal, clock } = this.context.parts;
    const keyId = venue.keyId ?? intent.body.keyId;
    // Another process may have recorded it under its own key, whose fence would then say nothing about this request.
    const signed = keyId === intent.body.keyId ? {} : { body: { ...intent.body, keyId } };
    let asked = false;
    let begun: Begun | undefined;
    let answer: Result<Order | TakenOrder>;
    try {
      answer = await venue.submit(intent.body.order as JournaledOrder, async (nonce) => {
        const send = { from: ["approved"], to: "submitting", nonce, heldKrw: weighed.valueKrw, ...signed } as const;
        const admit = (standing: Standing, sentSince: SentSince) =>
          weighed.admit(standing) ?? this.twins.overtaking(intent.body, sentSince(askedAtMs));
        begun = await journal.begin(intent.intentId, send, admit, () => clock.now());
        asked = true;
        return begun !== undefined && "intent" in begun;
      });
    } catch (error) {
      // The nonce could not be put on disk, so the request was not sent.
      answer = failed(storeFault(error));
    }
    if (begun !== undefined && "refused" in begun) return begun;
    if (asked && begun === undefined) return this.look((await this.current(intent)) ?? intent);
    const noted = await this.note(begun?.intent ?? intent, answer, begun !== undefined);
    const { state, orderId } = noted.intent;
    // On disk that it was taken; how it stands may be looked up in peace.
    if (state === "accepted" && orderId !== null)
      return { ...noted, intent: await this.asSeenNow(noted.intent, orderId) };
    if (state !== "unknown") return noted;
    return { intent: await this.reconciler.settle(noted.intent), warnings: noted.warnings };
  }

  /** Writes the answer to the intent. The venue's word stands even if our store cannot take it. */
  private async note(intent: IntentRecord, answer: Result<Order | TakenOrder>, numbered: boolean): Promise<Step> {
    const { journal, clock } = this.context.parts;
    const news = answer.ok
      ? {
          ...(isShown(answer.value) ? shownChange(intent.body, answer.value) : taken(intent, answer.value)),
          lazy: true,
        }
      : refused(intent, answer, numbered);
    const change: IntentChange = {
      // A request that was not even numbered may only end an intent that nobody else has begun to send.
      from: numbered
        ? sourcesOf(news.to).filter((state) => UNRESOLVED_STATES.some((each) => each === state))
        : ["approved"],
      // Settled and begun anew by another process meanwhile: then this answer is not about the request that counts now.
      ...(numbered && !answer.ok ? { ifNonce: intent.nonce } : {}),
      ...news,
    };
    const moved = await stored(() => journal.advance(intent.intentId, change, clock.now()));
    if (moved.ok && moved.value !== undefined) return { intent: moved.value, warnings: [] };
    const { to: state, orderId = null, body = intent.body } = news;
    const shown: IntentRecord = { ...intent, state, orderId, body };
    if (!moved.ok) {
      const step = { intent: shown, warnings: [notStored(moved.fault)] };
      return numbered ? step : this.unstored(intent, step);
    }
    // Another process settled it first, on the venue's evidence; only an answer of our own knows as much.
    return { intent: answer.ok ? shown : ((await this.current(intent)) ?? shown), warnings: [] };
  }

  private async current(intent: IntentRecord): Promise<IntentRecord | undefined> {
    const found = await stored(() => this.context.parts.journal.byIntentId(intent.intentId));
    return found.ok ? found.value : undefined;
  }
}

function isShown(answer: Order | TakenOrder): answer is Order {
  return "state" in answer;
}

/** The venue has the order, and how it stands there is not known yet. */
function taken({ body }: IntentRecord, { orderId }: TakenOrder): Omit<IntentChange, "from"> {
  const { fault: _lost, ...rest } = body;
  return { to: "accepted", orderId, body: rest };
}

function refused(
  intent: IntentRecord,
  { fault }: { readonly fault: Fault },
  numbered: boolean,
): Omit<IntentChange, "from"> {
  const to = numbered ? stateAfter(fault) : "not_placed";
  return { to, body: { ...intent.body, fault }, ...holdOf(to) };
}

function holdOf(
  to: "denied" | "lapsed" | "rejected" | "unknown" | "not_placed",
): Pick<IntentChange, "hold" | "unsend"> {
  const hold = holdAfter(to, undefined);
  return { ...(hold === undefined ? {} : { hold }), ...(to === "not_placed" ? { unsend: true } : {}) };
}

function stateAfter(fault: Fault): "rejected" | "unknown" | "not_placed" {
  switch (fault.reachedVenue) {
    case "yes":
      return "rejected";
    case "unknown":
      return "unknown";
    case "no":
      return "not_placed";
    default:
      return fault.reachedVenue satisfies never;
  }
}

function notStored(fault: Fault): string {
  return `What became of this order could not be stored: ${fault.message}`;
}
