/**
 * What the exchange's card says that an order cannot be there: told before anything is recorded, with what to send in its place.
 *
 * Source: decision 0092.
 */
import { type Fault, localFault, type Market, ORDER_TRAITS, type VenueCard } from "../../contract/index.ts";
import type { OrderRequest } from "../model/intent.ts";

/** @returns each problem by itself; none at an exchange that has all that hoga can ask for */
export function checkCard(card: VenueCard, { quote }: Market, request: OrderRequest): readonly Fault[] {
  const { type, side, base_volume, quote_amount, post_only, time_in_force: lifetime } = request;
  const { en: title } = card.title;
  const found: Fault[] = [];
  const lacks = (field: string, message: string): number =>
    found.push(localFault("ELocal:Invalid input", { field, message: `${title} ${message}` }));
  const isMarket = ORDER_TRAITS[type].takesAmount;
  if (!card.types.includes(type)) lacks("type", `has no ${type} orders`);
  const by = side === "buy" ? card.market_buy_by : card.market_sell_by;
  if (isMarket && by === "cost" && base_volume !== undefined)
    lacks("base_volume", `takes a market ${side} as an amount of ${quote}: give quote_amount in place of base_volume`);
  if (isMarket && by === "volume" && quote_amount !== undefined)
    lacks("quote_amount", `takes a market ${side} as coins: give base_volume in place of quote_amount`);
  const lifetimes = card.time_in_force[isMarket ? "market" : "limit"];
  if (lifetime !== undefined && !lifetimes.includes(lifetime))
    lacks("time_in_force", `has no ${lifetime} for ${type} orders: it takes ${lifetimes.join(", ")}`);
  if (post_only === true && card.post_only === "none") lacks("post_only", "has no post-only orders: leave it out");
  return found;
}
