/**
 * What every part of the desk works with: the ports, the profile, and the small facts that are asked for once
 * and kept (account id, market rules).
 */

import type { Compliance, Market, Result } from "../../contract/index.ts";
import { ok } from "../../contract/index.ts";
import type { KillSwitchRecord } from "../model/account-usage.ts";
import type { OrderRequest } from "../model/intent.ts";
import type { Stamp } from "../model/reports.ts";
import { isCanonical, resolveMarket } from "../model/symbol.ts";
import type { AuditEntry, AuditLog } from "../ports/audit.ts";
import type { Journal } from "../ports/journal.ts";
import type { MarketStream } from "../ports/market-stream.ts";
import type { Clock, Ids, PolicySource } from "../ports/runtime.ts";
import type { CancelTimers, KillSwitchStore, Seal } from "../ports/safeguards.ts";
import type { TransferParts } from "../ports/transfer.ts";
import type { Urgency, Venue } from "../ports/venue.ts";
import { attempt } from "./store-result.ts";

export interface DeskParts {
  readonly venue: Venue;
  readonly journal: Journal;
  readonly audit: AuditLog;
  readonly killSwitch: KillSwitchStore;
  readonly timers: CancelTimers;
  readonly seal: Seal;
  readonly policy: PolicySource;
  /** What the venue tells by itself; absent where it is only asked. */
  readonly stream?: MarketStream;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly profile: string;
  /**
   * Tells this exchange from every other whose intents the journal may hold, as account ids are unique at one exchange only.
   * Needed wherever one store serves several.
   */
  readonly scope?: string;
  /** Travel-rule metadata of the profile, sent where the order brings none. */
  readonly compliance?: Compliance;
  /** Where payments and remittances, drafts, can be made too. */
  readonly transfers?: TransferParts;
}

/** A cancel, and every question that belongs to one. */
export const URGENT: Urgency = { urgent: true };

/**
 * The brake, the cancel timer and what others wait for: no question takes longer than this. More than the pace at which urgent
 * calls leave while the venue asks for a pause.
 */
export const CANCEL_DEADLINE: Urgency = { urgent: true, deadlineMs: 5_000 };

/** Rules, names and status are asked for again after this long. */
const MARKETS_MAX_AGE_MS = 10_000;

/** In the place of an account that the venue has not told yet. */
const UNKNOWN_ACCOUNT = "unknown";

export class DeskContext {
  readonly parts: DeskParts;
  /** The brake as this process itself pulled it: holds even where the store could not take it. */
  localKillSwitch: KillSwitchRecord | undefined;
  #accountId: string | undefined;
  #marketCache: { readonly markets: readonly Market[]; readonly atMs: number } | undefined;

  constructor(parts: DeskParts) {
    this.parts = parts;
  }

  /** Environment and account for a result; the account is "unknown" until the venue has told it. */
  stamp(): Stamp {
    return { environment: this.parts.venue.environment, account: this.#accountId ?? UNKNOWN_ACCOUNT };
  }

  /** The account of the key, asked once, as the journal knows it: with the exchange it is at. */
  async account(urgency?: Urgency): Promise<Result<string>> {
    if (this.#accountId === undefined) {
      const answer = await this.parts.venue.accounts(urgency);
      if (!answer.ok) return answer;
      this.#accountId = answer.value.account_id;
    }
    return ok(this.journalAccount());
  }

  /** Whether the venue has told the account. */
  get knowsAccount(): boolean {
    return this.#accountId !== undefined;
  }

  /** Key of the account in the journal; "unknown" until the venue has told the account. */
  journalAccount(): string {
    return this.#inScope(this.stamp().account);
  }

  /** What the log has from before the venue had told the account, as of a brake that asks nobody: of this profile, and of none. */
  unknownAccounts(): readonly string[] {
    return [...new Set([this.#inScope(UNKNOWN_ACCOUNT), UNKNOWN_ACCOUNT])];
  }

  #inScope(account: string): string {
    const { scope } = this.parts;
    return scope === undefined ? account : `${scope}/${account}`;
  }

  /** Whether the venue asks for travel-rule metadata, and neither this order nor the profile has any. */
  lacksCompliance(request: OrderRequest): boolean {
    const { venue, compliance } = this.parts;
    return venue.needsCompliance === true && request.compliance === undefined && compliance === undefined;
  }

  setAccount(accountId: string): void {
    this.#accountId = accountId;
  }

  async markets(urgency?: Urgency): Promise<Result<readonly Market[]>> {
    const { clock, venue } = this.parts;
    const cached = this.#marketCache;
    const ageMs = clock.now() - (cached?.atMs ?? 0);
    if (cached !== undefined && ageMs >= 0 && ageMs < MARKETS_MAX_AGE_MS) return ok(cached.markets);
    const answer = await venue.markets(urgency);
    if (answer.ok) this.#marketCache = { markets: answer.value, atMs: clock.now() };
    return answer;
  }

  async market(text: string): Promise<Result<Market>> {
    const markets = await this.markets();
    return markets.ok ? resolveMarket(markets.value, text) : markets;
  }

  /**
   * Canonical symbol of an optional symbol.
   * @param urgency of a cancel: where the markets cannot be had, one that is written as the venue writes it will do
   */
  async symbol(text: string | undefined, urgency?: Urgency): Promise<Result<string | undefined>> {
    if (text === undefined) return ok(undefined);
    const markets = await this.markets(urgency);
    if (!markets.ok) return urgency !== undefined && isCanonical(text) ? ok(text) : markets;
    const market = resolveMarket(markets.value, text);
    return market.ok ? ok(market.value.symbol) : market;
  }
}

/**
 * Appends a step to the audit log. A cancel takes risk away, so it goes on even where the step cannot be recorded:
 * the failure comes back as a warning for the report.
 */
export async function recordStep(context: DeskContext, entry: AuditEntry): Promise<readonly string[]> {
  const { audit, clock } = context.parts;
  const { fault } = await attempt(() => audit.append(entry, clock.now()));
  return fault === undefined ? [] : [`This step could not be recorded in the audit log. ${fault.message}`];
}
