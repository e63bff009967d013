/**
 * Owns how much one caller may ask for, so that it leaves the others their share: requests a second, and how many at once.
 *
 * Invariants: what is over a limit is told when to come again; what is remembered of callers is bounded
 * by those that asked lately. The owner has no limit but those of the server, as the machine is theirs; nor have
 * probes, of which nobody knows whose they are.
 *
 * Source: decision 0035.
 */
import { ANYBODY, type Excess, type Identity, OWNER } from "../wire/caller.ts";

export interface CallerLimits {
  /** Requests and streams that one caller has open. */
  readonly callerOpenMax: number;
  /** Requests of one caller, on average. */
  readonly callerPerSecond: number;
  /** Requests that may come together after a pause. */
  readonly callerBurst: number;
}

interface Use {
  open: number;
  /** Requests that may come now; a fraction while the next one is on its way. */
  credit: number;
  atMs: number;
}

/** Before callers that are not seen any more are forgotten. */
const CALLERS_MAX = 1_024;

export class CallerQuota {
  readonly #limits: CallerLimits;
  readonly #now: () => number;
  readonly #uses = new Map<string, Use>();

  readonly #who: string;

  /**
   * @param now milliseconds that only rise
   * @param who what it is called that has the limits
   */
  constructor(limits: CallerLimits, now: () => number, who = "this caller") {
    this.#limits = limits;
    this.#now = now;
    this.#who = who;
  }

  /** @param ended resolves when the request has ended. @returns where it is one too many */
  enter(identity: Identity, ended: Promise<void>): Excess | undefined {
    if (identity === OWNER || identity === ANYBODY) return undefined;
    const { callerOpenMax, callerPerSecond } = this.#limits;
    const use = this.#useOf(identity.key);
    if (use.credit < 1)
      return {
        message: `Too many requests: ${this.#who} may send ${callerPerSecond} a second.`,
        retryAfterS: Math.ceil((1 - use.credit) / callerPerSecond),
      };
    use.credit -= 1;
    if (use.open >= callerOpenMax)
      return { message: `Too many requests at once: ${this.#who} may have ${callerOpenMax} open.`, retryAfterS: 1 };
    use.open += 1;
    void ended.then(() => {
      use.open -= 1;
    });
    return undefined;
  }

  /** Spends what a request weighs besides. @returns where that is too much now */
  spend(identity: Identity, weight: number): Excess | undefined {
    if (weight === 0 || identity === OWNER || identity === ANYBODY) return undefined;
    const { callerPerSecond, callerBurst } = this.#limits;
    const use = this.#useOf(identity.key);
    // What is heavier than all that may come at once waits for as much.
    const missing = Math.min(weight, callerBurst - 1) - use.credit;
    if (missing > 0)
      return {
        message: `Too much at once: ${this.#who} may ask for what weighs ${callerPerSecond} a second, and this weighs ${weight + 1}.`,
        retryAfterS: Math.ceil(missing / callerPerSecond),
      };
    use.credit -= weight;
    return undefined;
  }

  /** Callers that are remembered. */
  get size(): number {
    return this.#uses.size;
  }

  #useOf(key: string): Use {
    const nowMs = this.#now();
    if (this.#uses.size >= CALLERS_MAX) this.#forget(nowMs);
    const use = this.#uses.get(key) ?? { open: 0, credit: this.#limits.callerBurst, atMs: nowMs };
    this.#uses.set(key, use);
    use.credit = this.#creditAt(use, nowMs);
    use.atMs = nowMs;
    return use;
  }

  #creditAt({ credit, atMs }: Use, nowMs: number): number {
    const { callerBurst, callerPerSecond } = this.#limits;
    return Math.min(callerBurst, credit + ((nowMs - atMs) / 1_000) * callerPerSecond);
  }

  /** Drops one that has all its credit again: it is as good as a new one. */
  #forget(nowMs: number): void {
    for (const [key, use] of this.#uses)
      if (use.open === 0 && this.#creditAt(use, nowMs) >= this.#limits.callerBurst) this.#uses.delete(key);
  }
}

function tenantOf({ tenant = "" }: Identity): Identity {
  return { key: tenant, name: tenant, scopes: [] };
}

export interface TenantLimits extends CallerLimits {
  /** Lets all callers of one tenant ask for so many times as much as one caller: all callers of one tenant may ask for. */
  readonly tenantCallers: number;
}

/** Each caller's share, and within that of its tenant. */
export class TenantQuota {
  readonly #callers: CallerQuota;
  readonly #tenants: CallerQuota;

  constructor(limits: TenantLimits, now: () => number) {
    const { tenantCallers: times, callerOpenMax, callerPerSecond, callerBurst } = limits;
    const ofTenant = {
      callerOpenMax: callerOpenMax * times,
      callerPerSecond: callerPerSecond * times,
      callerBurst: callerBurst * times,
    };
    this.#callers = new CallerQuota(limits, now);
    this.#tenants = new CallerQuota(ofTenant, now, "all callers of this tenant together");
  }

  enter(identity: Identity, ended: Promise<void>): Excess | undefined {
    const excess = this.#callers.enter(identity, ended);
    return excess ?? (identity.tenant === undefined ? undefined : this.#tenants.enter(tenantOf(identity), ended));
  }

  spend(identity: Identity, weight: number): Excess | undefined {
    const excess = this.#callers.spend(identity, weight);
    return excess ?? (identity.tenant === undefined ? undefined : this.#tenants.spend(tenantOf(identity), weight));
  }
}
