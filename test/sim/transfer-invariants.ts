/** What must hold of payments and remittances once all is quiet: each was made once, is what its report says, and stays inside the budgets. */
import { canTransferMove } from "../../src/desk/index.ts";
import type { History, Invariant } from "./history.ts";
import { PART_KRW } from "./transfer-script.ts";
import { unitsOf } from "./venue.ts";

export const TRANSFER_INVARIANTS: readonly Invariant[] = [
  { name: "a deal is made at most as often as it was asked for", broken: dealsDoubled },
  { name: "at rest every transfer is settled, as the venue has it", broken: transfersUntrue },
  { name: "a transfer moves as the table allows", broken: forbiddenMoves },
  { name: "what was told of a transfer is true", broken: toldUntrue },
  { name: "transfers stay inside the budgets", broken: budgetsExceeded },
];

function dealsDoubled({ plan, venue, transfers: { asked } }: History): readonly string[] {
  const payments = venue.payments().filter(({ paidAt }) => paidAt !== null);
  return plan.deals.flatMap(({ kind, amount }, index) => {
    const units = unitsOf(amount);
    const paid = payments.filter((each) => each.amount === units);
    const sent = venue.remittances().filter(({ quote }) => quote.sourceAmount === units);
    const made = kind === "payment" ? paid.length : sent.length;
    const back = paid.reduce((sum, { refunded }) => sum + refunded, 0n) / unitsOf(PART_KRW);
    const [makes, backs] = [asked.get(`${index} make`) ?? 0, asked.get(`${index} back`) ?? 0];
    return [
      ...(made > makes ? [`deal ${index}: ${made} made, ${makes} asked for`] : []),
      ...(back > BigInt(backs) ? [`deal ${index}: ${back} parts came back, ${backs} asked for`] : []),
    ];
  });
}

const ENDED_WITHOUT = ["denied", "lapsed", "rejected", "not_made"];

function transfersUntrue({ venue, transfers: { stored } }: History): readonly string[] {
  return stored.flatMap(({ transferId, state, idempotencyKey }) => {
    const hasMoved = venue.hasMoved(idempotencyKey);
    if (state === "done") return hasMoved ? [] : [`${transferId} is done, but nothing has moved`];
    if (ENDED_WITHOUT.includes(state)) return hasMoved ? [`${transferId} is ${state}, but money has moved`] : [];
    return [`${transferId} is ${state}: nobody settled it`];
  });
}

function forbiddenMoves({ transfers: { moves } }: History): readonly string[] {
  return moves.flatMap(({ transferId, from, to }) =>
    from === undefined || canTransferMove(from, to) ? [] : [`${transferId}: ${from} → ${to}`],
  );
}

function toldUntrue({ venue, transfers: { stored, told } }: History): readonly string[] {
  const keys = new Map(stored.map(({ transferId, idempotencyKey }) => [transferId, idempotencyKey]));
  return told.flatMap(({ transferId, outcome }) => {
    const hasMoved = venue.hasMoved(keys.get(transferId) ?? "");
    if (outcome === "accepted" && !hasMoved) return [`${transferId} was told accepted, and nothing has moved`];
    return outcome === "rejected" && hasMoved ? [`${transferId} was told rejected, and money has moved`] : [];
  });
}

/** A payment counts for its bill at least, what comes back of it as well. */
function budgetsExceeded({ plan, venue }: History): readonly string[] {
  const most = unitsOf(plan.setting.policy.maxTransfersKrw);
  const paid = venue
    .payments()
    .reduce((sum, { paidAt, amount, refunded }) => (paidAt === null ? sum : sum + amount + refunded), 0n);
  const sent = venue.remittances().reduce((sum, { quote }) => sum + quote.sourceAmount, 0n);
  return [
    ...(paid > most ? [`${paid} units paid and given back in a day`] : []),
    ...(sent > most ? [`${sent} units remitted in a day`] : []),
  ];
}
