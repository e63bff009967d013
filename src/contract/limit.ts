/**
 * Owns the limits of the service as figures. The sandbox takes them as its defaults, the client paces itself by them, the
 * reference pages print them.
 *
 * Source: service.md#limits, service.md#tiers, service.md#permissions.
 */

/** Tier of a key; sets its weight budget. */
export const TIERS = ["starter", "pro", "enterprise"] as const;
export type Tier = (typeof TIERS)[number];

export const PERMISSIONS = ["query", "trade", "transfer"] as const;
export type Permission = (typeof PERMISSIONS)[number];

export const LIMITS = {
  /** Open API calls per second and key, since 1.1.0. */
  callsPerSecond: 30,
  callsPerSecondBefore110: 20,
  weightPerMinute: { starter: 600, pro: 1200, enterprise: 6000 },
  /** Weight per minute of the public calls from one address. */
  publicWeightPerMinute: 1200,
  pageSizeDefault: 100,
  pageSizeMax: 500,
  bookDepthDefault: 20,
  bookDepthMax: 500,
  candlesMax: 500,
  bodyBytesMax: 64 * 1024,
  openOrdersMax: 1000,
  streamTokenTtlMs: 15 * 60_000,
  /** Bounds how long a live userref stays taken where duplicates are refused. */
  userrefWindowMs: 24 * 3_600_000,
} as const;

/** Response headers with what is left of a limit. Source: service.md#rate-headers. */
export const RATE_HEADERS = {
  limit: "RateLimit-Limit",
  remaining: "RateLimit-Remaining",
  reset: "RateLimit-Reset",
  retryAfter: "Retry-After",
} as const;
