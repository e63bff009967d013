/**
 * Owns the endpoints about an account besides its orders: balances, own fills, the stream token (decisions §3, #7, #11, #12).
 */

import { answer, badArgument, type Outcome, unknownPair } from "../http/outcome.ts";
import { countOf, periodOf } from "../http/query-value.ts";
import { showsFee } from "../http/requested-version.ts";
import type { FillFilter } from "../model/index.ts";
import { cursorOf, cursorTarget } from "../wire/cursor.ts";
import { timeText } from "../wire/market-view.ts";
import { balanceView, fillView, fillViewWithoutFee } from "../wire/order-view.ts";
import type { Call, Handlers } from "./open-call.ts";

export const ACCOUNT_ENDPOINTS: Handlers<"accounts" | "fills" | "streamToken"> = {
  accounts: ({ service, key }) =>
    answer({ account_id: key.accountId, balances: service.exchange.balances(key.accountId).map(balanceView) }),
  fills,
  streamToken({ service, at, key }) {
    const { token, expiresAt } = service.tokens.issue(key.keyId, key.accountId, at);
    return answer({ token, expires_at: timeText(expiresAt) });
  },
};

function fills({ service, key, version, query }: Call<"fills">): Outcome {
  const symbol = query.symbol === undefined ? undefined : service.markets.symbolOf(query.symbol);
  if (query.symbol !== undefined && symbol === undefined) return unknownPair(query.symbol);
  const period = periodOf(query);
  if (!period.ok) return period;
  const { ok: _ok, ...span } = period;
  const before = query.cursor === undefined ? undefined : cursorTarget("fill", query.cursor);
  if (query.cursor !== undefined && before === undefined)
    return badArgument("cursor", "send next_cursor back unchanged");
  const filter: FillFilter = {
    limit: countOf(query.limit, service.limits.pageSizeDefault),
    ...span,
    ...(symbol === undefined ? {} : { symbol }),
    ...(before === undefined ? {} : { beforeSeq: Number(before) }), // not money: the number of a trade
  };
  const page = service.exchange.fills(key.accountId, filter);
  const last = page.more ? page.fills.at(-1) : undefined;
  const view = showsFee(version) ? fillView : fillViewWithoutFee;
  return answer({
    trades: page.fills.map((fill) => view(fill, service.markets.quoteOf(fill.symbol))),
    next_cursor: last === undefined ? null : cursorOf("fill", String(last.tradeSeq)),
  });
}
