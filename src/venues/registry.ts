/**
 * The exchanges that hoga trades on, by the names of profiles: the only place that lists them. A card is data and always there; the code of an
 * exchange is loaded when a profile names it.
 *
 * Source: decision 0092.
 */
import type { VenueCard } from "../contract/index.ts";
import type {
  AnswerListener,
  ClientListener,
  Redact,
  SenderTimeouts,
  SharedBudgets,
  SteadyClock,
} from "../transport/index.ts";
import { CARD as BITHUMB } from "./bithumb/card.ts";
import type { BithumbVenue } from "./bithumb/venue.ts";
import { CARD as COINONE } from "./coinone/card.ts";
import type { CoinoneVenue } from "./coinone/venue.ts";
import { CARD as HOGA } from "./hoga/card.ts";
import type { OpenApiClient } from "./hoga/open-api-client.ts";
import type { CredentialOptions } from "./hoga/request/credentials.ts";
import type { TradingApiClient } from "./hoga/trading-api-client.ts";
import { CARD as KORBIT } from "./korbit/card.ts";
import type { KorbitVenue } from "./korbit/venue.ts";
import { CARD as UPBIT } from "./upbit/card.ts";
import type { UpbitVenue } from "./upbit/venue.ts";

/** What every exchange is opened with. */
export interface VenueOptions {
  readonly environment: "sandbox" | "live";
  readonly baseUrl: string | (() => Promise<string>);
  readonly credentials?: CredentialOptions;
  /** Names the account, where the exchange does not. */
  readonly account: string;
  readonly clock: SteadyClock;
  readonly redact: Redact;
  readonly onEvent?: ClientListener;
  readonly inspect?: AnswerListener;
  readonly timeouts?: Partial<SenderTimeouts>;
  /** What the processes of a store share of its rates. Default: each counts by itself. */
  readonly budgets?: SharedBudgets;
}

/** What all of them are besides the desk's `Venue`, which they satisfy by shape. */
export type OpenedVenue = OpenApiClient | TradingApiClient | BithumbVenue | CoinoneVenue | KorbitVenue | UpbitVenue;

type Opening = () => Promise<(options: VenueOptions) => OpenedVenue>;

export const CARDS: readonly VenueCard[] = [HOGA, UPBIT, BITHUMB, KORBIT, COINONE];

export const OPENINGS: Readonly<Record<string, Opening>> = {
  coinone: async () => {
    const { CoinoneVenue } = await import("./coinone/venue.ts");
    return (options) => new CoinoneVenue(options);
  },
  upbit: async () => {
    const { UpbitVenue } = await import("./upbit/venue.ts");
    return (options) => new UpbitVenue(options);
  },
  bithumb: async () => {
    const { BithumbVenue } = await import("./bithumb/venue.ts");
    return (options) => new BithumbVenue(options);
  },
  korbit: async () => {
    const { KorbitVenue } = await import("./korbit/venue.ts");
    return (options) => new KorbitVenue(options);
  },
};

/** The sentences of their cards in Korean. */
export const KOREAN: Readonly<Record<string, () => Promise<{ readonly KOREAN: Readonly<Record<string, string>> }>>> = {
  hoga: () => import("./hoga/korean.ts"),
  upbit: () => import("./upbit/korean.ts"),
  bithumb: () => import("./bithumb/korean.ts"),
  korbit: () => import("./korbit/korean.ts"),
  coinone: () => import("./coinone/korean.ts"),
};
