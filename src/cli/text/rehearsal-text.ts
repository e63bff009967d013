/** What a plan would have done on past prices, for the person at the terminal: never a forecast, which the first line says. */
import type { Rehearsal } from "../../desk/index.ts";
import { assetsOf, type Words } from "../../words/index.ts";
import { planTextSay } from "./plan-words.ts";
import { table } from "./table.ts";

const COLUMNS = ["at", "leg", "from", "to", "volume", "value", "sure"] as const;
/** The oldest of more are left out. */
const SHOWN_MAX = 40;

export function rehearsalText(
  { fromMs, toMs, acts, without, value }: Rehearsal,
  symbol: string,
  words: Words,
): readonly string[] {
  const say = planTextSay(words);
  const { amount, when } = words;
  const { base, quote } = assetsOf(symbol);
  const rows = acts
    .slice(-SHOWN_MAX)
    .map((act) => [
      ...[when(act.atMs), say(`leg.${act.leg}`), amount(act.from, quote), amount(act.to, quote)],
      ...[amount(act.volume, base), amount(act.value, quote), say(act.isSure ? "act.sure" : "act.unsure")],
    ]);
  return [
    say("rehearsal.period", { from: when(fromMs), to: when(toMs), count: acts.length, value: amount(value, quote) }),
    ...(without === 0 ? [] : [say("rehearsal.without", { count: without })]),
    ...(rows.length === 0
      ? []
      : [
          table(
            COLUMNS.map((name) => say(`act.${name}`)),
            rows,
          ),
        ]),
    ...(acts.length > SHOWN_MAX ? [say("rehearsal.more", { count: acts.length - SHOWN_MAX })] : []),
    say("rehearsal.unknown"),
  ];
}
