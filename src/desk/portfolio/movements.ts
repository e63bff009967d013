/** Owns what a fill moves in an account: one side comes, the other goes, and the fee goes too. Source: service.md#fill. */
import { Fraction } from "../../decimal/index.ts";
import type { LedgerFill } from "../ports/fill-ledger.ts";

interface Movement {
  readonly asset: string;
  /** Negative where it goes. */
  readonly by: Fraction;
}

export function movementsOf({ symbol, side, volume, value, fee, feeCurrency }: LedgerFill): readonly Movement[] {
  const [base = "", quote = ""] = symbol.split("/");
  const [coins, money] = [Fraction.of(volume), Fraction.of(value)];
  const paid = { asset: feeCurrency, by: minus(Fraction.of(fee)) };
  return side === "buy"
    ? [{ asset: base, by: coins }, { asset: quote, by: minus(money) }, paid]
    : [{ asset: base, by: minus(coins) }, { asset: quote, by: money }, paid];
}

function minus(figure: Fraction): Fraction {
  return Fraction.ZERO.minus(figure);
}
