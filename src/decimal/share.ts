/**
 * Owns shares as people say them: "50%" of what there is.
 *
 * Invariants: a share is more than nothing and at most all; its rate is exact.
 */
import { Decimal } from "./arithmetic.ts";
import { Exact, type Rate } from "./exact.ts";
import { PLAIN_DECIMAL } from "./grammar.ts";
import type { Parsed } from "./parsing.ts";
import { quoted } from "./quotation.ts";

const HUNDRED = new Decimal(100);

/** Tells whether the text is meant as a share; whether it is one, `parseShare` says. */
export function isShare(text: unknown): text is string {
  return typeof text === "string" && text.endsWith("%");
}

/** "50%" as the rate 0.5. */
export function parseShare(text: string): Parsed<Rate> {
  const number = text.slice(0, -1);
  const says = 'a share is a plain decimal above 0 and at most 100 with "%", such as "50%"';
  const wrong = {
    ok: false,
    reason: "not_a_share",
    message: `${says} (got ${quoted(text, 40)})`,
  } as const;
  if (!isShare(text) || !PLAIN_DECIMAL.test(number)) return wrong;
  const percent = new Decimal(number);
  if (percent.isZero() || percent.gt(HUNDRED)) return wrong;
  return { ok: true, value: Exact.of("rate", percent.div(HUNDRED)) };
}
