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
import { amount } from "../mcp/index.ts";
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
  "th,td{text-align:left;padding:.3rem .8rem .3rem 0;border-bottom:1px solid #8884}td.n{text-align:right;font-variant-numeric:tabular-nums}" +
  "pre{overflow:auto;padding:1rem;border:1px solid #8886;border-radius:6px}.badge{padding:.1rem .6rem;border-radius:4px;color:#fff;background:#1a6e3c}" +
  ".live{background:#b3261e}.warn{border-left:4px solid #b36b00;padding-left:.8rem}";

const STYLE_SOURCE = `'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`;

/** What the page shows of the account is this old at most. */
const FRESH_MS = 2_500;

/** Makes the page, for as many who load it as there are. Rejects where the desk does. */
export type HomePage = (addresses: HomeAddresses) => Promise<Page>;

/** @param now milliseconds that only rise. */
export function createHomePage(desk: Desk, now: () => number = () => performance.now()): HomePage {
  let latest: Promise<string> | undefined;
  let staleAtMs = Number.POSITIVE_INFINITY;
  const account = (): Promise<string> => {
    if (latest === undefined || now() >= staleAtMs) {
      // While the desk is being asked, everybody waits for that answer; a failure counts as long as an answer does.
      staleAtMs = Number.POSITIVE_INFINITY;
      latest = renderAccount(desk).finally(() => {
        staleAtMs = now() + FRESH_MS;
      });
    }
    return latest;
  };
  return async (addresses) => {
    const body = `${await account()}\n${connecting(addresses)}`;
    const html = `<!doctype html>
<html lang="en">
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

async function renderAccount(desk: Desk): Promise<string> {
  const status = await desk.status();
  const [balances, orders, fills] = await Promise.all([
    desk.balances(),
    desk.orders({ state: "open", limit: ORDERS_SHOWN }),
    desk.fills({ limit: FILLS_SHOWN }),
  ]);
  return [
    heading(status),
    section(balances, (view) => balanceTable(view.balances, view.total_krw)),
    section(orders, (page) => orderTable(page.orders)),
    section(fills, (view) => fillTable(view.trades)),
  ].join("\n");
}

function heading(status: DeskStatus): string {
  const live = status.environment === "live";
  const badge = `<span class="badge${live ? " live" : ""}">${live ? "LIVE: real money" : "sandbox: paper money"}</span>`;
  const facts = `Profile ${escaped(status.profile)}, account ${escaped(status.account)}. Exchange ${status.venue}; trading is ${status.can_trade ? "" : "not "}possible.`;
  const warnings = [
    ...(status.error === undefined ? [] : [status.error.message]),
    ...status.warnings,
    ...status.unresolved.map(({ userref, symbol }) => `The outcome of ${userref} (${symbol}) is not known yet.`),
  ];
  const list = warnings.map((warning) => `<p class="warn">${escaped(warning)}</p>`).join("\n");
  return `<h1>hoga ${badge}</h1>\n<p>${facts}</p>\n${list}`;
}

function section<Value>(result: Result<Value>, show: (value: Value) => string): string {
  return result.ok ? show(result.value) : failure(result.fault);
}

function failure(fault: Fault): string {
  return `<p class="warn">${escaped(fault.message)} ${escaped(fault.nextAction)}</p>`;
}

function balanceTable(balances: readonly ValuedBalance[], total: string): string {
  const rows = balances.map(({ asset, total: held, available, locked, krw_value }) => [
    escaped(asset),
    figure(amount(held, asset)),
    figure(amount(available, asset)),
    figure(amount(locked, asset)),
    figure(krw_value === null ? "–" : amount(krw_value, "KRW")),
  ]);
  return table(
    `Balances, about ${amount(total, "KRW")} in all`,
    ["Asset", "Total", "Available", "In orders", "Value"],
    rows,
  );
}

function orderTable(orders: readonly Order[]): string {
  const rows = orders.map((order) => {
    const [base = "", quote = ""] = order.symbol.split("/");
    return [
      escaped(order.symbol),
      order.side,
      figure(order.volume === null ? amount(order.amount ?? "", quote) : amount(order.volume, base)),
      figure(order.price === null ? "market" : amount(order.price, quote)),
      figure(amount(order.executed_volume, base)),
      `<code>${escaped(order.orderId)}</code>`,
    ];
  });
  return table("Open orders", ["Market", "Side", "Size", "Price", "Executed", "Order id"], rows);
}

function fillTable(fills: readonly Fill[]): string {
  const rows = fills.map((fill) => {
    const [base = "", quote = ""] = fill.symbol.split("/");
    return [
      escaped(fill.time.slice(0, 19).replace("T", " ")),
      escaped(fill.symbol),
      fill.side,
      figure(amount(fill.volume, base)),
      figure(amount(fill.price, quote)),
      figure(amount(fill.fee, fill.fee_currency)),
    ];
  });
  return table("Last fills", ["Time (UTC)", "Market", "Side", "Volume", "Price", "Fee"], rows);
}

function connecting({ mcp, exchange, console: page, tokenFile }: HomeAddresses): string {
  const headers = { Authorization: `Bearer (what is in ${tokenFile})` };
  const config = JSON.stringify({ mcpServers: { hoga: { type: "http", url: mcp, headers } } }, null, 2);
  const command = `claude mcp add --transport http hoga ${mcp} --header "Authorization: Bearer $(cat '${tokenFile}')"`;
  return `<h2>Connect an assistant</h2>
<p>Paste this into the MCP configuration of an assistant on this computer, with the token in its place:</p>
<pre>${escaped(config)}</pre>
<p>Claude Code: <code>${escaped(command)}</code></p>
<p>Whoever has the token trades. Exchange: <code>${escaped(exchange)}</code>. This page: <code>${escaped(page)}</code>.</p>`;
}

interface Cell {
  readonly figure: string;
}

function figure(text: string): Cell {
  return { figure: text };
}

/** Plain cells are HTML already; figures are escaped here. */
function table(caption: string, head: readonly string[], rows: readonly (readonly (string | Cell)[])[]): string {
  const cells = (row: readonly (string | Cell)[]) =>
    row
      .map((cell) => (typeof cell === "string" ? `<td>${cell}</td>` : `<td class="n">${escaped(cell.figure)}</td>`))
      .join("");
  const body =
    rows.length === 0
      ? `<tr><td colspan="${head.length}">none</td></tr>`
      : rows.map((row) => `<tr>${cells(row)}</tr>`).join("\n");
  const headings = head.map((name) => `<th scope="col">${name}</th>`).join("");
  return `<table><caption>${escaped(caption)}</caption><thead><tr>${headings}</tr></thead><tbody>${body}</tbody></table>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
