/**
 * The only place that wires the parts together: settings, exchange, client, store and desk.
 *
 * Nothing is opened before `open` or the first call of a port. So a server answers `tools/list` at once, and a process that a
 * client only starts and ends leaves no trace.
 */
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { type Home, loadProfile, type Profile, policySource } from "../../config/index.ts";
import { defined } from "../../contract/index.ts";
import {
  createDesk,
  createIds,
  type Desk,
  type DeskParts,
  defaultPolicy,
  missingPin,
  type Presence,
  type Terminal,
} from "../../desk/index.ts";
import type { ConsoleAddress, ConsolePasskeys } from "../../passkeys/index.ts";
import { systemClock } from "../../transport/index.ts";
import { commandLine } from "../command-line.ts";
import type { Invocation } from "../invocation.ts";
import { PaperExchange } from "../paper/exchange.ts";
import type { ProbedVenue } from "../probe/probed-venue.ts";
import { accountParts, scopeOf } from "./account-identity.ts";
import type { ComposeOptions } from "./compose-options.ts";
import type { DeskStore } from "./home-store.ts";
import { lazyPort, lazyVenue, personParts } from "./lazy-ports.ts";
import { openChecked, storePorts } from "./open-store.ts";
import {
  draftPorts,
  type Exchange,
  exchangeOf,
  openExchange,
  paperOptions,
  streamOf,
  unprovenAt,
  untriedAt,
  venueFacts,
} from "./open-venue.ts";
import { isPassing, type Opening, once, onceItOpens, SOON_MS, within } from "./opening.ts";

export type { ComposeOptions, DeskStore };

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
  /** The exchange alone, to look at it without desk and store. */
  probed(): Promise<ProbedVenue>;
  /** The store alone, without any exchange: for the log, the PIN and the kill switch. */
  store(): Promise<DeskStore>;
  /** Says where passkeys are asked for, once the console is served. */
  consoleAddress(): ConsoleAddress;
  consolePasskeys(): Promise<ConsolePasskeys>;
  /** As the store names it; undefined until the exchange has said whose it is. */
  readonly account: () => string | undefined;
  readonly home: Home;
  /** Is ended before what is open is closed. */
  endsFirst(end: () => Promise<void>): void;
  /** Tells that it is being closed: the desk may then fail in the middle of a step. */
  readonly closing: boolean;
  /** Base URL of the exchange traded on. */
  exchangeUrl(): Promise<string>;
  close(): Promise<void>;
}

const PRESENCE = presenceOf(Date.now());

function defectsTold({ onTrouble }: Pick<ComposeOptions, "onTrouble">, ending: AbortSignal) {
  return (error: unknown): void => {
    // What it was at was closed under it.
    if (!ending.aborted) onTrouble(`Plans could not be looked after, which is a defect. ${String(error)}`);
  };
}

/** @throws ConfigError for an exchange, or an address of one, that hoga does not trade on */
export function compose(given: ComposeOptions): Composition {
  const { card, ...address } = exchangeOf(given.profile);
  const options = { ...given, profile: { ...given.profile, ...address } };
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
  const keyedStore = (): Promise<DeskStore> => credentials().then(() => store());
  let opened: Exchange | undefined;
  const client = async (): Promise<Exchange["client"]> => {
    opened = await exchange();
    return opened.client;
  };
  const venue = lazyVenue(client, () => opened?.client, venueFacts(profile, card));
  const accounts = lazyPort<DeskStore["accounts"]>(async () => (await keyedStore()).accounts);
  const { named, ...ofAccount } = accountParts(profile, () => opened?.client, { accounts, clock: systemClock });
  const hasKey = (paper ?? profile.credentials) !== undefined;
  // A process that ends with its one command does not need a connection, unless that is to follow the market.
  const isFollowed = (standBy || options.follows === true) && card.stream !== "none";
  const stream = isFollowed ? streamOf(exchangeUrl, { exchange: profile.exchange, hasKey, client, watch }) : undefined;
  const { consoleAddress, consolePasskeys, ...person } = personParts(options, store, ofAccount.isPractice);
  const desk = createDesk({
    venue,
    ...storePorts(home, { store, keyed: keyedStore, watch }),
    ...draftPorts(exchange, keyedStore),
    policy: policyOf(options, ofAccount),
    ...{ clock: systemClock, timeZone: options.timeZone, presence: PRESENCE },
    ids: createIds(systemClock, randomBytes),
    ...{ profile: profile.name, unit: profile.unit, unproven: () => unprovenAt(profile, card, home) },
    untried: () => untriedAt(profile, card, home),
    ...person,
    onDefect: defectsTold(options, ending.signal),
    endsAfterCommand: !standBy,
    get scope() {
      return scopeOf(profile, venue.keyId);
    },
    ...ofAccount,
    ...defined({ compliance: profile.compliance, stream }),
  });
  return {
    ...{ desk, consoleAddress, consolePasskeys, probed: client },
    commandLine: options.commandLine,
    missing: () => missingOn(ofAccount.isPractice(), person.terminal),
    ...{ exchangeUrl, store, home, account: named },
    endsFirst: (end) => void closers.push(end),
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

/** @param isPracticed undefined while the exchange was not asked: then nothing is said yet */
async function missingOn(isPracticed: boolean | undefined, terminal: Terminal): Promise<string | undefined> {
  const fault = await missingPin({ isPractice: isPracticed !== false, terminal });
  return fault && `${fault.message} ${fault.nextAction}`;
}

/**
 * For a command that ends.
 * @param named the profile, or its name; undefined for that of the settings
 * @param follows whether it follows the market until then
 */
export function composeCommand(
  run: Invocation,
  named: Profile | string | undefined,
  follows = false,
  watch?: ComposeOptions["watch"],
): Composition {
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
    ...defined({ watch }),
  });
}

/** @param startedAtMs tells this process from one before it with the same number */
export function presenceOf(startedAtMs: number): Presence {
  const id = `${hostname()}/${process.pid}/${startedAtMs}`;
  return { id, isGone: (other) => other !== id && isGone(other) };
}

function isGone(id: string): boolean {
  const [host, number] = id.split("/");
  // Of another machine nothing is known, so its lease decides.
  if (host !== hostname()) return false;
  const pid = Number(number); // not money: a process number
  return pid === process.pid || !isRunning(pid);
}

/** Takes one that may not be asked for running. A number that was given to another process keeps its lease. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}
