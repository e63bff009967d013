/** `hoga venues`: the exchanges that hoga can trade on, what each promises, and how far that is proved. */
import { CARDS } from "../../venues/index.ts";
import { cardLines, proofWords, titleOf } from "../../words/index.ts";
import { UsageError } from "../failure.ts";
import type { Invocation } from "../invocation.ts";

/** @param name of one, whose whole card is shown */
export function venues(
  name: string | undefined,
  options: { readonly json?: boolean },
  { out, words }: Invocation,
): void {
  const card = CARDS.find((each) => each.name === name);
  if (name !== undefined && card === undefined)
    throw new UsageError(
      `hoga knows no exchange "${name}".`,
      `Name one of: ${CARDS.map((each) => each.name).join(", ")}; hoga venues lists them.`,
    );
  if (options.json === true) out.printJson(card ?? { venues: CARDS });
  else out.print((card === undefined ? listOf(words) : cardLines(card, words)).join("\n"));
}

function listOf(words: Invocation["words"]): readonly string[] {
  const width = Math.max(...CARDS.map(({ name }) => name.length));
  return CARDS.map((card) => `${card.name.padEnd(width)}  ${titleOf(card, words)}: ${proofWords(card, words)}`);
}
