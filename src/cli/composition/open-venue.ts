/**
 * Opens the exchange that a profile names, with its key, its lane and its stream.
 */
import { hostname } from "node:os";
import type { Credentials, Home, Profile } from "../../config/index.ts";
import { ConfigError, hasDrafts, prepareHome, scrubber } from "../../config/index.ts";
import {
  defined,
  type Fault,
  type FirstUse,
  LIMITS,
  localFault,
  onFirstUse,
  streamUrl,
  type VenueCard,
} from "../../contract/index.ts";
import type { DeskParts } from "../../desk/index.ts";
import type { KeyLane, LaneSettings } from "../../store/index.ts";
import { type Lane, type SharedBudgets, systemClock } from "../../transport/index.ts";
import {
  CARDS,
  type ClientOptions,
  type CredentialOptions,
  cardOf,
  OPENINGS,
  OpenApiClient,
  type OpenedVenue,
  Stream,
  type StreamReader,
  TradingApiClient,
  TransferClient,
  VenueStream,
} from "../../venues/index.ts";
import type { PaperExchange, PaperExchangeOptions } from "../paper/exchange.ts";
import { isFirstToday, triedAt } from "../probe/probe-file.ts";
import { checkLabel } from "./account-identity.ts";
import type { ComposeOptions } from "./compose-options.ts";
import { ownerOf, PLANNED } from "./exchange-hosts.ts";
import type { DeskStore } from "./home-store.ts";
import { lazyLane, lazyPort } from "./lazy-ports.ts";
import { SharedMarketStream } from "./market-stream.ts";
import { once, type RepeatedOpening } from "./opening.ts";

/** Bounds how long a call waits for the lane: as long as a write may take. A process that was killed holds up the others for one lease. */
const LANE_WAIT_MAX_MS = 3_000;
const LANE_LEASE_MS = 3_000;

export interface Exchange {
  readonly client: OpenedVenue;
  readonly transfers: FirstUse<TransferClient>;
}

export interface ExchangeParts {
  readonly credentials: () => Promise<Credentials | undefined>;
  readonly store: RepeatedOpening<DeskStore>;
  readonly exchangeUrl: () => Promise<string>;
  readonly paper: PaperExchange | undefined;
  readonly closers: (() => Promise<void> | void)[];
}

export async function openExchange(options: ComposeOptions, parts: ExchangeParts): Promise<Exchange> {
  return options.profile.exchange === "hoga" ? openHoga(options, parts) : openOther(options, parts);
}

/** An exchange that is not the specified one, by the code that its name stands for. */
async function openOther(
  { home, profile, watch, onTrouble }: ComposeOptions,
  { credentials: openKey, store, exchangeUrl, paper, closers }: ExchangeParts,
): Promise<Exchange> {
  const key = await openKey();
  prepareHome(home);
  for (const notice of profile.notices ?? []) onTrouble(notice);
  const untried = untriedAt(profile, exchangeOf(profile).card, home);
  if (untried !== undefined && isFirstToday(home, profile.exchange, systemClock.now())) onTrouble(untried);
  const { host } = new URL(await exchangeUrl());
  const credentials = paper?.key() ?? (key && revealed(key));
  const budgets = sharedBudgets(() => store.soon(), `${profile.exchange} ${host}`);
  const client = await otherClient(profile, credentials, profile.baseUrl ?? exchangeUrl, { watch, budgets });
  closers.push(() => client.close());
  return { client, transfers: onFirstUse(noTransfers) };
}

/** Says who asks: a process may have opened several. */
let openings = 0;

/**
 * The budgets of an exchange's rates that all processes of the store share.
 * @param of the exchange, and where it is: another place is another exchange
 * Source: decision 0101.
 */
function sharedBudgets(store: () => Promise<Pick<DeskStore, "rates"> | undefined>, of: string): SharedBudgets {
  openings += 1;
  const by = `${hostname()}/${process.pid}/${Math.floor(performance.timeOrigin)}/${openings}`;
  return {
    claim: async (whose, groups, ban) => {
      try {
        const opened = await store();
        const share = await opened?.rates.claim(`${of} ${whose}`, { by, groups, ...defined({ ban }) });
        return share?.ok === true ? share.value : undefined;
      } catch {
        // A store that does not open, or is closed by now: the process's own count holds.
        return undefined;
      }
    },
  };
}

/** Of such an exchange, by itself. @param parts without budgets it keeps nothing on disk */
export async function otherClient(
  { name, exchange, environment, account = name, writeTimeoutMs }: ComposeOptions["profile"],
  credentials: CredentialOptions | undefined,
  baseUrl: string | (() => Promise<string>),
  { watch, budgets }: { readonly watch?: ComposeOptions["watch"]; readonly budgets?: SharedBudgets } = {},
): Promise<OpenedVenue> {
  const open = await OPENINGS[exchange]?.();
  if (open === undefined) throw new Error(`${exchange} has a card and no code`);
  return open({
    ...{ environment, account, clock: systemClock, redact, baseUrl },
    ...defined({ credentials, onEvent: watch?.onEvent, inspect: watch?.inspect }),
    ...defined({ timeouts: timeoutsOf(writeTimeoutMs), budgets }),
  });
}

/** Says nothing of a nonce that counts: the lowest there is, which takes the place of no order's. */
const LOWEST: Lane = {
  enter: async () => ({ nonce: 1n, leave: async () => undefined }),
  pause: async () => undefined,
};

/**
 * The specified exchange, to look at it: without the store there is no nonce that may count. Where the key has been used before, "Invalid nonce" is then the
 * answer to a key and a signature that are right.
 */
export function lookingClient(
  { environment, absence, api }: Pick<Profile, "environment" | "absence" | "api">,
  credentials: CredentialOptions | undefined,
  baseUrl: string,
): OpenApiClient | TradingApiClient {
  const settings: ClientOptions = {
    ...{ environment, baseUrl, absence, clock: systemClock, redact, lane: LOWEST },
    ...defined({ credentials }),
  };
  return api === "trading" ? new TradingApiClient(settings) : new OpenApiClient(settings);
}

function noTransfers(): never {
  throw new ConfigError("This exchange has no payments and no remittances.", "Use a profile of one that has.");
}

async function openHoga(
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
    ...defined({ credentials, onEvent: watch?.onEvent, timeouts: timeoutsOf(profile.writeTimeoutMs) }),
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

/** Of payments and remittances, whose APIs are drafts. */
export function draftPorts(
  exchange: () => Promise<Exchange>,
  store: () => Promise<DeskStore>,
): Required<Pick<DeskParts, "transfers">> {
  return {
    transfers: {
      venue: lazyPort(async () => (await exchange()).transfers()),
      journal: lazyPort(async () => (await store()).transfers),
    },
  };
}

export function paperOptions({
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
    speaks: profile.exchange,
    unmarked: "hoga",
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

/** The whole time counts: none of its parts ends a write before. */
function timeoutsOf(writeMs: number | undefined): ClientOptions["timeouts"] {
  return writeMs === undefined ? undefined : { totalMs: writeMs, headersMs: writeMs };
}

/** The secret itself is revealed for each signature only. */
export function revealed({ apiKey, apiSecret }: Credentials): CredentialOptions {
  return { apiKey: apiKey.reveal(), apiSecret: () => apiSecret.reveal() };
}

/** What is known of the exchange before it is opened. */
export function venueFacts(
  { environment, absence, api, exchange }: Pick<Profile, "environment" | "absence" | "api" | "exchange">,
  card: VenueCard,
) {
  if (exchange !== "hoga") return { environment, card, needsCompliance: false };
  const isTrading = api === "trading";
  return { environment, card: cardOf(absence, { cancel_timer: isTrading }), needsCompliance: isTrading };
}

interface StreamSettings extends Pick<Profile, "exchange"> {
  readonly watch: ComposeOptions["watch"] | undefined;
  /** Tells whether there is a key; without one there are only public channels. */
  readonly hasKey: boolean;
  readonly client: () => Promise<Exchange["client"]>;
}

export function streamOf(
  exchangeUrl: () => Promise<string>,
  { exchange, hasKey, client, watch }: StreamSettings,
): SharedMarketStream {
  if (exchange !== "hoga") {
    const source = async () => {
      const opened = await client();
      if (!("streaming" in opened)) throw new Error("its code has no stream, and its card says that it has");
      return opened.streaming;
    };
    return new SharedMarketStream(
      () => new VenueStream({ source, hasKey, redact, ...defined({ onNotice: watch?.onNotice }) }),
      systemClock,
    );
  }
  const url = async (): Promise<string> => streamUrl(await exchangeUrl());
  const reading = async (): Promise<StreamReader> => {
    const opened = await client();
    if (!("streamToken" in opened)) throw new Error("a stream of this kind is of the specified exchange alone");
    return opened;
  };
  const optional = defined({ reader: hasKey ? lazyPort(reading) : undefined, onNotice: watch?.onNotice });
  return new SharedMarketStream(() => new Stream({ url, redact, ...optional }), systemClock);
}

/**
 * The card of the exchange that a profile names, and its address.
 * @throws ConfigError for an exchange, or an address of one, that hoga does not trade on, or that is another's
 */
export function exchangeOf({ name, environment, exchange, baseUrl, unit, credentials }: Named): {
  readonly card: VenueCard;
  readonly baseUrl?: string;
} {
  const where = `the profile "${name}"`;
  const card = CARDS.find((each) => each.name === exchange);
  if (card === undefined) throw unknownExchange(exchange, where);
  const host = baseUrl === undefined ? "" : new URL(baseUrl).hostname.replace(/\.+$/, "");
  const owner = host === "" ? undefined : ownerOf(host);
  if (owner !== undefined && owner.name === undefined)
    throw new ConfigError(
      `hoga cannot trade on ${owner.title}: no adapter.`,
      `Correct ${where}: ${host} is ${owner.title}. Nothing was started, and nothing was sent there.`,
    );
  if (owner !== undefined && owner.name !== exchange)
    throw new ConfigError(
      `${host} is ${owner.title}: write exchange = "${owner.name}".`,
      `Correct ${where}; nothing was started, and nothing was sent there.`,
    );
  if (exchange !== "hoga" && !card.quotes.includes(unit))
    throw new ConfigError(
      `${where} counts in ${unit}, and ${card.title.en} has markets in ${card.quotes.join(" and ")} alone.`,
      `Write unit = "${card.quotes[0]}", or leave it out.`,
    );
  if (credentials?.signsBy !== undefined && !card.auth.parts.includes(credentials.signsBy))
    throw new ConfigError(
      `${where} has a private key, and ${card.title.en} has none.`,
      "Leave private_key_file out, and give the key's secret.",
    );
  // A sandbox without an address is the one that hoga carries.
  const [own] = environment === "sandbox" ? [] : card.hosts;
  return { card, ...defined({ baseUrl: baseUrl ?? (own === undefined ? undefined : `https://${own}`) }) };
}

/** The sentence that nobody has tried hoga there with a real key; undefined where somebody has, and where no real money is traded. */
export function untriedAt(
  { environment }: Pick<Profile, "environment">,
  { name: exchange, title, proof }: VenueCard,
  home: Pick<Home, "dir">,
): string | undefined {
  if (environment !== "live" || exchange === "hoga" || proof.L4 !== null) return undefined;
  if (triedAt(home, exchange) !== undefined) return undefined;
  return `hoga was never tried with a real key of ${title.en}: what it does there is proved in tests alone.`;
}

/**
 * Why no order with real money is placed at an exchange where nobody has tried hoga with a key; undefined where orders go.
 * @param home where a probe with a real key that has passed is such a try
 * Source: decision 0092.
 */
export function unprovenAt(
  { name, environment, acceptUnproven }: Pick<Profile, "name" | "environment" | "acceptUnproven">,
  card: VenueCard,
  home: Pick<Home, "dir">,
): Fault | undefined {
  if (acceptUnproven === true || untriedAt({ environment }, card, home) === undefined) return undefined;
  const { name: exchange, title } = card;
  return localFault("ELocal:Denied by policy", {
    rule: "unproven",
    message: `hoga was never tried with a real key of ${title.en}: it reads there, and places nothing. Nothing was sent.`,
    nextAction: `A person reads "hoga venues ${exchange}", tries it on "hoga sandbox --as ${exchange}", and then tries the key with "hoga probe --profile ${name}", which only looks; or writes accept_unproven = true into [profiles.${name}].`,
  });
}

type Named = Pick<Profile, "name" | "exchange" | "baseUrl" | "unit" | "credentials"> &
  Partial<Pick<Profile, "environment">>;

function unknownExchange(exchange: string, where: string): ConfigError {
  const planned = Object.hasOwn(PLANNED, exchange) ? PLANNED[exchange] : undefined;
  const names = CARDS.map(({ name }) => name).join(", ");
  if (planned === undefined)
    return new ConfigError(`hoga knows no exchange "${exchange}", which ${where} names.`, `Name one of: ${names}.`);
  return new ConfigError(`hoga does not trade on ${planned.title} yet: ${where} names it.`, `It trades on: ${names}.`);
}
