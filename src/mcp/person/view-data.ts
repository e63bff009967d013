/** Gives a view in the chat all that it gets, as types: the results of its tools, and what goes with them to the view alone. */
import type { Locale, Reader } from "../../words/index.ts";

export type {
  BookView,
  Estimate,
  PortfolioAsset,
  PortfolioView,
  Preview,
  ReportedError,
  WriteReport,
} from "../../desk/index.ts";

/** Tells of a result that was too large: what is left out, and how to get it. */
export interface Shortened {
  readonly shortened?: string;
}

/** What a person reads of a plan, in one language. */
export interface PlanCard {
  readonly kind: string;
  readonly state: string;
  /** Each under its name. */
  readonly figures: readonly (readonly [name: string, value: string])[];
  /** What a person is asked, line by line; where nobody is, what the plan does, and what is known against it. */
  readonly lines: readonly string[];
}

/** All that the view of a plan shows: nothing that a yes could be made of. */
export interface PlanSheet extends Readonly<Record<Locale, PlanCard>> {
  /** Null of a preview. */
  readonly planId: string | null;
  readonly symbol: string | null;
  /** Tells whether the lines are a question that waits for a person. */
  readonly isAsked: boolean;
}

/** In the `_meta` of a result. */
export interface ViewMeta {
  /** Whom the view speaks to. */
  readonly "hoga/reader"?: Reader;
  /** Holds, of a preview, what the call of the ticket's button carries in its own `_meta`. */
  readonly "hoga/ticket"?: string;
  readonly "hoga/plan"?: PlanSheet;
}
