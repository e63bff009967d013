/**
 * The API families that the sandbox serves: its own, or that of another exchange, whose paths would meet them. The last one also answers
 * malformed requests, and those that belong to no family. Entry points: `familiesOf`, `VENUES`.
 */
import { aliasFamily } from "./families/alias/alias-family.ts";
import { BITHUMB } from "./families/bithumb/bithumb-family.ts";
import { COINONE } from "./families/coinone/coinone-family.ts";
import { KORBIT } from "./families/korbit/korbit-family.ts";
import { openFamily } from "./families/open/open-family.ts";
import { streamFamily } from "./families/stream/stream-family.ts";
import { tradingFamily } from "./families/trading/trading-family.ts";
import { transferFamily } from "./families/transfers/transfer-family.ts";
import { UPBIT } from "./families/upbit/upbit-family.ts";
import type { Family } from "./http/family.ts";
import type { MarketRule } from "./model/index.ts";
import { referenceFamily } from "./reference/reference-family.ts";
import type { Service } from "./service/service.ts";

interface VenueOptions {
  /** The sandbox's own; undefined for one in memory. */
  readonly dir: string | undefined;
  readonly variant: string | undefined;
}

/** Another exchange whose API the sandbox can speak. */
interface Venue {
  /** Those of a new exchange. */
  readonly markets: readonly MarketRule[];
  readonly streamPath: string;
  /** Where what is known of it differs, its family can be the one or the other; the first unless said otherwise. */
  readonly variants: readonly string[];
  readonly family: (service: Service, options: VenueOptions) => Family;
  /** Lists the markets to anybody; as at Upbit unless said otherwise. */
  readonly marketsPath?: string;
  /** The private key, as PEM, that belongs to an API key beside its secret. */
  readonly privateKey?: (apiSecret: string) => string;
}

export type VenueName = "upbit" | "bithumb" | "korbit" | "coinone";

export const VENUES: Readonly<Record<VenueName, Venue>> = {
  upbit: UPBIT,
  bithumb: BITHUMB,
  korbit: KORBIT,
  coinone: COINONE,
};

/** The variants of an exchange whose API is spoken. */
export function variantsOf(name: VenueName): readonly string[] {
  return VENUES[name].variants;
}

/** What a person needs to try an exchange whose API is spoken: where its markets are, and the private key of an API key that has one. */
export function venueAccess(
  name: VenueName,
  apiSecret: string,
): { readonly marketsPath: string; readonly privateKey: string | undefined } {
  const { marketsPath = "/v1/market/all", privateKey } = VENUES[name];
  return { marketsPath, privateKey: privateKey?.(apiSecret) };
}

export const VENUE_NAMES = Object.keys(VENUES) as readonly VenueName[];

/** @param drafts whether the Payment API and the Remittance API are switched on */
export function familiesOf(
  service: Service,
  { drafts = false }: { readonly drafts?: boolean } = {},
): readonly Family[] {
  // The stream comes before the Open API, as its path has the prefix of the Open API.
  return [
    referenceFamily(service),
    tradingFamily(service),
    aliasFamily(service),
    transferFamily(service, drafts),
    streamFamily(service),
    openFamily(service),
  ];
}
