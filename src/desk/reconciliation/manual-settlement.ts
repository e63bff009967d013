/**
 * Manual settlement: a person says what became of an order without an answer, where the venue cannot be queried or does not say
 * enough.
 *
 * Invariants: the venue is queried first, and its answer takes precedence, also where it comes later: as long as it cannot be queried
 * `not-placed` is noted, and the order stays `unknown`. It is not accepted while the request may still be on its way; `placed` names an
 * order that the venue shows, that equals the request, and that is no other intent's.
 *
 * Source: decision 0005.
 */
import { type Fault, failed, localFault, type Order, ok, type Result } from "../../contract/index.ts";
import { type DeskContext, recordStep } from "../core/context.ts";
import type { IntentChange, IntentRecord } from "../model/intent.ts";
import { isUnresolved } from "../model/intent-state.ts";
import { changeShownBy, notPlaced } from "../model/intent-transition.ts";
import { isOrderOf } from "../model/order-match.ts";
import { intentReport } from "../model/order-report.ts";
import type { PersonsWord, WriteReport } from "../model/reports.ts";
import { longestSendMs } from "./absence.ts";
import { placesOf } from "./moved-order.ts";
import type { Reconciler } from "./reconciler.ts";

export class ManualSettlement {
  readonly #context: DeskContext;
  readonly #reconciler: Reconciler;

  constructor(context: DeskContext, reconciler: Reconciler) {
    this.#context = context;
    this.#reconciler = reconciler;
  }

  /**
   * @param name id or userref of the intent
   * @returns a fault where this was not accepted: the order is unchanged
   */
  async settle(name: string, word: PersonsWord): Promise<Result<WriteReport>> {
    const account = await this.#context.account();
    if (!account.ok) return account;
    const known = await this.#named(account.value, name);
    if (!known.ok) return known;
    if (known.value === undefined) return failed(unknownOrder(`No order with id or userref ${name} is known here.`));
    const meant = await this.#unresolvedPlace(account.value, known.value);
    const { after: intent, fault } = await this.#reconciler.tryToSettle(meant);
    if (!isUnresolved(intent.state))
      return ok(this.#report(intent, "It is settled without a person's word; nothing was changed."));
    const change = word.placed ? await this.#placed(intent, word.orderId) : this.#notPlaced(intent, fault);
    if (!change.ok) return change;
    return this.#move(intent, change.value, word);
  }

  async #named(account: string, name: string): Promise<Result<IntentRecord | undefined>> {
    const { journal } = this.#context.parts;
    const byId = await journal.byId(name);
    return !byId.ok || byId.value?.account === account ? byId : journal.byUserref(account, name);
  }

  /** An order that was moved has an answer: what has none is what may stand in its place. */
  async #unresolvedPlace(account: string, named: IntentRecord): Promise<IntentRecord> {
    if (isUnresolved(named.state) || named.orderId === null) return named;
    const last = (await placesOf(this.#context, account, named.orderId)).at(-1);
    return last !== undefined && isUnresolved(last.state) ? last : named;
  }

  /** @param unasked why the venue could not be queried just now: then its answer is waited for */
  #notPlaced(intent: IntentRecord, unasked: Fault | undefined): Result<Change> {
    const { clock, venue } = this.#context.parts;
    const ageMs = clock.now() - (intent.sentAtMs ?? intent.updatedAtMs);
    if (Math.abs(ageMs) <= longestSendMs(venue))
      return failed(
        unknownOrder("Its request may still be on its way; wait a minute, look at the exchange again, then settle it."),
      );
    const body = { ...intent.body, settledBy: "person" } as const;
    return ok(unasked === undefined ? notPlaced({ ...intent, body }) : { to: "unknown", body });
  }

  async #placed(intent: IntentRecord, orderId: string | undefined): Promise<Result<Change>> {
    const order = orderId === undefined ? await this.#onlyOne(intent) : await this.#byId(intent, orderId);
    if (!order.ok) return order;
    const owner = await this.#context.parts.journal.byOrderId(this.#context.journalAccount(), order.value.orderId);
    if (!owner.ok) return owner;
    if (owner.value !== undefined)
      return failed(unknownOrder(`Order ${order.value.orderId} is known as that of userref ${owner.value.userref}.`));
    const change = changeShownBy(intent.body, order.value);
    return ok({ ...change, body: { ...(change.body ?? intent.body), settledBy: "person" } });
  }

  async #byId({ body }: IntentRecord, orderId: string): Promise<Result<Order>> {
    const answer = await this.#context.parts.venue.order(body.order.symbol, orderId);
    if (!answer.ok) return answer;
    // By its fields: the userref is what is in doubt.
    const { userref: _doubtful, ...requested } = body.order;
    const { userref } = answer.value;
    const named = userref === null ? requested : { ...requested, userref };
    return isOrderOf(answer.value, named)
      ? answer
      : failed(unknownOrder(`Order ${orderId} asks for something else than this intent does.`));
  }

  async #onlyOne({ userref, body }: IntentRecord): Promise<Result<Order>> {
    const answer = await this.#context.parts.venue.orders({ userref, symbol: body.order.symbol, state: "all" });
    if (!answer.ok) return answer;
    const alike = answer.value.orders.filter((order) => isOrderOf(order, body.order));
    const [first] = alike;
    if (first !== undefined && alike.length === 1) return ok(first);
    const which = alike.length === 0 ? "shows no order" : `shows ${alike.length} orders`;
    return failed(
      unknownOrder(`The exchange ${which} with this userref that asks for the same; name it with --order-id.`),
    );
  }

  async #move(intent: IntentRecord, change: Change, { by }: PersonsWord): Promise<Result<WriteReport>> {
    const { journal, clock } = this.#context.parts;
    const { account, intentId } = intent;
    const step = { event: "settled_by_person", account, intentId, detail: { by, to: change.to } };
    const moved = await journal.advance(
      intentId,
      { from: [intent.state], ifNonce: intent.nonce, ...change },
      clock.now(),
    );
    if (!moved.ok) return moved;
    const pending = change.to === "unknown" ? [WORD_PENDING] : [];
    if (moved.value !== undefined)
      return ok(this.#report(moved.value, ...pending, ...(await recordStep(this.#context, step))));
    const now = await journal.byId(intentId);
    const warning = "Another process settled it meanwhile; nothing was changed here.";
    return ok(this.#report((now.ok && now.value) || intent, warning));
  }

  #report(intent: IntentRecord, ...warnings: readonly string[]): WriteReport {
    return intentReport(this.#context.stamp(), intent, warnings);
  }
}

type Change = Omit<IntentChange, "from">;

const WORD_PENDING =
  "Your word is noted. The exchange could not be asked now: when it answers, an order that it shows counts, and if it shows none it is as you say.";

function unknownOrder(message: string): Fault {
  return localFault("ELocal:Unknown order", { message: `${message} Nothing was changed.` });
}
