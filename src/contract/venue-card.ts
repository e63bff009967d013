/**
 * What an exchange promises and what it has: its card. Tools, previews and documents read it, and the desk its `absence`.
 *
 * Invariant: constant while a process runs; what stands on no document is listed in `unproven`.
 *
 * Source: decision 0092.
 */

/**
 * Says how an exchange's "not found" can ever prove that a request has no effect, and never will.
 * - `nonce`: it takes no older nonce of a key once it has answered a newer one (service.md#nonce-fence).
 * - `expiry`: a request runs out after `ms`. `engine`: checked where orders match; `gate`: before, so that one which passed may still wait.
 *   `errorMs`: how wrong its clock may be read.
 * - `id`: an id counts once, in that scope. That keeps from doubling and proves no absence.
 * - `none`: it never does.
 */
export type Absence =
  | { readonly by: "nonce" }
  | { readonly by: "expiry"; readonly ms: number; readonly at: "engine" | "gate"; readonly errorMs: number }
  | { readonly by: "id"; readonly scope: "account_forever" | "account" | "open_orders" }
  | { readonly by: "none" };

/** A state that an order can be found in. */
export type LookupState = "open" | "closed" | "canceled";

/** The parts of a key. */
export type KeyPart = "key" | "secret" | "passphrase" | "private_key";

/** What an exchange tells of the key in use. */
export interface KeyFacts {
  /** Its rights, as the exchange calls them; null where it does not tell. */
  readonly permissions: readonly string[] | null;
  /** When it ends; null where that is not told. */
  readonly ends_at: string | null;
}

export interface VenueCard {
  /** As a profile names it. */
  readonly name: string;
  readonly title: { readonly en: string; readonly ko: string };
  /** Of the API; every host below one of them is the exchange's. The first is where it is reached. */
  readonly hosts: readonly string[];
  /** What its markets that hoga trades in are quoted in. */
  readonly quotes: readonly string[];
  readonly auth: {
    readonly scheme: string;
    readonly parts: readonly KeyPart[];
    /** Rights of a key that hoga needs, as the exchange calls them; withdrawing is none of them. */
    readonly permissions: readonly string[];
    readonly ip_allow_list: boolean;
    readonly key_life_days: number | null;
  };
  readonly absence: Absence;
  /** For so long an order may be there before queries show it. */
  readonly visible_after_ms: number;
  /** States in which a look-up by our own id finds an order, and for how many days; null: as long as is known. */
  readonly lookup_finds: readonly LookupState[];
  readonly lookup_retention_days: { readonly [State in LookupState]: number | null };
  readonly client_id: {
    readonly field: string;
    /** `userref`: the name that a caller chose travels. `minted`: an id of hoga's own does, and the caller's stays here. */
    readonly is: "userref" | "minted";
    readonly unique: "account_forever" | "account" | "open_orders" | "none";
    readonly burned_by_refusal: boolean;
  };
  readonly place_answer: "order" | "id";
  readonly types: readonly ("limit" | "market")[];
  readonly time_in_force: {
    readonly limit: readonly string[];
    readonly market: readonly string[];
    /** Of a limit order to sell, where that is not as of one to buy. */
    readonly limit_sell?: readonly string[];
  };
  readonly post_only: "flag" | "tif" | "type" | "none";
  readonly market_buy_by: "cost" | "volume" | "both";
  readonly market_sell_by: "cost" | "volume" | "both";
  /** `one_by_one`: each market's ticks, minimum and fees are asked for by themselves. */
  readonly market_rules: "with_markets" | "one_by_one";
  readonly ticks: "endpoint" | "table" | "static";
  readonly fees: "endpoint" | "assumed";
  readonly cancel_all: "one_call" | "loop_calls" | "loop_orders";
  readonly open_orders: "all" | "per_market";
  readonly history: {
    readonly closed_days: number | null;
    readonly window_days: number | null;
    /** How many days are read where nobody says from when; null: as many as there are. */
    readonly read_days: number | null;
    readonly page: number;
  };
  readonly fills: "list" | "order";
  readonly fee_per_fill: boolean;
  readonly cancel_timer: boolean;
  readonly test_order: boolean;
  readonly stream: "public" | "both" | "none";
  /** In words: so many requests of a kind in a time. */
  readonly rates: readonly string[];
  readonly ban: string | null;
  readonly clock: { readonly window_ms: number | null; readonly source: "endpoint" | "date_header" };
  /** The day on which each level of proof was reached last; null: not yet. L4 and L5 are a person's, with a key. */
  readonly proof: { readonly [Level in "L1" | "L2" | "L3" | "L4" | "L5"]: string | null };
  /** Whole sentences. */
  readonly unproven: readonly string[];
}
