/**
 * Manual settlement: a person says what became of a submission without an answer, where the venue cannot be queried or does not say
 * enough.
 *
 * Invariants: the venue is queried first, and its answer takes precedence, also where it comes later: as long as it cannot be queried
 * a no is noted, and the item stays `unknown`. It is not accepted while the request may still be on its way.
 *
 * Source: decision 0005.
 */
import { type Fault, failed, localFault, ok, type Result } from "../../contract/index.ts";
import { type DeskContext, recordStep } from "../core/context.ts";
import type { PersonsWord } from "../model/reports.ts";
import { type AnySubmission, isUnresolved } from "../model/submission.ts";
import { longestSendMs } from "./absence.ts";
import type { Move, Reconciler, SettlingKind } from "./reconciler.ts";

/** What a person's yes does to an item, and how its kind is reported. */
export interface WordTaken<Item extends AnySubmission, Report> {
  readonly event: string;
  /** @param id the exchange's, where the person names one */
  placed(item: Item, id: string | undefined): Promise<Result<Move<Item>>>;
  report(item: Item, warnings: readonly string[]): Report;
}

/** @returns a fault where the word was not taken: the item is unchanged */
export async function settleByPerson<Item extends AnySubmission, Shown, Report>(
  context: DeskContext,
  { kind, reconciler, word: taken }: SettlementParts<Item, Shown, Report>,
  meant: Item,
  word: PersonsWord,
): Promise<Result<Report>> {
  const { clock } = context.parts;
  const { journal, idOf, thing } = kind;
  const { after: item, fault: unasked } = await reconciler.tryToSettle(meant);
  if (!isUnresolved(item.state))
    return ok(taken.report(item, ["It is settled without a person's word; nothing was changed."]));
  const change = word.placed ? await taken.placed(item, word.orderId) : undone(context, kind, item, unasked);
  if (!change.ok) return change;
  const { to } = change.value;
  const step = { from: [item.state], ifNonce: item.nonce, ...change.value, detail: { by: word.by } };
  const moved = await journal.advance(idOf(item), step, clock.now());
  if (!moved.ok) return moved;
  if (moved.value === undefined) {
    const now = await journal.byId(idOf(item));
    const warning = "Another process settled it meanwhile; nothing was changed here.";
    return ok(taken.report((now.ok && now.value) || item, [warning]));
  }
  const entry = { event: taken.event, account: item.account, intentId: idOf(item), detail: { by: word.by, to } };
  const pending = to === "unknown" ? [wordPending(thing)] : [];
  return ok(taken.report(moved.value, [...pending, ...(await recordStep(context, entry))]));
}

export interface SettlementParts<Item extends AnySubmission, Shown, Report> {
  readonly kind: SettlingKind<Item, Shown>;
  readonly reconciler: Reconciler<Item, Shown>;
  readonly word: WordTaken<Item, Report>;
}

/** @param unasked why the venue could not be queried just now: then its answer is waited for */
function undone<Item extends AnySubmission, Shown>(
  { parts: { clock, venue } }: DeskContext,
  kind: SettlingKind<Item, Shown>,
  item: Item,
  unasked: Fault | undefined,
): Result<Move<Item>> {
  const ageMs = clock.now() - (item.sentAtMs ?? item.updatedAtMs);
  if (Math.abs(ageMs) <= longestSendMs(venue))
    return failed(
      notTaken("Its request may still be on its way; wait a minute, look at the exchange again, then settle it."),
    );
  const said = { ...item, body: { ...item.body, settledBy: "person" as const } };
  return ok(unasked === undefined ? kind.undoneBy(said, "word") : { to: "unknown", body: said.body });
}

function wordPending(thing: string): string {
  return `Your word is noted. The exchange could not be asked now: when it answers, ${thing === "order" ? "an order" : "a movement"} that it shows counts, and if it shows none it is as you say.`;
}

export function notTaken(message: string): Fault {
  return localFault("ELocal:Unknown order", { message: `${message} Nothing was changed.` });
}
