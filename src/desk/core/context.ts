/**
 * Carries what every part of the desk works with: the ports, the profile, and the few facts that are queried once and kept (account id,
 * market rules).
 */

import {
  type Compliance,
  DEFAULT_UNIT,
  defined,
  type Fault,
  type Market,
  ok,
  type Result,
  type Unit,
} from "../../contract/index.ts";
import type { KillSwitchRecord } from "../model/account-usage.ts";
import type { OrderRequest } from "../model/intent.ts";
import type { PlanProgress } from "../model/plan.ts";
import type { Stamp } from "../model/reports.ts";
import { isCanonical, type Nicknames, resolveMarket } from "../model/symbol.ts";
import type { AuditEntry, AuditLog } from "../ports/audit.ts";
import type { FillLedger } from "../ports/fill-ledger.ts";
import type { Journal } from "../ports/journal.ts";
import type { MarketStream } from "../ports/market-stream.ts";
import type { Notices } from "../ports/notices.ts";
import type { PasskeyCheck } from "../ports/passkeys.ts";
import type { PlanBook } from "../ports/plan-book.ts";
import type { Clock, Ids, PolicySource, Presence } from "../ports/runtime.ts";
import type { CancelTimers, KillSwitchStore, Seal } from "../ports/safeguards.ts";
import { PLAIN_TERMINAL, type Terminal } from "../ports/terminal.ts";
import type { TransferParts } from "../ports/transfer.ts";
import type { Urgency, Venue, VenueReads } from "../ports/venue.ts";
import { attempt } from "./attempt.ts";
import { UrgentStore } from "./urgent-store.ts";

export interface DeskParts {
  readonly venue: Venue;
  readonly journal: Journal;
  readonly audit: AuditLog;
  readonly fills: FillLedger;
  /**
   * Since when it is known that the journal has forgotten nothing, Unix milliseconds: that it was not put back from a copy since. Without it, and while
   * it is undefined, that is not known.
   */
  readonly vouchedSinceMs?: () => Promise<number | undefined>;
  readonly killSwitch: KillSwitchStore;
  readonly timers: CancelTimers;
  readonly seal: Seal;
  readonly policy: PolicySource;
  /** Tells what the venue sends unasked; absent in a process that only queries it. */
  readonly stream?: MarketStream;
  readonly clock: Clock;
  /** Whose days are meant, by its IANA name; without it the machine's. */
  readonly timeZone?: string;
  readonly ids: Ids;
  /** Tells which process is gone; without it one is taken to be gone by its leases alone. */
  readonly presence?: Presence;
  readonly profile: string;
  /** The unit of account; KRW without it. */
  readonly unit?: Unit;
  /** Why no order is placed at this exchange until a person allows it, asked each time; looks and cancels go on. */
  readonly unproven?: () => Fault | undefined;
  /** The sentence that hoga was never tried with a key there, where real money is traded and nobody has; asked each time. */
  readonly untried?: () => string | undefined;
  /** Says that this process ends with its one command, so that what it alone knows holds nowhere. */
  readonly endsAfterCommand?: boolean;
  /**
   * Tells this exchange from every other whose intents the journal may hold, as account ids are unique at one exchange only.
   * Needed wherever one store serves several.
   */
  readonly scope?: string;
  /**
   * The name of the key's account in the journal, by its id at the venue: the same whatever the venue's address is called. Without it
   * the scope and that id are the name.
   */
  readonly nameAccount?: (accountId: string) => Promise<Result<string>>;
  /**
   * Tells whether it is known that no real money is traded here; undefined as long as the venue has not been asked. Without it the
   * environment says so.
   */
  readonly isPractice?: () => boolean | undefined;
  /** Says how a person approves what waits; told to whoever asked for it. */
  readonly terminal?: Terminal;
  /** Checks passkeys; without it none is taken. */
  readonly passkeys?: PasskeyCheck;
  /** Travel-rule metadata of the profile, sent where the order brings none. */
  readonly compliance?: Compliance;
  /** Keeps plans; without it there are none. */
  readonly plans?: PlanBook;
  /** What plans have told; without it nobody is told by the desk, and nothing of it is forgotten. */
  readonly notices?: Pick<Notices, "recent" | "prune">;
  /** Told what has failed inside, beside every call, so that nobody else hears of it. */
  readonly onDefect?: (error: unknown) => void;
  /** Makes payments and remittances, drafts, where that can be done too. */
  readonly transfers?: TransferParts;
}

/** A cancel, and every query that belongs to one. */
export const URGENT: Urgency = { urgent: true };

/**
 * For the kill switch, the cancel timer and whatever others wait for: no query takes longer than this. It is longer than the interval
 * of urgent calls while the venue asks for a pause.
 */
export const CANCEL_DEADLINE: Urgency = { urgent: true, deadlineMs: 5_000 };

/** Market rules, names and status are queried again after this long, or as soon as the venue refuses what they allow. */
const MARKETS_MAX_AGE_MS = 10_000;
/** Bounds how long what is kept refuses a market: one that took no orders a while ago may take them by now. */
const HALT_MAX_AGE_MS = 1_000;

/** Stands for the account until the venue has named it. */
export const UNKNOWN_ACCOUNT = "unknown";

/** Keeps what is queried once, by whoever asks. */
interface Facts {
  localKillSwitch?: KillSwitchRecord | undefined;
  accountId?: string;
  accountName?: string | undefined;
  marketCache?: { readonly markets: readonly Market[]; readonly atMs: number } | undefined;
  /** Counts how often the markets turned out to be others than they were taken for. */
  marketChanges?: number;
}

/** The parts with a venue that can only be looked at: what writes there is handed to those who send and cancel. */
export type ReadingParts = Omit<DeskParts, "venue"> & { readonly venue: VenueReads };

/** Some parts are known only later, so they are not copied. */
export function readingParts(parts: DeskParts, venue: VenueReads): ReadingParts {
  return Object.create(parts, { venue: { value: venue } }) as ReadingParts;
}

export class DeskContext {
  readonly parts: ReadingParts;
  /** Waits for the store as cancels and halts do. */
  readonly urgentStore: UrgentStore;
  readonly #facts: Facts;
  #urgent: DeskContext | undefined;

  constructor(parts: ReadingParts, facts: Facts = {}, urgentStore = new UrgentStore(parts.clock)) {
    this.parts = parts;
    this.urgentStore = urgentStore;
    this.#facts = facts;
  }

  /** The same desk for what cancels and halts: it waits for the store for a moment only, and goes on without it. */
  get urgent(): DeskContext {
    this.#urgent ??= new DeskContext(urgentParts(this.parts, this.urgentStore), this.#facts, this.urgentStore);
    return this.#urgent;
  }

  /** The kill switch as this process engaged it: holds even where the store could not be written. */
  get localKillSwitch(): KillSwitchRecord | undefined {
    return this.#facts.localKillSwitch;
  }

  set localKillSwitch(record: KillSwitchRecord | undefined) {
    this.#facts.localKillSwitch = record;
  }

  /** Says how a person acts outside of the assistant. */
  get terminal(): Terminal {
    return this.parts.terminal ?? PLAIN_TERMINAL;
  }

  /** What sums are counted in. */
  get unit(): Unit {
    return this.parts.unit ?? DEFAULT_UNIT;
  }

  /** Environment and account for a result; the account is "unknown" until the venue has named it. */
  stamp(): Stamp {
    const account = this.#facts.accountId ?? UNKNOWN_ACCOUNT;
    return { environment: this.parts.venue.environment, account, unit: this.unit };
  }

  /** Tells whether no real money is traded; what is not known yet may be real. */
  get isPractice(): boolean {
    const { isPractice, venue } = this.parts;
    return isPractice === undefined ? venue.environment === "sandbox" : isPractice() === true;
  }

  /** The key's account as the journal names it, with its exchange. The venue is asked once. */
  async account(urgency?: Urgency): Promise<Result<string>> {
    if (this.#facts.accountName !== undefined) return ok(this.#facts.accountName);
    const answer = await this.parts.venue.accounts(urgency);
    return answer.ok ? this.setAccount(answer.value.account_id) : answer;
  }

  /**
   * Lets the venue name the account, for what is only looked at or canceled: where the journal cannot be read, that goes on without it.
   * @returns the account as the journal names it, or would
   */
  async seenAccount(urgency?: Urgency): Promise<Result<string>> {
    const account = await this.account(urgency);
    return account.ok || this.#facts.accountId === undefined ? account : ok(this.journalAccount());
  }

  /** Tells whether the venue has named the account, and the journal knows it. */
  get knowsAccount(): boolean {
    return this.#facts.accountName !== undefined;
  }

  /** The account as the journal names it; "unknown" until the venue has named it. */
  journalAccount(): string {
    return this.#facts.accountName ?? this.#inScope(UNKNOWN_ACCOUNT);
  }

  /** The names under which the audit log keeps steps from before the account was known, such as a halt: of this profile, and of none. */
  unknownAccounts(): readonly string[] {
    return [...new Set([this.#inScope(UNKNOWN_ACCOUNT), UNKNOWN_ACCOUNT])];
  }

  #inScope(account: string): string {
    const { scope } = this.parts;
    return scope === undefined ? account : `${scope}/${account}`;
  }

  /** Tells whether the venue requires travel-rule metadata that neither this order nor the profile has. */
  lacksCompliance(request: OrderRequest): boolean {
    const { venue, compliance } = this.parts;
    return venue.needsCompliance === true && request.compliance === undefined && compliance === undefined;
  }

  /** @returns its name in the journal; a fault where the journal cannot be read */
  async setAccount(accountId: string): Promise<Result<string>> {
    const isKnown = this.#facts.accountId === accountId && this.#facts.accountName !== undefined;
    this.#facts.accountId = accountId;
    if (isKnown) return ok(this.journalAccount());
    const { nameAccount } = this.parts;
    const named = nameAccount === undefined ? ok(this.#inScope(accountId)) : await nameAccount(accountId);
    this.#facts.accountName = named.ok ? named.value : undefined;
    return named;
  }

  async markets(urgency?: Urgency, maxAgeMs = MARKETS_MAX_AGE_MS): Promise<Result<readonly Market[]>> {
    const { clock, venue } = this.parts;
    const cached = this.#facts.marketCache;
    const ageMs = clock.now() - (cached?.atMs ?? 0);
    if (cached !== undefined && ageMs >= 0 && ageMs < maxAgeMs) return ok(cached.markets);
    // The time of the request: the answer can only be more recent.
    const atMs = clock.now();
    const changes = this.#facts.marketChanges;
    const answer = await venue.markets(urgency);
    // One that was asked for before may still be as they were.
    if (answer.ok && changes === this.#facts.marketChanges) this.#facts.marketCache = { markets: answer.value, atMs };
    return answer;
  }

  /** Takes what is known of the markets for old: whoever looks next, for whatever, asks the venue. */
  forgetMarkets(): void {
    this.#facts.marketChanges = (this.#facts.marketChanges ?? 0) + 1;
    this.#facts.marketCache = undefined;
  }

  /** @param nicknames of coins: what is ordered has to be named as the venue names it */
  async market(text: string, nicknames: Nicknames): Promise<Result<Market>> {
    const markets = await this.markets();
    if (!markets.ok) return markets;
    const found = resolveMarket(markets.value, text, nicknames, this.unit);
    if (!found.ok || found.value.status === "trading") return this.#ruled(found, nicknames);
    const now = await this.markets(undefined, HALT_MAX_AGE_MS);
    return this.#ruled(now.ok ? resolveMarket(now.value, text, nicknames, this.unit) : found, nicknames);
  }

  /** What is ordered is held against the venue's own rules, where it tells them market by market. */
  async #ruled(found: Result<Market>, nicknames: Nicknames): Promise<Result<Market>> {
    const { venue } = this.parts;
    return found.ok && nicknames === "proposed" && venue.rules !== undefined ? venue.rules(found.value) : found;
  }

  /**
   * Canonical symbol of an optional symbol.
   * @param urgency of a cancel: where the markets cannot be had, one that is written as the venue writes it will do
   */
  async symbol(text: string | undefined, urgency?: Urgency): Promise<Result<string | undefined>> {
    if (text === undefined) return ok(undefined);
    const markets = await this.markets(urgency);
    if (!markets.ok) return urgency !== undefined && isCanonical(text) ? ok(text) : markets;
    const market = resolveMarket(markets.value, text, urgency === undefined ? "taken" : "proposed", this.unit);
    return market.ok ? ok(market.value.symbol) : market;
  }
}

/** The parts, with the ports of the store as cancels and halts use them. */
function urgentParts(parts: ReadingParts, store: UrgentStore): ReadingParts {
  const { journal, audit, killSwitch, nameAccount, transfers, plans } = parts;
  const own: Partial<ReadingParts> = {
    journal: store.port(journal, ["step"]),
    audit: store.port(audit, ["append"]),
    killSwitch: {
      state: () => store.soon(() => killSwitch.state()),
      // What needs no store goes first, and is not given up.
      engage: (record) => killSwitch.engage(record, (step) => store.soon(step)),
      spread: () => store.soon(() => killSwitch.spread()),
      release: () => killSwitch.release(),
    },
    ...(nameAccount && { nameAccount: (accountId) => store.soon(() => nameAccount(accountId)) }),
    ...(plans && { plans: store.port(plans, ["pauseAll"]) }),
    ...(transfers && { transfers: { ...transfers, journal: store.port(transfers.journal) } }),
  };
  // Some parts are known only later, so they are not copied.
  return Object.assign(Object.create(parts) as ReadingParts, own);
}

/**
 * Appends a step to the audit log. A cancel takes risk away, so it goes on even where the step cannot be recorded:
 * the failure comes back as a warning for the report.
 */
export async function recordStep(context: DeskContext, entry: AuditEntry): Promise<readonly string[]> {
  const { audit, clock } = context.parts;
  const { fault } = await attempt(() => audit.append(entry, clock.now()));
  return fault === undefined ? [] : [notRecorded(fault)];
}

export function notRecorded({ message }: Fault): string {
  return `This step could not be recorded in the audit log. ${message}`;
}

/** For what is held against the exchange's clock later, whatever ours says by then. */
export function clockAhead({
  parts: { venue },
}: {
  readonly parts: Pick<ReadingParts, "venue">;
}): Pick<PlanProgress, "aheadMs"> {
  return defined({ aheadMs: venue.clockOffsetMs() });
}

/** The exchange's time as it was last measured, Unix milliseconds. */
export function exchangeNow({
  parts: { clock, venue },
}: {
  readonly parts: Pick<ReadingParts, "clock" | "venue">;
}): number {
  return Math.round(clock.now() + (venue.clockOffsetMs() ?? 0));
}
