/**
 * The way of an order: check, record, submit once, report what is true.
 *
 * Invariants:
 * - The intent and its `userref` are on disk before the request is numbered, and the nonce is on disk before the
 *   first byte leaves.
 * - `Venue.submit` is called from here only, at most once for each move `recorded → submitting`, and only the
 *   process that made this move sends.
 * - No answer means `unknown`; it is then looked up, never sent again.
 *
 * Source: architecture rule 1.
 */
import { type Fault, failed, localFault, type Order, ok, type Result } from "../contract/index.ts";
import type { WriteReport } from "./answers.ts";
import { checkOrder } from "./check.ts";
import { type DeskContext, stored, storeFault } from "./context.ts";
import { isUnresolved, sourcesOf } from "./intent.ts";
import { isTwinOf, orderBody, orderDigest } from "./order-entry.ts";
import type { IntentBody, IntentChange, IntentRecord, JournaledOrder, OrderRequest } from "./ports.ts";
import type { Reconciler } from "./reconciler.ts";
import { deniedReport, intentReport } from "./report.ts";

export type PlaceRequest = OrderRequest | { readonly draft_id: string };

/** Orders without an answer that a new one is compared with. */
const TWINS_LOOKED_AT = 100;

export class Placing {
  private readonly context: DeskContext;
  private readonly reconciler: Reconciler;

  constructor(context: DeskContext, reconciler: Reconciler) {
    this.context = context;
    this.reconciler = reconciler;
  }

  async place(request: PlaceRequest): Promise<WriteReport> {
    const body = await ("draft_id" in request ? this.fromDraft(request.draft_id) : this.fromRequest(request));
    if (!body.ok) return deniedReport(this.context.stamp(), body.fault);
    const twin = await this.unresolvedTwin(body.value);
    if (twin !== undefined) return deniedReport(this.context.stamp(), twin);
    const intent = await this.record(body.value);
    if (!intent.ok) return deniedReport(this.context.stamp(), intent.fault);
    const settled = intent.value.state === "recorded" ? await this.submit(intent.value) : await this.look(intent.value);
    return intentReport(this.context.stamp(), settled.intent, settled.warnings);
  }

  /**
   * Why this order must wait: one just like it was sent and had no answer. Whoever asks again under another name most likely
   * means that one. It is settled here; if it turns out to be placed, a second one has to be asked for once more.
   */
  private async unresolvedTwin({ order }: IntentBody): Promise<Fault | undefined> {
    const { journal } = this.context.parts;
    const unknown = await stored(() => journal.inStates(this.context.journalAccount(), ["unknown"], TWINS_LOOKED_AT));
    if (!unknown.ok) return unknown.fault;
    for (const twin of unknown.value.filter(({ body }) => isTwinOf(body.order, order))) {
      const settled = await this.reconciler.settle(twin);
      if (settled.state === "not_placed" || settled.state === "rejected") continue;
      const now = settled.state === "accepted" ? "it is now known to be placed" : "it has none yet";
      const message = `The same order was sent before as userref ${twin.userref} without an answer; ${now}. Nothing was sent now.`;
      return localFault("ELocal:Twin unresolved", { message });
    }
    return undefined;
  }

  /** Checks a request and makes the body of its intent; nothing is recorded yet. */
  async fromRequest(request: OrderRequest): Promise<Result<IntentBody>> {
    const account = await this.context.account();
    if (!account.ok) return account;
    const market = await this.context.market(request.symbol);
    if (!market.ok) return market;
    const { problems } = checkOrder(market.value, request);
    const first = problems[0];
    if (first !== undefined) return failed(joined(first, problems));
    const { ids, venue, compliance } = this.context.parts;
    if (venue.keyId === undefined) return failed(localFault("ELocal:No key"));
    const order = orderBody(request, market.value, request.userref ?? ids.userref(), compliance);
    const digest = orderDigest(order, account.value, venue.environment);
    return ok({ order, environment: venue.environment, keyId: venue.keyId, digest });
  }

  /** Takes a draft, once. A second call with the same draft leads to the order that the first one placed. */
  private async fromDraft(draftId: string): Promise<Result<IntentBody>> {
    const { journal, clock, venue } = this.context.parts;
    const account = await this.context.account();
    if (!account.ok) return account;
    const found = await stored(() => journal.byIntentId(draftId));
    if (!found.ok) return found;
    const draft = found.value;
    const body = draft?.body;
    if (draft === undefined || body === undefined || draft.account !== account.value)
      return failed(draftFault("There is no draft with this id."));
    const expired = (body.expiresAtMs ?? 0) <= clock.now();
    // After its end a used draft still leads to its order, but does not send one any more.
    if (draft.state === "used" && (!expired || (await this.stands(draft)))) return ok(withoutExpiry(body));
    const usable = draft.state === "draft" && !expired && body.environment === venue.environment;
    if (draft.state === "draft") {
      const to = usable ? "used" : "lapsed";
      const moved = await stored(() => journal.advance(draftId, { from: ["draft"], to }, clock.now()));
      if (!moved.ok) return moved;
    }
    return usable
      ? ok({ ...withoutExpiry(body), keyId: venue.keyId ?? body.keyId })
      : failed(draftFault("This draft has expired or belongs to another environment."));
  }

  /** Whether an order was placed from the draft, or may have been. */
  private async stands({ account, body }: IntentRecord): Promise<boolean> {
    const { userref } = body.order;
    const found = await stored(async () =>
      userref === undefined ? undefined : this.context.parts.journal.byUserref(account, userref),
    );
    return found.ok && found.value !== undefined && !["recorded", "not_placed"].includes(found.value.state);
  }

  /**
   * Puts the intent on disk. An intent with the same `userref` and the same fields is the same intent: it is returned, and
   * armed again only if it is proven not placed.
   */
  private async record(body: IntentBody): Promise<Result<IntentRecord>> {
    const { journal, clock, ids } = this.context.parts;
    const account = this.context.journalAccount();
    const userref = body.order.userref ?? ids.userref();
    const fresh: Omit<IntentRecord, "updatedAtMs"> = {
      intentId: ids.intentId(),
      account,
      userref,
      state: "recorded",
      nonce: null,
      orderId: null,
      body,
      createdAtMs: clock.now(),
    };
    return this.recorded(
      () => journal.record(fresh),
      async () => {
        const existing = await journal.byUserref(account, userref);
        if (existing === undefined || existing.body.digest !== body.digest) return undefined;
        if (existing.state !== "not_placed") return existing;
        const rearm = { from: ["not_placed"], to: "recorded", body } as const;
        return (await journal.advance(existing.intentId, rearm, clock.now())) ?? journal.byIntentId(existing.intentId);
      },
    );
  }

  private async recorded(
    insert: () => Promise<IntentRecord | undefined>,
    existing: () => Promise<IntentRecord | undefined>,
  ): Promise<Result<IntentRecord>> {
    const intent = await stored(async () => (await insert()) ?? (await existing()));
    if (!intent.ok) return intent;
    return intent.value === undefined
      ? failed(localFault("ELocal:Userref in use", { field: "userref" }))
      : ok(intent.value);
  }

  /** What became of an intent that was asked for before. */
  private async look(intent: IntentRecord): Promise<{ intent: IntentRecord; warnings: readonly string[] }> {
    const settled = await this.reconciler.settle(intent);
    return {
      intent: settled.orderId === null ? settled : await this.asSeenNow(settled, settled.orderId),
      warnings: [`An order with userref ${intent.userref} was asked for before; this is that order, nothing was sent.`],
    };
  }

  /** With the order as the venue shows it now. What was seen last must do only where the venue cannot be asked. */
  private async asSeenNow(intent: IntentRecord, orderId: string): Promise<IntentRecord> {
    const answer = await this.context.parts.venue.order(intent.body.order.symbol, orderId);
    if (answer.ok) return { ...intent, body: { ...intent.body, seen: answer.value } };
    if (answer.fault.code !== "EOrder:Unknown order") return intent;
    const { seen: _gone, ...body } = intent.body;
    const message = "The exchange accepted this order earlier and says now that it does not know it.";
    return { ...intent, state: "unknown", body: { ...body, fault: localFault("ELocal:Unknown order", { message }) } };
  }

  /** Sends the one request of an intent and notes what is known of it afterwards. */
  private async submit(intent: IntentRecord): Promise<{ intent: IntentRecord; warnings: readonly string[] }> {
    const { venue, journal, clock } = this.context.parts;
    const keyId = venue.keyId ?? intent.body.keyId;
    // Another process may have recorded it under its own key, whose fence would then say nothing about this request.
    const signed = keyId === intent.body.keyId ? {} : { body: { ...intent.body, keyId } };
    let asked = false;
    let sending: IntentRecord | undefined;
    let answer: Result<Order>;
    try {
      answer = await venue.submit(intent.body.order as JournaledOrder, async (nonce) => {
        const change = { from: ["recorded"], to: "submitting", nonce, ...signed } as const;
        sending = await journal.advance(intent.intentId, change, clock.now());
        asked = true;
        return sending !== undefined;
      });
    } catch (error) {
      // The nonce could not be put on disk, so the request was not sent.
      answer = failed(storeFault(error));
    }
    if (asked && sending === undefined) return this.look((await this.current(intent)) ?? intent);
    const noted = await this.note(sending ?? intent, answer, sending !== undefined);
    if (noted.intent.state !== "unknown") return noted;
    return { intent: await this.reconciler.settle(noted.intent), warnings: noted.warnings };
  }

  /** Writes the answer to the intent. The venue's word stands even if our store cannot take it. */
  private async note(
    intent: IntentRecord,
    answer: Result<Order>,
    numbered: boolean,
  ): Promise<{ intent: IntentRecord; warnings: readonly string[] }> {
    const { journal, clock } = this.context.parts;
    const to = answer.ok ? acceptedState(answer.value) : numbered ? stateAfter(answer.fault) : "not_placed";
    const body = answer.ok ? { ...intent.body, seen: answer.value } : { ...intent.body, fault: answer.fault };
    const change: IntentChange = {
      // A request that was not even numbered may only end an intent that nobody else has begun to send.
      from: numbered ? sourcesOf(to).filter(isUnresolved) : ["recorded"],
      to,
      // Settled and begun anew by another process meanwhile: then this answer is not about the request that counts now.
      ...(numbered && !answer.ok ? { ifNonce: intent.nonce } : {}),
      body,
      ...(answer.ok ? { orderId: answer.value.orderId, lazy: true } : {}),
    };
    const moved = await stored(() => journal.advance(intent.intentId, change, clock.now()));
    if (moved.ok && moved.value !== undefined) return { intent: moved.value, warnings: [] };
    const shown: IntentRecord = {
      ...intent,
      state: to,
      body,
      orderId: answer.ok ? answer.value.orderId : null,
    };
    if (!moved.ok)
      return { intent: shown, warnings: [`What became of this order could not be stored: ${moved.fault.message}`] };
    // Another process settled it first, on the venue's evidence; only an answer of our own knows as much.
    return { intent: answer.ok ? shown : ((await this.current(intent)) ?? shown), warnings: [] };
  }

  private async current(intent: IntentRecord): Promise<IntentRecord | undefined> {
    const found = await stored(() => this.context.parts.journal.byIntentId(intent.intentId));
    return found.ok ? found.value : undefined;
  }
}

function acceptedState(order: Order): "accepted" | "rejected" {
  return order.state === "rejected" ? "rejected" : "accepted";
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

/** All problems in one fault: the first gives the field and code, the message names every one. */
function joined(first: Fault, problems: readonly Fault[]): Fault {
  return { ...first, message: `${problems.map((problem) => problem.message).join("; ")}. Nothing was sent.` };
}

function draftFault(why: string): Fault {
  return localFault("ELocal:Draft not usable", { field: "draft_id", message: `${why} Nothing was sent.` });
}

function withoutExpiry(body: IntentBody): IntentBody {
  const { expiresAtMs: _expiry, ...rest } = body;
  return rest;
}
