/**
 * Owns the versions of the Open API: which is served, which may be requested, what changed when.
 *
 * Source: service.md#versions, service.md#change-history.
 */

export const OPEN_API_VERSION = "1.4.0";
export const VERSION_HEADER = "API-Version";
/** With the id of the exchange, on every answer of one that deals in paper money. Source: service.md#sandbox-header. */
export const SANDBOX_HEADER = "API-Sandbox";

/** Newest first. Every version here may be requested. */
export const VERSIONS = [
  {
    version: "1.4.0",
    date: "2026-07-20",
    changes:
      "Added GET /v1/orders/{symbol}/{uuid} single trade query. Added MCP tools get_open_orders and cancel_order.",
  },
  {
    version: "1.3.0",
    date: "2026-05-12",
    changes:
      "Added DELETE /v1/orders/batch cancel-all request. Improved precision of the orderbook WebSocket fields tick.buys and tick.asks.",
  },
  {
    version: "1.2.0",
    date: "2026-03-03",
    changes:
      "Released the assistant skill for trading. Added fee and fee_currency to the GET /v1/trades/history response.",
  },
  {
    version: "1.1.0",
    date: "2025-12-15",
    changes:
      "Rate limit raised from 20 to 30 per second. POST /v1/orders accepts amount instead of volume for market orders.",
  },
  {
    version: "1.0.0",
    date: "2025-10-01",
    changes: "First general release: 12 REST endpoints and the WebSocket stream.",
  },
] as const satisfies readonly { readonly version: string; readonly date: string; readonly changes: string }[];

export type ApiVersion = (typeof VERSIONS)[number]["version"];

/** Fields that a version added to an answer or request, and where. */
export const FIELD_ADDED_IN = {
  amount: "1.1.0",
  fee: "1.2.0",
} as const satisfies Record<string, ApiVersion>;

/** Tells whether version `a` is `b` or newer. Versions are compared part by part. */
export function versionAtLeast(a: ApiVersion, b: ApiVersion): boolean {
  return VERSIONS.findIndex((entry) => entry.version === a) <= VERSIONS.findIndex((entry) => entry.version === b);
}
