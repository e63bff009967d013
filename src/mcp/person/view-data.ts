/** Gives a view in the chat all that it gets, as types: the results of its tools, and what goes with them to the view alone. */
import type { Reader } from "../../words/index.ts";

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

/** In the `_meta` of a result. */
export interface ViewMeta {
  /** Whom the view speaks to. */
  readonly "hoga/reader"?: Reader;
  /** Holds, of a preview, what the call of the ticket's button carries in its own `_meta`. */
  readonly "hoga/ticket"?: string;
}
