/**
 * What an account paid for its coins on average, by its fills: a buy moves the average, a sell leaves it. Entry point: `AveragePrices`.
 */
import type { Exchange, FillRecord, Units } from "../model/index.ts";
import { quotient } from "../wire/decimal-text.ts";

interface Holding {
  volume: Units;
  cost: Units;
}

interface Account {
  /** The last fill that is counted. */
  lastSeq: number;
  readonly bySymbol: Map<string, Holding>;
}

const PAGE = 1_000;

export class AveragePrices {
  readonly #exchange: Pick<Exchange, "fills">;
  readonly #accounts = new Map<string, Account>();

  constructor(exchange: Pick<Exchange, "fills">) {
    this.#exchange = exchange;
  }

  /** 0n where nothing is held that was bought here. */
  of(accountId: string, symbol: string): Units {
    const held = this.#upToDate(accountId).bySymbol.get(symbol);
    return held === undefined || held.volume === 0n ? 0n : quotient(held.cost, held.volume);
  }

  #upToDate(accountId: string): Account {
    const account = this.#accounts.get(accountId) ?? { lastSeq: -1, bySymbol: new Map() };
    this.#accounts.set(accountId, account);
    for (let more = true; more; ) {
      const filter = { afterSeq: account.lastSeq, oldestFirst: true, limit: PAGE };
      const page = this.#exchange.fills(accountId, filter);
      for (const fill of page.fills) count(account, fill);
      more = page.more;
    }
    return account;
  }
}

function count(account: Account, { symbol, side, volume, value, tradeSeq }: FillRecord): void {
  account.lastSeq = tradeSeq;
  const held = account.bySymbol.get(symbol) ?? { volume: 0n, cost: 0n };
  account.bySymbol.set(symbol, held);
  if (side === "buy") {
    held.volume += volume;
    held.cost += value;
    return;
  }
  const sold = volume < held.volume ? volume : held.volume;
  if (held.volume > 0n) held.cost -= (held.cost * sold) / held.volume;
  held.volume -= sold;
}
