/**
 * Hands out the history of an account: for people as a table with its totals, as CSV, or as one line of JSON. Entry point: `handOut`.
 *
 * Invariant: nothing is handed out before all of it was read, so that no part passes for the whole.
 *
 * Source: commands.md#history; decision 0033.
 */
import { quoted } from "../contract/index.ts";
import { localTime, type MarketTotals, type Stamp } from "../desk/index.ts";
import { shortAmount as amount, type Words } from "../words/index.ts";
import { UsageError } from "./failure.ts";
import type { Invocation } from "./invocation.ts";
import type { Period, PeriodOptions } from "./local-period.ts";
import { NewFile } from "./new-file.ts";
import { csv } from "./text/csv.ts";
import { right, table } from "./text/table.ts";

export interface HistoryOptions extends PeriodOptions {
  readonly profile?: string;
  readonly symbol?: string;
  readonly csv?: boolean;
  /** CSV to this new file. */
  readonly out?: string;
  /** Begins the CSV with a byte order mark, by which some spreadsheets know UTF-8. */
  readonly bom?: boolean;
  readonly json?: boolean;
}

export interface History extends Stamp {
  readonly period: Period;
  readonly count: number;
  readonly totals: readonly MarketTotals[];
  /** Its entries, as JSON has them. */
  readonly content: object;
  /** The line before the table. */
  readonly head: string;
  readonly table: () => string;
  readonly csv: () => { readonly heads: readonly string[]; readonly rows: readonly (readonly (string | null)[])[] };
}

/** Takes the name of the file, if there is to be one, before anything is read. @throws UsageError */
export function destinationOf({ csv: isCsv, out, bom, json }: HistoryOptions): NewFile | undefined {
  if (json === true && (isCsv === true || out !== undefined))
    throw new UsageError("--json and CSV are two forms of one result.", "Give one of --json, --csv and --out.");
  if (bom === true && isCsv !== true && out === undefined)
    throw new UsageError("--bom is a mark of CSV.", "Add --csv, or --out FILE.");
  return out === undefined ? undefined : new NewFile(out);
}

export function handOut(run: Invocation, options: HistoryOptions, file: NewFile | undefined, history: History): void {
  const { out, words } = run;
  if (options.json === true) out.printJson(jsonOf(history, words));
  else if (file === undefined) {
    if (options.csv === true) out.write(csvOf(history, options));
    else out.print(textOf(history, words));
  } else {
    file.write(csvOf(history, options));
    out.print([history.head, totalsText(history.totals, words)].join("\n").trimEnd());
    out.notice(words.say("history.written", { count: history.count, file: file.path }));
  }
}

function csvOf(history: History, { bom = false }: HistoryOptions): string {
  const { heads, rows } = history.csv();
  return `${bom ? "\uFEFF" : ""}${csv(heads, rows)}`;
}

function jsonOf({ environment, account, unit, period, content, totals }: History, { timeZone }: Words): object {
  const iso = (ms: number | undefined): string | null => (ms === undefined ? null : new Date(ms).toISOString());
  return {
    ...{ environment, account, unit },
    period: { from: iso(period.fromMs), to: iso(period.toMs), timezone: timeZone },
    ...content,
    totals,
  };
}

function textOf({ head, table: tableOf, totals, count }: History, words: Words): string {
  return count === 0 ? head : [head, tableOf(), "", totalsText(totals, words)].join("\n").trimEnd();
}

/** The head of a history: whose, of when, and how many. */
export function headOf(words: Words, { environment, account }: Stamp, { fromMs, toMs }: Period, what: string): string {
  return words.say("history.head", {
    money: words.say(`money.${environment}`),
    account: quoted(account),
    from: fromMs === undefined ? words.say("history.beginning") : words.when(fromMs),
    to: toMs === undefined ? words.say("history.now") : words.when(toMs),
    what,
  });
}

function totalsText(totals: readonly MarketTotals[], { say }: Words): string {
  if (totals.length === 0) return "";
  const heads = [
    say("column.market"),
    ...(["bought", "paid", "sold", "received", "fees"] as const).map((name) => right(say(`column.${name}`))),
  ];
  const rows = totals.map(({ symbol, buy_volume, buy_value, sell_volume, sell_value, fees }) => {
    const [base = "", quote = ""] = symbol.split("/");
    const paid = fees.map(({ currency, amount: fee }) => amount(fee, currency)).join(" + ");
    return [
      symbol,
      amount(buy_volume, base),
      amount(buy_value, quote),
      amount(sell_volume, base),
      amount(sell_value, quote),
      paid,
    ];
  });
  return table(heads, rows);
}

/** A time of the exchange by a person's clock, to the millisecond and with its distance from UTC. */
export function localIso(time: string, timeZone: string): string {
  const { utc, local } = localTime(Date.parse(time), timeZone);
  return `${local.slice(0, 19)}${utc.slice(19, 23)}${local.slice(19)}`;
}
