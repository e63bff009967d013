/**
 * Notes what an account holds wherever its fills do not explain it as they did before, so that money and coins that come and go without a fill have
 * a time: no exchange of ours lists them. Entry point: `noteBalances`.
 *
 * Invariant: nothing is answered by what is noted here alone; what cannot be kept is noted at the next look, and counts from then on.
 * Source: decision 0088.
 */
import { ok, type Result } from "../../contract/index.ts";
import { Fraction } from "../../decimal/index.ts";
import type { DeskContext } from "../core/context.ts";
import type { BalanceSighting } from "../ports/fill-ledger.ts";
import type { AccountBooks } from "./account-books.ts";
import { SUMS } from "./fill-sums.ts";
import { NOW, replay } from "./ledger-replay.ts";
import type { Unexplained } from "./unexplained.ts";

/** Writes down this often that it was looked at, where nothing has changed. */
const SEEN_EVERY_MS = 60_000;

/** @returns what the fills do not explain, with what was noted now */
export async function noteBalances(
  { unit, parts: { fills: ledger } }: DeskContext,
  { account, balances, askedAtMs }: Pick<AccountBooks, "account" | "balances" | "askedAtMs">,
): Promise<Result<Unexplained | undefined>> {
  const progress = await ledger.progress(account);
  if (!progress.ok) return progress;
  const replayed = await replay({ ledger, account, ...SUMS, at: [NOW] });
  if (!replayed.ok) return replayed;
  const { computation: sums } = replayed.value;
  const { moved, unexplained } = sums.totals();
  const { seenMs, doneToMs = 0 } = progress.value;
  const atMs = Math.max(askedAtMs, doneToMs);
  const totals = new Map(balances.map(({ asset, total }) => [asset, total]));
  const sightings: BalanceSighting[] = [];
  for (const asset of new Set([...totals.keys(), ...moved.keys(), ...(unexplained?.last.keys() ?? [])])) {
    const total = totals.get(asset) ?? "0";
    const rest = Fraction.of(total).minus(moved.get(asset) ?? Fraction.ZERO);
    const known = unexplained?.last.get(asset) ?? Fraction.ZERO;
    // The first look is noted also where there is nothing to explain.
    const isFirst = unexplained === undefined && asset === unit;
    if (isFirst || rest.cmp(known) !== 0) sightings.push({ asset, total, atMs, sinceMs: seenMs });
  }
  const isOld = seenMs === undefined || atMs >= seenMs + SEEN_EVERY_MS || atMs < seenMs;
  if (sightings.length > 0 || isOld) await ledger.keepSightings(account, sightings, atMs);
  for (const sighting of sightings) sums.see(sighting);
  return ok(sums.totals().unexplained);
}
