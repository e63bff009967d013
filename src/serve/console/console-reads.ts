/**
 * Owns what the console shows, each view asked of the desk once for all pages. It only looks.
 *
 * Source: decision 0044.
 */
import { type CandleInterval, defined, ok, type Result } from "../../contract/index.ts";
import {
  type Desk,
  type DeskStatus,
  NOBODY,
  type OrderName,
  type PendingOrder,
  type PendingTransfer,
  type PortfolioPeriod,
} from "../../desk/index.ts";
import { questionText, transferQuestionText } from "../../mcp/index.ts";
import { orderWords, type Words } from "../../words/index.ts";
import type { ChainCheck } from "./chain-check.ts";
import type {
  ApprovalView,
  ConsoleApprovals,
  ConsoleAudit,
  ConsoleBook,
  ConsoleCandles,
  ConsoleFills,
  ConsoleMarkets,
  ConsoleOpenOrders,
  ConsoleOrder,
  ConsoleOrders,
  ConsolePlan,
  ConsolePlans,
  ConsolePolicy,
  ConsolePortfolio,
  ConsoleSinceCopy,
  ConsoleTrades,
} from "./console-api.ts";
import { type PlansPage, planOf, plansOf, plansWaiting } from "./plan-reads.ts";
import type { SharedReads } from "./shared-reads.ts";

/** Bounds how old an answer may be, in milliseconds. What comes by an event is asked anew for it. */
const FRESH = { market: 500, account: 1_000, history: 2_000, portfolio: 5_000 } as const;
const BOOK_LEVELS = 60;
const TRADES_SHOWN = 100;
const OPEN_SHOWN = 200;
const PAGE = 100;

export interface ReadParts {
  readonly desk: Desk;
  readonly words: Words;
  readonly shared: SharedReads;
  readonly chain: ChainCheck;
}

export interface AuditPage extends Pick<OrderName, "orderId" | "userref"> {
  readonly limit?: number;
}

export class ConsoleReads {
  readonly #parts: ReadParts;

  constructor(parts: ReadParts) {
    this.#parts = parts;
  }

  /** Something has changed: whoever reads from now on is to see it. */
  forget(): void {
    this.#parts.shared.forget();
  }

  async markets(): Promise<Result<ConsoleMarkets>> {
    const { desk } = this.#parts;
    const [markets, tickers] = await Promise.all([
      this.#shared("markets", FRESH.account, () => desk.markets()),
      this.tickers(),
    ]);
    if (!markets.ok) return markets;
    return tickers.ok ? ok({ markets: markets.value, tickers: tickers.value }) : tickers;
  }

  tickers(isChanged = false): Promise<Result<ConsoleMarkets["tickers"]>> {
    return this.#eventful("tickers", isChanged, FRESH.account, () => this.#parts.desk.tickers());
  }

  book(symbol: string, isChanged = false): Promise<Result<ConsoleBook>> {
    const ask = () => this.#parts.desk.orderbook(symbol, BOOK_LEVELS, "followed");
    return this.#eventful("book", isChanged, FRESH.market, ask, symbol);
  }

  trades(symbol: string, isChanged = false): Promise<Result<ConsoleTrades>> {
    const ask = async (): Promise<Result<ConsoleTrades>> => {
      const trades = await this.#parts.desk.trades(symbol, TRADES_SHOWN, "followed");
      return trades.ok ? ok({ trades: trades.value }) : trades;
    };
    return this.#eventful("trades", isChanged, FRESH.market, ask, symbol);
  }

  candles(symbol: string, interval: CandleInterval): Promise<Result<ConsoleCandles>> {
    return this.#shared(`candles ${interval} ${symbol}`, FRESH.history, async () => {
      const candles = await this.#parts.desk.candles(symbol, interval);
      return candles.ok ? ok({ interval, candles: candles.value }) : candles;
    });
  }

  portfolio(period: PortfolioPeriod): Promise<Result<ConsolePortfolio>> {
    const ask = () => this.#parts.desk.portfolio({ period, withEquity: true });
    return this.#shared(`portfolio ${period}`, FRESH.portfolio, ask);
  }

  openOrders(isChanged = false): Promise<Result<ConsoleOpenOrders>> {
    const ask = () => this.#parts.desk.openOrders({ limit: OPEN_SHOWN });
    return this.#eventful("orders", isChanged, FRESH.account, ask);
  }

  closedOrders(cursor?: string): Promise<Result<ConsoleOrders>> {
    const ask = () => this.#parts.desk.orders({ state: "closed", limit: PAGE, ...defined({ cursor }) });
    return this.#shared(`closed ${cursor ?? ""}`, FRESH.history, ask);
  }

  plans(page: PlansPage, isChanged = false): Promise<Result<ConsolePlans>> {
    const ask = () => plansOf(this.#parts.desk, page);
    return this.#eventful("plans", isChanged, FRESH.account, ask, JSON.stringify(page));
  }

  plan(planId: string): Promise<Result<ConsolePlan>> {
    return this.#shared(`plan ${planId}`, FRESH.account, () => planOf(this.#parts.desk, planId));
  }

  order(name: OrderName): Promise<Result<ConsoleOrder>> {
    return this.#shared(`order ${JSON.stringify(name)}`, FRESH.account, () => this.#parts.desk.order(name, NOBODY));
  }

  fills(page: { readonly symbol?: string; readonly cursor?: string }): Promise<Result<ConsoleFills>> {
    const ask = () => this.#parts.desk.fills({ limit: PAGE, ...page });
    return this.#shared(`fills ${JSON.stringify(page)}`, FRESH.history, ask);
  }

  policy(): Promise<Result<ConsolePolicy>> {
    return this.#shared("policy", FRESH.account, () => this.#parts.desk.policy());
  }

  async audit({ limit = PAGE, ...name }: AuditPage): Promise<Result<ConsoleAudit>> {
    const { desk, chain } = this.#parts;
    const ask = () => desk.audit({ limit, ...name });
    const found = await this.#shared(`audit ${limit} ${JSON.stringify(name)}`, FRESH.account, ask);
    return found.ok ? ok({ ...found.value, chain: chain.latest() }) : found;
  }

  /** Asked each time: a go is for exactly what was shown. */
  async sinceCopy(): Promise<Result<ConsoleSinceCopy>> {
    const found = await this.#parts.desk.sinceCopy();
    return found.ok ? ok({ since_copy: found.value ?? null }) : found;
  }

  async status(isChanged = false): Promise<Result<DeskStatus>> {
    return this.#eventful("status", isChanged, FRESH.account, async () => ok(await this.#parts.desk.status()));
  }

  approvals(isChanged = false): Promise<Result<ConsoleApprovals>> {
    return this.#eventful("approvals", isChanged, FRESH.account, () => this.#waiting());
  }

  async #waiting(): Promise<Result<ConsoleApprovals>> {
    const { desk, words } = this.#parts;
    const found = await desk.pending();
    if (!found.ok) return found;
    const { pending, ...stamp } = found.value;
    const transfers = (await desk.transfers?.pending()) ?? ok([]);
    if (!transfers.ok) return transfers;
    const orders = await Promise.all(
      pending.map(async (order) => {
        const now = await desk.outlook(order);
        const question = questionText(desk, stamp.account, order, words, now);
        return { ...orderView(order, words), now: now ?? null, question };
      }),
    );
    const moves = transfers.value.map((transfer) => ({
      ...transferView(transfer),
      question: transferQuestionText(desk, stamp.account, transfer, words),
    }));
    const plans = await plansWaiting(desk, stamp.account, words);
    if (!plans.ok) return plans;
    const waiting = [...orders, ...moves, ...plans.value].sort((a, b) => a.asked_at.localeCompare(b.asked_at));
    return ok({ waiting, ...stamp });
  }

  /** @param of what it is a view of, where there are several */
  #eventful<View>(
    name: "status" | "approvals" | "orders" | "plans" | "tickers" | "book" | "trades",
    isChanged: boolean,
    freshMs: number,
    ask: () => Promise<View>,
    of = "",
  ): Promise<View> {
    return isChanged
      ? this.#parts.shared.renew(`${name} ${of}`, freshMs, ask)
      : this.#shared(`${name} ${of}`, freshMs, ask);
  }

  #shared<View>(name: string, freshMs: number, ask: () => Promise<View>): Promise<View> {
    return this.#parts.shared.read(name, freshMs, ask);
  }
}

function orderView(order: PendingOrder, words: Words): Omit<ApprovalView, "question"> {
  const { intent_id: id, digest, value, why, asked_at, expires_at } = order;
  const summary = orderWords(order.order, words);
  return { kind: "order", id, digest, summary, value, why, asked_at, expires_at, order };
}

function transferView({ asked, digest }: PendingTransfer): Omit<ApprovalView, "question"> {
  const { transfer_id: id, summary, value, why, asked_at, expires_at } = asked;
  return { kind: "transfer", id, digest, summary, value, why, asked_at, expires_at };
}
