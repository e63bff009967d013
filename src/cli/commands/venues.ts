/** `hoga venues`: the exchanges that hoga can trade on, what each promises, and how far that is proved. */
import { defined, type VenueCard } from "../../contract/index.ts";
import { CARDS, KOREAN } from "../../venues/index.ts";
import { cardLines, proofWords, titleOf } from "../../words/index.ts";
import { UsageError } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { type Tried, triedAt } from "../probe/probe-file.ts";

/** A card, and when it was tried with a real key on this data directory. */
type Told = VenueCard & { readonly probed?: Tried };

/** @param name of one, whose whole card is shown */
export async function venues(
  name: string | undefined,
  options: { readonly json?: boolean },
  { out, words, home }: Invocation,
): Promise<void> {
  if (name !== undefined && CARDS.every((each) => each.name !== name))
    throw new UsageError(
      `hoga knows no exchange "${name}".`,
      `Name one of: ${CARDS.map((each) => each.name).join(", ")}; hoga venues lists them.`,
    );
  const told = CARDS.map((each) => ({ ...each, ...defined({ probed: triedAt(home, each.name) }) }));
  const one = told.find((each) => each.name === name);
  if (options.json === true) return out.printJson(one ?? { venues: told });
  if (one === undefined) return out.print(listOf(told, words).join("\n"));
  const translated = words.locale === "ko" ? (await KOREAN[one.name]?.())?.KOREAN : {};
  out.print(cardLines(one, words, translated ?? {}, one.probed).join("\n"));
}

function listOf(cards: readonly Told[], words: Invocation["words"]): readonly string[] {
  const width = Math.max(...cards.map(({ name }) => name.length));
  return cards.map(
    (card) => `${card.name.padEnd(width)}  ${titleOf(card, words)}: ${proofWords(card, words, card.probed)}`,
  );
}
