/** Fills for the store's tests, in this process and in its children. */
import type { FillLedger, LedgerFill } from "../../src/desk/index.ts";
import { unwrap } from "../fixture/result.ts";

export function numberedFill(n: number, more: Partial<LedgerFill> = {}): LedgerFill {
  const amounts = { price: "100000000", volume: "0.00000001", value: "1", fee: "0.0005", feeCurrency: "KRW" };
  return { tradeId: String(n), orderId: `o${n}`, symbol: "BTC/KRW", side: "buy", ...amounts, atMs: n, ...more };
}

export const FILLS_PER_PAGE = 20;

/** The newest first, as a venue lists them. */
export function pageOf(page: number, pages: number): LedgerFill[] {
  const newest = (pages - page) * FILLS_PER_PAGE;
  return Array.from({ length: FILLS_PER_PAGE }, (_, at) => numberedFill(newest - at));
}

/** All that is kept, page by page. */
export async function keptFills(ledger: FillLedger, account: string, limit = 1_000): Promise<LedgerFill[]> {
  const found: LedgerFill[] = [];
  for (;;) {
    const after = found.at(-1) ?? { atMs: 0, tradeId: "", orderId: "" };
    const page = await unwrap(ledger.page(account, { after, limit }));
    found.push(...page);
    if (page.length < limit) return found;
  }
}
