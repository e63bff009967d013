/**
 * Whose account a profile trades on, and whether with real money: what is known of the exchange, however its address is written.
 *
 * Source: decision 0005, decision 0024.
 */
import { ConfigError, type Profile } from "../../config/index.ts";
import { type Fault, failed, localFault } from "../../contract/index.ts";
import type { Clock, DeskParts } from "../../desk/index.ts";
import type { AccountNames } from "../../store/index.ts";

type Place = Pick<Profile, "environment" | "baseUrl">;

export interface Exchange {
  readonly keyId: string | undefined;
  /** Undefined of one that has not said that it is a sandbox. */
  readonly sandboxId: string | undefined;
  /** Undefined until it has answered. */
  clockOffsetMs(): number | undefined;
}

/**
 * Kept the accounts of one exchange apart from another's before they had names; still the beginning of an account's first name. Account ids
 * of live exchanges are unique at their host. Sandboxes come and go on this machine's ports with the same account id, each with a key of
 * its own.
 */
export function scopeOf({ environment, baseUrl }: Place, keyId: string | undefined): string {
  const host = baseUrl === undefined ? "embedded" : new URL(baseUrl).hostname;
  return environment === "live" ? `live/${host}` : `sandbox/${host}/${keyId ?? "no-key"}`;
}

/** All that an account is found by again: its key, and its id at the exchange. */
function accountNames(
  place: Place,
  { keyId, sandboxId }: Omit<Exchange, "clockOffsetMs">,
  accountId: string,
): readonly string[] {
  const { environment, baseUrl } = place;
  const byKey = keyId === undefined ? [] : [`key/${environment}/${keyId}/${accountId}`];
  const exchange = sandboxId ?? (baseUrl === undefined ? undefined : namedHost(place, baseUrl));
  return exchange === undefined ? byKey : [...byKey, `exchange/${environment}/${exchange}/${accountId}`];
}

/** Spells each host in one way. Behind a port of this machine is one sandbox today and another tomorrow. */
function namedHost({ environment }: Place, baseUrl: string): string | undefined {
  if (!isOnThisMachine(baseUrl)) return hostOf(baseUrl);
  return environment === "live" ? "this machine" : undefined;
}

function hostOf(baseUrl: string): string {
  return new URL(baseUrl).hostname.replace(/\.$/, "");
}

function isOnThisMachine(baseUrl: string): boolean {
  return /^(localhost|\[::1\]|127(\.\d{1,3}){3})$/.test(hostOf(baseUrl));
}

/**
 * Tells whether it is known that no real money is traded: on the embedded exchange, and on one of this machine that says so itself. A
 * profile's word for it is not enough.
 * @param opened the exchange, once it has answered
 * @returns undefined as long as it was not asked
 */
function isPractice({ environment, baseUrl }: Place, opened: () => Exchange | undefined): boolean | undefined {
  if (environment === "live") return false;
  if (baseUrl === undefined) return true;
  if (!isOnThisMachine(baseUrl)) return false;
  const exchange = opened();
  return exchange?.clockOffsetMs() === undefined ? undefined : exchange.sandboxId !== undefined;
}

export interface AccountParts extends Required<Pick<DeskParts, "nameAccount" | "isPractice">> {
  /** As the store names it; undefined until the exchange has said whose it is. */
  readonly named: () => string | undefined;
}

/** @param opened the exchange, once it is open: it has answered by the time that an account is named */
export function accountParts(
  profile: Place & Pick<Profile, "name">,
  opened: () => Exchange | undefined,
  { accounts, clock }: { readonly accounts: AccountNames; readonly clock: Clock },
): AccountParts {
  let named: string | undefined;
  return {
    named: () => named,
    nameAccount: async (accountId) => {
      const exchange = opened() ?? UNOPENED;
      const { keyId } = exchange;
      const mismatch = keyId === undefined ? undefined : await labelFault(accounts, profile, keyId);
      if (mismatch !== undefined) return failed(mismatch);
      const kept = `${scopeOf(profile, exchange.keyId)}/${accountId}`;
      const found = await accounts.accountOf(accountNames(profile, exchange, accountId), kept, clock.now());
      if (found.ok) named = found.value;
      return found;
    },
    isPractice: () => isPractice(profile, opened),
  };
}

const UNOPENED = { keyId: undefined, sandboxId: undefined };

/** The same as a fault, for an exchange whose calls go without the store. */
async function labelFault(...label: Parameters<typeof checkLabel>): Promise<Fault | undefined> {
  try {
    await checkLabel(...label);
    return undefined;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return localFault("ELocal:Not started", { message: error.message, nextAction: error.fix });
  }
}

/** Keeps a key to one environment, for good. @throws ConfigError where it was used in the other */
export async function checkLabel(
  accounts: AccountNames,
  { name, environment }: Pick<Profile, "name" | "environment">,
  keyId: string,
): Promise<void> {
  const label = await accounts.environmentOf(keyId, environment);
  // Where the store cannot be read or written no order leaves anyway, and cancels go on.
  if (!label.ok || label.value === environment) return;
  throw new ConfigError(
    `The API key of profile "${name}" was used with environment = "${label.value}" before, and the profile now says "${environment}".`,
    `Correct environment if it is wrong now; if it was wrong before, make a new key at the exchange for this profile.`,
  );
}
