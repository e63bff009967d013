/** Owns what hangs on the type of an order. Apart from the schemas, as pages in a browser ask it too. */
/** A type that is added here turns red whatever has to decide about it. */
export const ORDER_TYPES = ["limit", "market"] as const;

export type OrderType = (typeof ORDER_TYPES)[number];

interface OrderTraits {
  /** It has a price, which it does not go beyond. */
  readonly isPriced: boolean;
  /** May leave in the book what is not filled at once; then it may be post-only, too. */
  readonly mayRest: boolean;
  /** Its size may be an amount of the quote. */
  readonly takesAmount: boolean;
}

/** Answers what is asked of an order's type, wherever something hangs on it. Source: service.md#order-combinations. */
export const ORDER_TRAITS: Readonly<Record<OrderType, OrderTraits>> = {
  limit: { isPriced: true, mayRest: true, takesAmount: false },
  market: { isPriced: false, mayRest: false, takesAmount: true },
};
