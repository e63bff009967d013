/**
 * A plan as it holds now. Of an oco that begins with a buy that is what was fixed when the buy had ended, over what it had bought; before that it holds nothing.
 *
 * Invariant: whatever reads volume or prices of a plan that runs reads them of `inForce`.
 *
 * Source: decision 0124.
 */
import { type AfterBuy, isProtection, type OcoTerms, type PlanRecord, type PlanTerms } from "./plan.ts";

type Standing = Pick<PlanRecord, "terms" | "progress">;

type AfterTerms = OcoTerms & { readonly after: AfterBuy };

/** Tells whether the buy that it begins with has not ended: it protects nothing yet. */
export function waitsForBuy({ terms, progress }: Standing): boolean {
  return isAfterBuy(terms) && progress.begins === undefined;
}

export function isAfterBuy(terms: PlanTerms): terms is AfterTerms & PlanTerms {
  return terms.kind === "oco" && terms.after !== undefined;
}

/** The same plan, with the volume and the prices that hold; without `after` once it has begun. */
export function inForce<Plan extends Standing>(plan: Plan): Plan {
  const { terms, progress } = plan;
  const { begins } = progress;
  if (!isAfterBuy(terms) || begins === undefined) return plan;
  const { after: _after, floorPrice: _floor, ...kept } = terms;
  const { volume, stopPrice, takePrice, floorPrice } = begins;
  const held: PlanTerms = {
    ...{ ...kept, volume, takePrice },
    stop: stopPrice === undefined ? terms.stop : { stopPrice },
    ...(floorPrice !== undefined && { floorPrice }),
  };
  return { ...plan, terms: held };
}

/** Tells whether it protects coins now. */
export function protectsNow(plan: Standing): boolean {
  return isProtection(plan.terms) && !waitsForBuy(plan);
}
