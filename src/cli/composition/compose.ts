/**
 * The only place that wires the parts together: settings, exchange, client, store and desk.
 *
 * Nothing is opened before `open` or the first call of a port. So a server answers `tools/list` at once, and a process that a
 * client only starts and ends leaves no trace.
 */
import { randomBytes } from "node:crypto";
import type { Credentials, Home, Profile } from "../../config/index.ts";
import { hasDrafts, loadProfile, policySource, prepareHome, scrubber } from "../../config/index.ts";
import { defined, type FirstUse, LIMITS, onFirstUse, streamUrl } from "../../contract/index.ts";
import {
  createDesk,
  createIds,
  type Desk,
  type DeskParts,
  defaultPolicy,
  type KillSwitchStore,
  missingPin,
  type Terminal,
} from "../../desk/index.ts";
import type { ConsoleAddress, ConsolePasskeys } from "../../passkeys/index.ts";
import type { KeyLane, LaneSettings } from "../../store/index.ts";
import { systemClock } from "../../transport/index.ts";
import {
  type ClientOptions,
  type CredentialOptions,
  cardOf,
  OpenApiClient,
  Stream,
  type StreamOptions,
  TradingApiClient,
  TransferClient,
} from "../../venues/index.ts";
import { commandLine } from "../command-line.ts";
import type { Invocation } from "../invocation.ts";
import { PaperExchange, type PaperExchangeOptions } from "../paper/exchange.ts";
import { accountParts, checkLabel, scopeOf } from "./account-identity.ts";
import { haltHome } from "./home-kill-switch.ts";
import { type DeskStore, openHomeStore } from "./home-store.ts";
import { lazyLane, lazyPort, lazyVenue } from "./lazy-ports.ts";
import { SharedMarketStream } from "./market-stream.ts";
import { isPassing, type Opening, once, onceItOpens, type RepeatedOpening, SOON_MS, within } from "./opening.ts";
import { personParts } from "./person-parts.ts";
import { presenceOf } from "./presence.ts";
import { checkStore } from "./store-check.ts";

export type { DeskStore };

/** What is known of the exchange before it is opened. */
function venueFacts({ environment, absence, api }: Pick<Profile, "environment" | "absence" | "api">) {
  const isTrading = api === "trading";
  return { environment, card: cardOf(absence, { cancel_timer: isTrading }), needsCompliance: isTrading };
}

export interface ComposeOptions {
  readonly home: Home;
  readonly profile: Omit<Profile, "webhookSecrets">;
  /** Says that this process keeps running, and takes over the paper exchange when its host ends. */
  readonly standBy: boolean;
  /** Follows the exchange's stream also where it does not stand by. */
  readonly follows?: boolean;
  /** The whole command line of this program with other words. */
  readonly commandLine: Terminal["command"];
  /** Whose days are meant. */
  readonly timeZone: string;
  readonly exchangePort?: number;
  readonly onNotice?: (message: string) => void;
  /** Called with a sentence when the paper exchange hosted here fails, and when it works again. */
  readonly onTrouble: (message: string) => void;
  /** Hears what the client and the stream tell of themselves, for figures and spans; `port` is put around a port of the store. */
  readonly watch?: Pick<ClientOptions, "onEvent"> &
    Pick<StreamOptions, "onNotice"> & { readonly port?: <Port extends object>(name: string, port: Port) => Port };
}

export interface Composition {
  /** Its ports open what they need. */
  readonly desk: Desk;
  /**
   * Opens store and exchange, once; rejects with an error for the person at the terminal.
   * @param isUrgent for a cancel, which waits for the store for a moment only
   */
  open(isUrgent?: boolean): Promise<void>;
  readonly commandLine: Terminal["command"];
  /** Says what a person has to do before anything that needs them is taken; undefined where there is nothing. */
  missing(): Promise<string | undefined>;
  /** The store alone, without any exchange: for the log, the PIN and the kill switch. */
  store(): Promise<DeskStore>;
  /** Says where passkeys are asked for, once the console is served. */
  consoleAddress(): ConsoleAddress;
  consolePasskeys(): Promise<ConsolePasskeys>;
  /** Tells that it is being closed: the desk may then fail in the middle of a step. */
  readonly closing: boolean;
  /** Base URL of the exchange traded on. */
  exchangeUrl(): Promise<string>;
  close(): Promise<void>;
}

/** Bounds how long a call waits for the lane: as long as a write may take. A process that was killed holds up the others for one lease. */
const LANE_WAIT_MAX_MS = 3_000;
const LANE_LEASE_MS = 3_000;

const PRESENCE = presenceOf(Date.now());

export function compose(options: ComposeOptions): Composition {
  const { profile, home, standBy, watch } = options;
  const ending = new AbortController();
  const closers: (() => Promise<void> | void)[] = [];
  const paper = profile.baseUrl === undefined ? new PaperExchange(paperOptions(options)) : undefined;
  const exchangeUrl = async (): Promise<string> => (await paper?.locate()) ?? profile.baseUrl ?? "";
  const credentials = once(async () => profile.credentials?.(ending.signal));
  const store = onceItOpens(
    () => openChecked(options, ending.signal, closers),
    () => options.onTrouble("The store is open now, and orders leave."),
  );
  const exchange = onceItOpens(() => openExchange(options, { credentials, store, exchangeUrl, paper, closers }));
  // Without its key nothing is opened or created, except for a halt.
  const keyedStore = async (): Promise<DeskStore> => {
    await credentials();
    return store();
  };
  let opened: Exchange | undefined;
  const client = async (): Promise<Exchange["client"]> => {
    opened = await exchange();
    return opened.client;
  };
  const venue = lazyVenue(client, () => opened?.client, venueFacts(profile));
  const accounts = lazyPort<DeskStore["accounts"]>(async () => (await keyedStore()).accounts);
  const ofAccount = accountParts(profile, () => opened?.client, { accounts, clock: systemClock });
  const hasKey = (paper ?? profile.credentials) !== undefined;
  // A process that ends with its one command does not need a connection, unless that is to follow the market.
  const stream = standBy || options.follows === true ? streamOf(exchangeUrl, { hasKey, client, watch }) : undefined;
  const { consoleAddress, consolePasskeys, ...person } = personParts(options, store, ofAccount.isPractice);
  const desk = createDesk({
    venue,
    ...storePorts(home, { store, keyed: keyedStore, watch }),
    transfers: {
      venue: lazyPort(async () => (await exchange()).transfers()),
      journal: lazyPort(async () => (await keyedStore()).transfers),
    },
    policy: policyOf(options, ofAccount),
    ...{ clock: systemClock, timeZone: options.timeZone, presence: PRESENCE },
    ids: createIds(systemClock, randomBytes),
    ...{ profile: profile.name, unit: profile.unit },
    ...person,
    endsAfterCommand: !standBy,
    get scope() {
      return scopeOf(profile, venue.keyId);
    },
    ...ofAccount,
    ...defined({ compliance: profile.compliance, stream }),
  });
  return {
    ...{ desk, consoleAddress, consolePasskeys },
    commandLine: options.commandLine,
    missing: () => missingOn(ofAccount.isPractice(), person.terminal),
    exchangeUrl,
    store,
    open: async (isUrgent = false) => {
      await openParts(options, isUrgent ? () => within(SOON_MS, keyedStore()) : keyedStore, client);
      // A process that keeps running checks the timer every second.
      if (!standBy) await desk.fireDueTimer();
    },
    get closing() {
      return ending.signal.aborted;
    },
    close: async () => {
      ending.abort();
      // What did not open takes nothing.
      if (await hasOpened(exchange, store)) await desk.flush();
      for (const close of [() => stream?.close(), ...closers.reverse(), () => paper?.close()]) await close();
    },
  };
}

/** Waits for both for a moment. @returns whether the store was opened, or nobody wanted it */
async function hasOpened(exchange: Opening<unknown>, store: Opening<unknown>): Promise<boolean> {
  const begun = await within(SOON_MS, Promise.allSettled([exchange.begun(), store.begun()]));
  return begun?.[1].status === "fulfilled";
}

/** Looks, where it keeps running, at what it has opened, while it works; the store is closed after that. */
async function openChecked(
  { home, standBy, onTrouble }: ComposeOptions,
  signal: AbortSignal,
  closers: (() => Promise<void> | void)[],
): Promise<DeskStore> {
  const store = await openHomeStore(home, closers, onTrouble, standBy);
  if (!standBy) return store;
  const onError = (error: unknown): void => {
    if (!signal.aborted) onTrouble(`The store could not be looked at. ${String(error)}`);
  };
  const now = (): number => systemClock.now();
  const looking = checkStore(home, store, { signal, now, onTrouble }).catch(onError);
  closers.push(() => looking);
  return store;
}

/**
 * On a full disk, and while the store's server is out of reach, looks, cancels and the kill switch go on without the store, whose ports refuse the rest. The exchange on paper is on the same
 * disk: a server waits for it, and a command can do nothing without it.
 */
async function openParts(
  { standBy, onTrouble }: ComposeOptions,
  store: () => Promise<unknown>,
  client: () => Promise<unknown>,
): Promise<void> {
  const goOn = (error: unknown): void => {
    if (!(error instanceof Error && isPassing(error))) throw error;
    onTrouble(`${error.message} No order leaves until the store is open.`);
  };
  await store().catch(goOn);
  if (standBy) await client().catch(goOn);
  else await client();
}

/** Leaves what the file says nothing of as cautious as where money may be real. */
function policyOf(
  { home, profile: { unit } }: Pick<ComposeOptions, "home" | "profile">,
  { isPractice }: Required<Pick<DeskParts, "isPractice">>,
): DeskParts["policy"] {
  return policySource(home.policy, unit, (given) =>
    defaultPolicy(isPractice() === true ? "sandbox" : "live", given, unit),
  );
}

interface StreamSettings {
  readonly watch: ComposeOptions["watch"] | undefined;
  /** Tells whether there is a key; without one there are only public channels. */
  readonly hasKey: boolean;
  readonly client: () => Promise<Exchange["client"]>;
}

function streamOf(exchangeUrl: () => Promise<string>, { hasKey, client, watch }: StreamSettings): SharedMarketStream {
  const url = async (): Promise<string> => streamUrl(await exchangeUrl());
  const optional = defined({ reader: hasKey ? lazyPort(client) : undefined, onNotice: watch?.onNotice });
  return new SharedMarketStream(() => new Stream({ url, redact, ...optional }), systemClock);
}

/** @param isPracticed undefined while the exchange was not asked: then nothing is said yet */
async function missingOn(isPracticed: boolean | undefined, terminal: Terminal): Promise<string | undefined> {
  const fault = await missingPin({ isPractice: isPracticed !== false, terminal });
  return fault && `${fault.message} ${fault.nextAction}`;
}

interface StoreOpening {
  readonly store: () => Promise<DeskStore>;
  /** Opens the store once the key is there. */
  readonly keyed: () => Promise<DeskStore>;
  readonly watch: ComposeOptions["watch"] | undefined;
}

/** The desk's ports of the store. */
function storePorts(
  home: Home,
  { store, keyed, watch }: StoreOpening,
): Pick<DeskParts, "journal" | "audit" | "fills" | "vouchedSinceMs" | "killSwitch" | "timers" | "seal"> {
  const journal = lazyPort<DeskStore["journal"]>(async () => (await keyed()).journal);
  const killSwitch = lazyPort<KillSwitchStore>(async () => (await store()).killSwitch);
  return {
    journal: watch?.port?.("journal", journal) ?? journal,
    audit: lazyPort(async () => (await store()).audit),
    fills: lazyPort(async () => (await keyed()).fills),
    vouchedSinceMs: async () => (await keyed()).vouchedSinceMs(),
    killSwitch: {
      state: () => killSwitch.state(),
      engage: (record, soon) => haltHome(home, record, killSwitch, soon),
      spread: () => killSwitch.spread(),
      release: () => killSwitch.release(),
    },
    timers: lazyPort(async () => (await keyed()).timers),
    seal: lazyPort(async () => (await keyed()).seal),
  };
}

/**
 * For a command that ends.
 * @param named the profile, or its name; undefined for that of the settings
 * @param follows whether it follows the market until then
 */
export function composeCommand(run: Invocation, named: Profile | string | undefined, follows = false): Composition {
  const { env, out, home } = run;
  const profile = typeof named === "object" ? named : loadProfile(home, env, named);
  return compose({
    home,
    profile,
    standBy: false,
    follows,
    timeZone: run.words.timeZone,
    commandLine: commandLine(run, { ...profile, tenant: home.tenant?.name }),
    onTrouble: (message) => out.notice(message),
  });
}

interface Exchange {
  readonly client: OpenApiClient | TradingApiClient;
  readonly transfers: FirstUse<TransferClient>;
}

interface ExchangeParts {
  readonly credentials: () => Promise<Credentials | undefined>;
  readonly store: RepeatedOpening<DeskStore>;
  readonly exchangeUrl: () => Promise<string>;
  readonly paper: PaperExchange | undefined;
  readonly closers: (() => Promise<void> | void)[];
}

async function openExchange(
  { home, profile, watch, onTrouble }: ComposeOptions,
  { credentials: openKey, store, exchangeUrl, paper, closers }: ExchangeParts,
): Promise<Exchange> {
  // First of all: where the password manager's command fails, nothing was opened or created.
  const key = await openKey();
  prepareHome(home);
  for (const notice of profile.notices ?? []) onTrouble(notice);
  // A cancel is sent also without a store, which may open later.
  const isOpen = (await store.soon().catch(() => undefined)) !== undefined;
  await paper?.locate();
  const credentials = paper?.key() ?? (key && revealed(key));
  const openLane = once(async () => (await store()).lane(laneSettings(profile, paper !== undefined)));
  const laneOf = async (keyId: string, isUrgent: boolean): Promise<KeyLane | undefined> => {
    const opened = await (isUrgent ? store.soon() : store()).catch(() => undefined);
    if (opened === undefined) return undefined;
    await checkLabel(opened.accounts, profile, keyId);
    return openLane();
  };
  const settings: ClientOptions = {
    environment: profile.environment,
    baseUrl: profile.baseUrl ?? exchangeUrl,
    clock: systemClock,
    absence: profile.absence,
    redact,
    lane: lazyLane(laneOf),
    ...defined({ credentials, onEvent: watch?.onEvent }),
  };
  const client = profile.api === "trading" ? new TradingApiClient(settings) : new OpenApiClient(settings);
  // Whatever the modules are: what was sent is settled also after they were switched off.
  const transfers = onFirstUse(() => new TransferClient(settings));
  closers.push(
    () => client.close(),
    () => transfers.made()?.close(),
  );
  if (client.keyId !== undefined && isOpen) await laneOf(client.keyId, false);
  return { client, transfers };
}

function paperOptions({
  home,
  profile,
  standBy,
  exchangePort,
  onNotice,
  onTrouble,
}: ComposeOptions): PaperExchangeOptions {
  return {
    dir: home.sandbox,
    standBy,
    onTrouble,
    sandbox: { drafts: hasDrafts(profile), usdt: profile.unit === "USDT" },
    ...defined({ preferredPort: exchangePort, onNotice }),
  };
}

/** Takes our secrets out of what an exchange quotes of them, before it is kept or shown. */
function redact<T>(value: T): T {
  return scrubber.value(value);
}

function laneSettings({ tier }: Pick<Profile, "tier">, isPaper: boolean): LaneSettings {
  // Where it is not said, the smallest one's limits are kept until the exchange says what the key has.
  const weightPerMinute = LIMITS.weightPerMinute[tier ?? (isPaper ? "pro" : "starter")];
  return {
    limits: {
      callsPerSecond: LIMITS.callsPerSecond,
      weightPerMinute,
      ...(tier === undefined ? {} : { weightAtMost: weightPerMinute }),
    },
    leaseWaitMs: LANE_WAIT_MAX_MS,
    leaseMs: LANE_LEASE_MS,
  };
}

/** The secret itself is revealed for each signature only. */
function revealed({ apiKey, apiSecret }: Credentials): CredentialOptions {
  return { apiKey: apiKey.reveal(), apiSecret: () => apiSecret.reveal() };
}
