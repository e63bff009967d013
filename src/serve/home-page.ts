/**
 * Owns the page for people at `GET /`: what this server trades on, what the account holds, and how to connect an assistant.
 * It only looks, has no script and loads nothing.
 *
 * Invariants: every text that is not ours passes `escaped`; however often the page is loaded, the exchange is asked once per
 * period, as its rate limit is there for orders.
 */
import { createHash } from "node:crypto";
import type { Fault, Fill, Order, Result } from "../contract/index.ts";
import type { Desk, DeskStatus, ValuedBalance } from "../desk/index.ts";
import { shortAmount as amount, koreanFault, shortWon, type Words, wordsFor } from "../words/index.ts";
import type { Page } from "./page.ts";

export interface HomeAddresses {
  /** Where assistants connect, with path. */
  readonly mcp: string;
  /** The exchange's REST interface. */
  readonly exchange: string;
  /** This page. */
  readonly console: string;
  /** The file that holds the token; the token itself is not shown. */
  readonly tokenFile: string;
}

const FILLS_SHOWN = 10;
const ORDERS_SHOWN = 50;

const STYLE =
  ":root{color-scheme:light dark;font:15px/1.5 system-ui,sans-serif}body{max-width:64rem;margin:2rem auto;padding:0 1rem}" +
  "table{border-collapse:collapse;width:100%;margin:.5rem 0 1.5rem}caption{text-align:left;font-weight:600;padding:.4rem 0}" +
  "th,td{text-align:left;padding:.3rem .8rem .3rem 0;border-bottom:1px solid #8884}th.n,td.n{text-align:right;font-variant-numeric:tabular-nums}" +
  "pre{overflow:auto;padding:1rem;border:1px solid #8886;border-radius:6px}.badge{padding:.1rem .6rem;border-radius:4px;color:#fff;background:#1a6e3c}" +
  ".live{background:#b3261e}.warn{border-left:4px solid #b36b00;padding-left:.8rem}";

const STYLE_SOURCE = `'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`;

/** What the page shows of the account is this old at most. */
const FRESH_MS = 2_500;

/** Makes the page, for as many who load it as there are. Rejects where the desk does. */
export type HomePage = (addresses: HomeAddresses) => Promise<Page>;

/** @param now milliseconds that only rise. */
export function createHomePage(
  desk: Desk,
  words: Words = wordsFor(),
  now: () => number = () => performance.now(),
): HomePage {
  let latest: Promise<string> | undefined;
  let staleAtMs = Number.POSITIVE_INFINITY;
  const account = (): Promise<string> => {
    if (latest === undefined || now() >= staleAtMs) {
      // While the desk is being asked, everybody waits for that answer; a failure counts as long as an answer does.
      staleAtMs = Number.POSITIVE_INFINITY;
      latest = renderAccount(desk, words).finally(() => {
        staleAtMs = now() + FRESH_MS;
      });
    }
    return latest;
  };
  return async (addresses) => {
    const body = `${await account()}\n${connecting(addresses, words)}`;
    const html = `<!doctype html>
<html lang="${words.locale}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>hoga: ${escaped(desk.environment)}</title>
<style>${STYLE}</style></head>
<body>
${body}
</body>
</html>
`;
    return { html, styleSource: STYLE_SOURCE };
  };
}

async function renderAccount(desk: Desk, words: Words): Promise<string> {
  const status = await desk.status();
  const [balances, orders, fills] = await Promise.all([
    desk.balances(),
    desk.orders({ state: "open", limit: ORDERS_SHOWN }),
    desk.fills({ limit: FILLS_SHOWN }),
  ]);
  return [
    heading(status, words),
    section(balances, words, (view) => balanceTable(view.balances, view.total_krw, words)),
    section(orders, words, (page) => orderTable(page.orders, words)),
    section(fills, words, (view) => fillTable(view.trades, words)),
  ].join("\n");
}

function heading(status: DeskStatus, words: Words): string {
  const { say } = words;
  const live = status.environment === "live";
  const badge = `<span class="badge${live ? " live" : ""}">${say(live ? "page.live" : "page.sandbox")}</span>`;
  const facts = say("page.facts", {
    profile: escaped(status.profile),
    account: escaped(status.account),
    venue: status.venue,
    trading: say(status.can_trade ? "page.can_trade" : "page.cannot_trade"),
  });
  const warnings = [
    ...(status.error === undefined ? [] : [faultText(status.error, words)]),
    ...status.warnings,
    ...status.unresolved.map(({ userref, symbol }) => say("page.unresolved", { userref, symbol })),
  ];
  const list = warnings.map((warning) => `<p class="warn">${escaped(warning)}</p>`).join("\n");
  return `<h1>hoga ${badge}</h1>\n<p>${facts}</p>\n${list}`;
}

function section<Value>(result: Result<Value>, words: Words, show: (value: Value) => string): string {
  return result.ok ? show(result.value) : failure(result.fault, words);
}

function failure(fault: Fault, words: Words): string {
  const next = words.locale === "ko" ? koreanFault(fault.code).nextAction : fault.nextAction;
  return `<p class="warn">${escaped(faultText(fault, words))} ${escaped(next)}</p>`;
}

function faultText({ code, message }: Pick<Fault, "code" | "message">, { locale, say }: Words): string {
  return locale === "ko" ? `${koreanFault(code).meaning} ${say("error.detail", { detail: message })}` : message;
}

function balanceTable(balances: readonly ValuedBalance[], total: string, { say, amount: spoken }: Words): string {
  const rows = balances.map(({ asset, total: held, available, locked, krw_value }) => [
    escaped(asset),
    figure(amount(held, asset)),
    figure(amount(available, asset)),
    figure(amount(locked, asset)),
    figure(krw_value === null ? "–" : amount(krw_value, "KRW")),
  ]);
  return table(
    say("page.balances", { total: spoken(shortWon(total), "KRW") }),
    (["asset", "total", "available", "in_orders", "value"] as const).map((name) => say(`head.${name}`)),
    rows,
    say("page.none"),
  );
}

function orderTable(orders: readonly Order[], { say }: Words): string {
  const rows = orders.map((order) => {
    const [base = "", quote = ""] = order.symbol.split("/");
    return [
      escaped(order.symbol),
      say(`side.${order.side}`),
      figure(order.volume === null ? amount(order.amount ?? "", quote) : amount(order.volume, base)),
      figure(order.price === null ? say("type.market") : amount(order.price, quote)),
      figure(amount(order.executed_volume, base)),
      `<code>${escaped(order.orderId)}</code>`,
    ];
  });
  return table(
    say("page.orders"),
    (["market", "side", "size", "price", "executed", "order_id"] as const).map((name) => say(`head.${name}`)),
    rows,
    say("page.none"),
  );
}

function fillTable(fills: readonly Fill[], { say, when }: Words): string {
  const rows = fills.map((fill) => {
    const [base = "", quote = ""] = fill.symbol.split("/");
    return [
      escaped(when(fill.time)),
      escaped(fill.symbol),
      say(`side.${fill.side}`),
      figure(amount(fill.volume, base)),
      figure(amount(fill.price, quote)),
      figure(amount(fill.fee, fill.fee_currency)),
    ];
  });
  return table(
    say("page.fills"),
    (["time", "market", "side", "volume", "price", "fee"] as const).map((name) => say(`head.${name}`)),
    rows,
    say("page.none"),
  );
}

function connecting({ mcp, exchange, console: page, tokenFile }: HomeAddresses, { say }: Words): string {
  const headers = { Authorization: `Bearer ${say("page.token", { file: tokenFile })}` };
  const config = JSON.stringify({ mcpServers: { hoga: { type: "http", url: mcp, headers } } }, null, 2);
  const command = `claude mcp add --transport http hoga ${mcp} --header "Authorization: Bearer $(cat '${tokenFile}')"`;
  return `<h2>${say("page.connect")}</h2>
<p>${say("page.paste")}</p>
<pre>${escaped(config)}</pre>
<p>Claude Code: <code>${escaped(command)}</code></p>
<p>${say("page.addresses", { exchange: `<code>${escaped(exchange)}</code>`, page: `<code>${escaped(page)}</code>` })}</p>`;
}

interface Cell {
  readonly figure: string;
}

function figure(text: string): Cell {
  return { figure: text };
}

/** Plain cells are HTML already; figures are escaped here. */
function table(
  caption: string,
  head: readonly string[],
  rows: readonly (readonly (string | Cell)[])[],
  none: string,
): string {
  const cells = (row: readonly (string | Cell)[]) =>
    row
      .map((cell) => (typeof cell === "string" ? `<td>${cell}</td>` : `<td class="n">${escaped(cell.figure)}</td>`))
      .join("");
  const body =
    rows.length === 0
      ? `<tr><td colspan="${head.length}">${none}</td></tr>`
      : rows.map((row) => `<tr>${cells(row)}</tr>`).join("\n");
  const headings = head
    .map((name, at) => `<th scope="col"${typeof rows[0]?.[at] === "object" ? ' class="n"' : ""}>${name}</th>`)
    .join("");
  return `<table><caption>${escaped(caption)}</caption><thead><tr>${headings}</tr></thead><tbody>${body}</tbody></table>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
