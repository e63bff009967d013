/** Owns which view is open: it stands after the `#` of the address, so that the browser's own back and bookmarks work. */

export const VIEWS = [
  "trade",
  "portfolio",
  "orders",
  "plans",
  "approvals",
  "policy",
  "audit",
  "assistants",
  "settings",
] as const;
export type View = (typeof VIEWS)[number];

export interface Route {
  readonly view: View | "more";
  /** What of it: a market, the id of an order or a plan, or that of what waits. */
  readonly of?: string;
}

/** `#/trade/BTC-KRW`, `#/orders/<id>`; what is no view is the first one. */
export function routeOf(hash: string): Route {
  const [, view = "", rest = ""] = /^#\/(\w+)(?:\/([\w.-]+))?$/.exec(hash) ?? [];
  const of = rest === "" ? {} : { of: view === "trade" ? rest.replace("-", "/") : rest };
  if (view === "more") return { view };
  return { view: VIEWS.find((known) => known === view) ?? "trade", ...of };
}

export function hashOf({ view, of }: Route): string {
  return of === undefined ? `#/${view}` : `#/${view}/${of.replace("/", "-")}`;
}
