/** Own balances: a snapshot has all of them, an update those that changed. Source: service.md#private-channels. */
import { type Balance, ok, type Result, type StreamEventOf } from "../../../contract/index.ts";
import { type Gap, ListenedFeed } from "./feed.ts";
import type { StreamReader } from "./ports.ts";

type BalancesEvent = StreamEventOf<"balances">;

export class BalancesFeed extends ListenedFeed<"balances", readonly Balance[]> {
  #balances: ReadonlyMap<string, Balance> | undefined;

  constructor(onFailure: () => void) {
    super("balances", null, onFailure);
  }

  get hasSnapshot(): boolean {
    return this.#balances !== undefined;
  }

  get value(): readonly Balance[] | undefined {
    return this.#balances && [...this.#balances.values()];
  }

  snapshot({ balances }: BalancesEvent): undefined {
    this.#record(balances);
  }

  update({ balances }: BalancesEvent): undefined {
    this.#record(balances);
  }

  async closeGap(reader: StreamReader): Promise<Result<Gap<"balances">>> {
    const accounts = await reader.accounts();
    if (!accounts.ok) return accounts;
    return ok({ deliver: ([snapshot, ...updates]) => this.#closeGapWith(accounts.value.balances, snapshot, updates) });
  }

  #closeGapWith(
    answered: readonly Balance[],
    snapshot: BalancesEvent | undefined,
    updates: readonly BalancesEvent[],
  ): void {
    const updated = updates.flatMap(({ balances }) => balances);
    // The answer is newer than the snapshot. It may be older or newer than an update, so the update counts.
    this.#record([...(snapshot?.balances ?? []), ...answered, ...updated]);
  }

  /** The last balance of an asset counts. */
  #record(balances: readonly Balance[]): void {
    const known = this.#balances ?? new Map<string, Balance>();
    const next = new Map([...known, ...balances.map((balance) => [balance.asset, balance] as const)]);
    const changed = [...next.values()].filter((balance) => !isSame(known.get(balance.asset), balance));
    this.#balances = next;
    if (changed.length > 0) this.listeners.notify(changed);
  }
}

function isSame(a: Balance | undefined, b: Balance): boolean {
  return a?.total === b.total && a.available === b.available && a.locked === b.locked && a.unsettled === b.unsettled;
}
