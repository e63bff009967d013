/**
 * The sandbox of the HTTP tests, called over the Trading API.
 */
import type { SandboxOptions } from "../../../src/sandbox/index.ts";
import type { KeyRecord } from "../../../src/sandbox/model/index.ts";
import { openVenue, type Venue } from "../http/venue.ts";
import { TradingCaller } from "./trading-caller.ts";

export interface TradingVenue {
  readonly venue: Venue;
  /** 10,000,000 KRW. */
  readonly paper: TradingCaller;
  /** 1,000,000,000 KRW and 10 BTC. */
  readonly maker: TradingCaller;
  addKey(key?: Partial<KeyRecord>): TradingCaller;
}

export async function openTrading(options: SandboxOptions = {}): Promise<TradingVenue> {
  const venue = await openVenue(options);
  const caller = ({ baseUrl, credentials }: Venue["paper"]): TradingCaller => new TradingCaller(baseUrl, credentials);
  return {
    venue,
    paper: caller(venue.paper),
    maker: caller(venue.maker),
    addKey: (key) => caller(venue.addKey(key)),
  };
}
