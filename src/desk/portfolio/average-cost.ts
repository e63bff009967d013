/** Tells what a coin has cost on average, with the fees of its buys. Entry point: `averageCost`. Source: decision 0028. */
import { Fraction } from "../../decimal/index.ts";
import type { DeskContext } from "../core/context.ts";
import { costsBy } from "./cost-basis.ts";
import type { HistoryReader } from "./history-reader.ts";
import { NOW, replay } from "./ledger-replay.ts";

const ONE = Fraction.of("1");

/** @returns undefined where no cost is known, or not all of the account's fills are read yet */
export async function averageCost(
  { unit, parts: { fills: ledger } }: DeskContext,
  history: HistoryReader,
  account: string,
  asset: string,
): Promise<Fraction | undefined> {
  const reading = await history.catchUp(account);
  if (!reading.ok || reading.value !== undefined) return undefined;
  const replayed = await replay({ ledger, account, ...costsBy("average", unit), at: [NOW] });
  const held = replayed.ok ? replayed.value.totals[0]?.byAsset.get(asset)?.held : undefined;
  return held === undefined || held.volume.isZero() ? undefined : held.cost.share(ONE, held.volume);
}
