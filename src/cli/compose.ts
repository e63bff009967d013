/**
 * The only place that wires the parts together: settings, exchange, client, store and desk.
 *
 * Nothing is opened before it is asked for, by `open` or by the first use of the desk: a server answers `tools/list` at once, and
 * a process that a client only starts to look at leaves no trace.
 */
import { randomBytes } from "node:crypto";
import type { Home, Profile } from "../config/index.ts";
import { prepareHome } from "../config/index.ts";
import { LIMITS } from "../contract/index.ts";
import type { AuditLog, Desk, IntentBody, IntentState, Journal, Venue } from "../desk/index.ts";
import { deferredDesk } from "./deferred-desk.ts";
import { PaperExchange, type PaperExchangeOptions } from "./paper-exchange.ts";
import { systemClock } from "./system-clock.ts";

export interface ComposeOptions {
  readonly home: Home;
  readonly profile: Profile;
  /** Whether this process stays, and takes over the paper exchange when its host ends. */
  readonly standBy: boolean;
  readonly exchangePort?: number;
  readonly onNotice?: (message: string) => void;
}

export interface Composition {
  /** Its methods open everything first. */
  readonly desk: Desk;
  /** Opens store and exchange, once; rejects with what to tell the person. */
  open(): Promise<void>;
  /** Whether the end has begun: the desk may then fail in the middle of a step. */
  readonly closing: boolean;
  /** Base URL of the exchange traded on. */
  exchangeUrl(): Promise<string>;
  close(): Promise<void>;
}

/** Store patience and lease. A call may take as long as a write may; a killed holder costs the others this long at most. */
const LANE_PATIENCE_MS = 3_000;
const LANE_LEASE_MS = 3_000;

export function compose(options: ComposeOptions): Composition {
  const { profile, home } = options;
  const paper = profile.baseUrl === undefined ? new PaperExchange(paperOptions(options)) : undefined;
  const locate = (): Promise<string> => (paper === undefined ? Promise.resolve(profile.baseUrl ?? "") : paper.locate());
  const closers: (() => Promise<void> | void)[] = [];
  let opening: Promise<Desk> | undefined;
  let closing = false;
  const opened = (): Promise<Desk> => {
    opening ??= openParts(options, locate, paper, closers);
    return opening;
  };
  return {
    desk: deferredDesk(opened, { environment: profile.environment, profile: profile.name }),
    open: async () => {
      await opened();
    },
    exchangeUrl: locate,
    get closing() {
      return closing;
    },
    close: async () => {
      closing = true;
      await opening?.catch(() => undefined);
      for (const close of closers.reverse()) await close();
      await paper?.close();
    },
  };

  function paperOptions({ standBy, exchangePort, onNotice }: ComposeOptions): PaperExchangeOptions {
    return {
      dir: home.sandbox,
      standBy,
      ...(exchangePort === undefined ? {} : { preferredPort: exchangePort }),
      ...(onNotice === undefined ? {} : { onNotice }),
    };
  }
}

async function openParts(
  { home, profile }: ComposeOptions,
  locate: () => Promise<string>,
  paper: PaperExchange | undefined,
  closers: (() => Promise<void> | void)[],
): Promise<Desk> {
  prepareHome(home);
  const [{ openStore }, { OpenApiClient }, { createDesk, createIds }] = await Promise.all([
    import("../store/index.ts"),
    import("../client/index.ts"),
    import("../desk/index.ts"),
  ]);
  const store = await openStore<IntentState, IntentBody>(
    { path: home.database },
    { clock: systemClock, random: Math.random },
  );
  closers.push(() => store.close());
  if (paper !== undefined) await paper.locate();
  const key = paper?.key();
  const credentials =
    key ??
    (profile.credentials && {
      apiKey: profile.credentials.apiKey,
      apiSecret: () => profile.credentials?.apiSecret.reveal() ?? "",
    });
  const client = new OpenApiClient({
    environment: profile.environment,
    baseUrl: profile.baseUrl ?? locate,
    ...(credentials === undefined ? {} : { credentials }),
    lane: store.lane({
      // The tier of a live key is not known to us, so the smallest budget is kept.
      limits: {
        callsPerSecond: LIMITS.callsPerSecond,
        weightPerMinute: paper === undefined ? LIMITS.weightPerMinute.starter : LIMITS.weightPerMinute.pro,
      },
      patienceMs: LANE_PATIENCE_MS,
      leaseMs: LANE_LEASE_MS,
    }),
    clock: systemClock,
    nonceFence: profile.nonceFence,
  });
  closers.push(() => client.close());
  const venue: Venue = client;
  const journal: Journal = store.journal;
  const audit: AuditLog = store.audit;
  return createDesk({
    venue,
    journal,
    audit,
    clock: systemClock,
    ids: createIds(systemClock, randomBytes),
    profile: profile.name,
    scope: scopeOf(profile, credentials?.apiKey),
    ...(profile.compliance === undefined ? {} : { compliance: profile.compliance }),
  });
}

/**
 * Where the intents of one exchange end and another's begin. Account ids of live exchanges are unique at their host. Sandboxes
 * come and go on this machine's ports with the same account id, each with a key of its own.
 */
function scopeOf({ environment, baseUrl }: Profile, keyId: string | undefined): string {
  const host = baseUrl === undefined ? "embedded" : new URL(baseUrl).hostname;
  return environment === "live" ? `live/${host}` : `sandbox/${host}/${keyId ?? "no-key"}`;
}
