/**
 * The endpoints of the Open API for an account: balances, fills, the stream token.
 * Source: service.md#v1-accounts, service.md#v1-fills, service.md#v1-stream-token.
 */

import { answer, type Outcome, unknownPair } from "../../http/outcome.ts";
import { countOf, periodOf, placeOf } from "../../http/query-value.ts";
import { showsFee } from "../../http/requested-version.ts";
import { cursorOf } from "../../wire/cursor.ts";
import { timeText } from "../../wire/market-view.ts";
import { balanceView, fillView, fillViewWithoutFee } from "../../wire/order-view.ts";
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
  const place = placeOf("fill", query.cursor);
  if (!place.ok) return place;
  const page = service.exchange.fills(key.accountId, {
    symbol,
    from: period.from,
    to: period.to,
    beforeSeq: place.before === undefined ? undefined : Number(place.before), // not money: the number of a trade
    limit: countOf(query.limit, service.limits.pageSizeDefault),
  });
  const view = showsFee(version) ? fillView : fillViewWithoutFee;
  return answer({
    trades: page.fills.map((fill) => view(fill, service.markets.quoteOf(fill.symbol), service.exchange)),
    next_cursor: cursorOf("fill", page.more ? page.fills.at(-1)?.tradeSeq.toString() : undefined),
  });
}
