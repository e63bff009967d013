/**
 * The only place that wires the parts together: settings, exchange, client, store and desk.
 *
 * Nothing is opened before it is asked for, by `open` or by the first use of the desk: a server answers `tools/list` at once, and
 * a process that a client only starts to look at leaves no trace.
 */
import { randomBytes } from "node:crypto";
import type { CredentialOptions } from "../client/index.ts";
import type { Credentials, Home, Profile } from "../config/index.ts";
import { hasTransfers, homeOf, loadProfile, policySource, prepareHome, scrubber } from "../config/index.ts";
import { LIMITS, streamUrl } from "../contract/index.ts";
import type { Desk, DeskParts, IntentBody, IntentState, TransferBody, TransferState } from "../desk/index.ts";
import type { LaneSettings, Store } from "../store/index.ts";
import { type BrakeStep, type DesklessBrake, deferredDesk } from "./deferred-desk.ts";
import { unwrap } from "./failure.ts";
import { problemOf, pullBrake } from "./home-brake.ts";
import type { Invocation } from "./invocation.ts";
import { PaperExchange, type PaperExchangeOptions } from "./paper-exchange.ts";
import { storeless } from "./storeless.ts";

export interface ComposeOptions {
  readonly home: Home;
  readonly profile: Profile;
  /** Whether this process stays, and takes over the paper exchange when its host ends. */
  readonly standBy: boolean;
  readonly exchangePort?: number;
  readonly onNotice?: (message: string) => void;
  /** Told in a sentence when the paper exchange hosted here fails, and when it works again. */
  readonly onTrouble: (message: string) => void;
}

export interface Composition {
  /** Its methods open everything first. */
  readonly desk: Desk;
  /** Opens store and exchange, once; rejects with what to tell the person. */
  open(): Promise<void>;
  /** The store alone, without any exchange: for the log, the PIN and the brake. */
  store(): Promise<DeskStore>;
  /** Whether the end has begun: the desk may then fail in the middle of a step. */
  readonly closing: boolean;
  /** Base URL of the exchange traded on. */
  exchangeUrl(): Promise<string>;
  close(): Promise<void>;
}

export type DeskStore = Store<IntentState, IntentBody, TransferState, TransferBody>;

/** Store patience and lease. A call may take as long as a write may; a killed holder costs the others this long at most. */
const LANE_PATIENCE_MS = 3_000;
const LANE_LEASE_MS = 3_000;

export function compose(options: ComposeOptions): Composition {
  const { profile, home } = options;
  const paper = profile.baseUrl === undefined ? new PaperExchange(paperOptions(options)) : undefined;
  const locate = (): Promise<string> => (paper === undefined ? Promise.resolve(profile.baseUrl ?? "") : paper.locate());
  const closers: (() => Promise<void> | void)[] = [];
  let opening: Promise<Desk> | undefined;
  let storeOpening: Promise<DeskStore> | undefined;
  const ending = new AbortController();
  const store = (): Promise<DeskStore> => {
    storeOpening ??= openHomeStore(home, closers);
    return storeOpening;
  };
  const opened = (): Promise<Desk> => {
    opening ??= openParts(options, { store, locate, paper, closers, ending: ending.signal });
    return opening;
  };
  return {
    desk: deferredDesk(opened, { environment: profile.environment, profile: profile.name }, brakeOf()),
    open: async () => {
      await opened();
    },
    exchangeUrl: locate,
    store,
    get closing() {
      return ending.signal.aborted;
    },
    close: async () => {
      ending.abort();
      await opening?.catch(() => undefined);
      await storeOpening?.catch(() => undefined);
      for (const close of closers.reverse()) await close();
      await paper?.close();
    },
  };

  function brakeOf(): DesklessBrake {
    return {
      stays: options.standBy,
      pull: (record) => pullBrake(home, record, async () => (await store()).killSwitch),
      release: async () => unwrap(await (await store()).killSwitch.release()),
      note: (step, atMs) => noteStep(step, atMs, store),
      desk: async (record) => {
        const why = await store().then(
          () => undefined,
          (error: unknown) => ({ error }),
        );
        if (why === undefined) return undefined;
        const parts = async (): Promise<OpenedParts> => storeless(why.error, record);
        return openParts(options, { store: parts, locate, paper, closers, ending: ending.signal });
      },
    };
  }

  function paperOptions({ standBy, exchangePort, onNotice, onTrouble }: ComposeOptions): PaperExchangeOptions {
    return {
      dir: home.sandbox,
      standBy,
      onTrouble,
      sandbox: { drafts: hasTransfers(profile) },
      ...(exchangePort === undefined ? {} : { preferredPort: exchangePort }),
      ...(onNotice === undefined ? {} : { onNotice }),
    };
  }
}

/** For a command that ends. @param named the profile, or its name; undefined for that of the settings */
export function composeCommand({ env, out }: Invocation, named: Profile | string | undefined): Composition {
  const home = homeOf(env);
  const profile = typeof named === "object" ? named : loadProfile(home, env, named);
  return compose({ home, profile, standBy: false, onTrouble: (message) => out.notice(message) });
}

/** Without a lane, as without a store, the calls of this process are numbered in memory. */
type OpenedParts = Pick<DeskParts, "journal" | "audit" | "killSwitch" | "timers" | "seal"> &
  Partial<Pick<DeskStore, "lane" | "transfers">>;

interface Opening {
  readonly store: () => Promise<OpenedParts>;
  readonly locate: () => Promise<string>;
  readonly paper: PaperExchange | undefined;
  readonly closers: (() => Promise<void> | void)[];
  /** Fires when what is being opened is not wanted any more. */
  readonly ending: AbortSignal;
}

async function openParts(
  { home, profile, standBy }: ComposeOptions,
  { store: openedStore, locate, paper, closers, ending }: Opening,
): Promise<Desk> {
  // First of all, as a command of a password manager may fail: then nothing was opened or made.
  const own = await profile.credentials?.(ending);
  prepareHome(home);
  const [
    store,
    { TransferClient, OpenApiClient, Stream, TradingApiClient, systemClock },
    { createDesk, createIds, defaultPolicy },
    { StreamFacts },
  ] = await Promise.all([
    openedStore(),
    import("../client/index.ts"),
    import("../desk/index.ts"),
    import("./live-facts.ts"),
  ]);
  if (paper !== undefined) await paper.locate();
  const credentials = paper?.key() ?? (own && revealed(own));
  const ApiClient = profile.api === "trading" ? TradingApiClient : OpenApiClient;
  const settings = {
    environment: profile.environment,
    baseUrl: profile.baseUrl ?? locate,
    ...(credentials === undefined ? {} : { credentials }),
    ...(store.lane === undefined ? {} : { lane: store.lane(laneSettings(paper !== undefined)) }),
    clock: systemClock,
    nonceFence: profile.nonceFence,
    redact,
  };
  const client = new ApiClient(settings);
  closers.push(() => client.close());
  // Whatever the modules are: what was once sent has to be settled, also when they are switched off again.
  const transfers = store.transfers && new TransferClient(settings);
  if (transfers !== undefined) closers.push(() => transfers.close());
  // Not worth a connection to a process that ends with its one question.
  const url = async (): Promise<string> => streamUrl(await locate());
  const reader = credentials === undefined ? {} : { reader: client };
  const live = standBy ? new StreamFacts(() => new Stream({ url, ...reader, redact }), systemClock) : undefined;
  const { journal, audit, killSwitch, timers, seal } = store;
  const desk = createDesk({
    venue: client,
    journal,
    audit,
    killSwitch,
    timers,
    seal,
    policy: policySource(home.policy, (given) => defaultPolicy(profile.environment, given)),
    ...(live === undefined ? {} : { stream: live }),
    clock: systemClock,
    ids: createIds(systemClock, randomBytes),
    profile: profile.name,
    scope: scopeOf(profile, client.keyId),
    ...(profile.compliance === undefined ? {} : { compliance: profile.compliance }),
    ...(store.transfers && transfers ? { transfers: { venue: transfers, journal: store.transfers } } : {}),
  });
  closers.push(() => desk.flush());
  if (live !== undefined) closers.push(() => live.close());
  // A process that stays sees to it every second.
  if (!standBy) await desk.fireDueTimer();
  return desk;
}

/** An exchange that quotes our secrets is not quoted: not in the store either. */
function redact<T>(value: T): T {
  return scrubber.value(value);
}

function laneSettings(isPaper: boolean): LaneSettings {
  return {
    // The tier of a live key is not known to us, so the smallest budget is kept.
    limits: {
      callsPerSecond: LIMITS.callsPerSecond,
      weightPerMinute: isPaper ? LIMITS.weightPerMinute.pro : LIMITS.weightPerMinute.starter,
    },
    patienceMs: LANE_PATIENCE_MS,
    leaseMs: LANE_LEASE_MS,
  };
}

/** What the desk would have written, had it opened. */
function noteStep(step: BrakeStep, atMs: number, store: () => Promise<DeskStore>): Promise<unknown> {
  return problemOf(async () => unwrap(await (await store()).audit.append({ ...step, account: "unknown" }, atMs)));
}

export async function openHomeStore(home: Home, closers: (() => Promise<void> | void)[]): Promise<DeskStore> {
  prepareHome(home);
  const [{ openStore }, { systemClock }] = await Promise.all([
    import("../store/index.ts"),
    import("../client/index.ts"),
  ]);
  const store = await openStore<IntentState, IntentBody, TransferState, TransferBody>(
    { path: home.database },
    { clock: systemClock, random: Math.random, redact: (text) => scrubber.text(text) },
  );
  closers.push(() => store.close());
  return store;
}

/** The secret itself is taken up anew for every signature. */
function revealed({ apiKey, apiSecret }: Credentials): CredentialOptions {
  return { apiKey: apiKey.reveal(), apiSecret: () => apiSecret.reveal() };
}

/**
 * Where the intents of one exchange end and another's begin. Account ids of live exchanges are unique at their host. Sandboxes
 * come and go on this machine's ports with the same account id, each with a key of its own.
 */
function scopeOf({ environment, baseUrl }: Profile, keyId: string | undefined): string {
  const host = baseUrl === undefined ? "embedded" : new URL(baseUrl).hostname;
  return environment === "live" ? `live/${host}` : `sandbox/${host}/${keyId ?? "no-key"}`;
}
