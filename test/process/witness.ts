/**
 * The exchange's own word: raw signed queries that share no code with hoga, its journal as it lies on disk, and a ledger drawn up
 * from fills and open orders in whole units of 1e-8.
 */
import { readdirSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";
import { sign } from "../sandbox/http/signed-client.ts";
import type { ShownBalance, ShownOrder } from "./assistant.ts";

interface HostFile {
  readonly base_url: string;
  readonly pid: number;
}

/** Who hosts the paper exchange of a data directory, as its port file says. */
export function hostOf(home: string): HostFile | undefined {
  try {
    return JSON.parse(readFileSync(join(home, "sandbox", "host.json"), "utf8")) as HostFile;
  } catch {
    return undefined;
  }
}

/** What clocks, as processes on a busy machine measure them, may be apart. */
const CLOCKS_APART_MS = 300;

/** One signed GET; asked again while the exchange is moving, or when another caller was ahead. */
async function ask<T>(home: string, path: string): Promise<T> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    const { status, text } = await askOnce(home, path).catch((error: Error) => ({ status: 0, text: error.message }));
    if (status === 200) return JSON.parse(text) as T;
    if (Date.now() > deadline) throw new Error(`the exchange did not answer: ${status} ${text}`);
    await pause(50);
  }
}

async function askOnce(home: string, path: string): Promise<{ readonly status: number; readonly text: string }> {
  const key = JSON.parse(readFileSync(join(home, "sandbox", "key.json"), "utf8")) as Record<string, string>;
  // The next one there is, and a while after the last: nobody whose clock is behind that one's is about to use the same.
  await pause(CLOCKS_APART_MS - (Date.now() - Number(lastNonce(home) ?? 0)));
  const last = lastNonce(home);
  const nonce = last === undefined ? String(Date.now()) : String(BigInt(last) + 1n);
  const signature = sign(key["api_secret"] ?? "", nonce, `GET ${path}`, "");
  const headers = { "API-Key": key["api_key"] ?? "", "API-Nonce": nonce, "API-Sign": signature };
  return get(`${hostOf(home)?.base_url ?? "http://127.0.0.1:9"}${path}`, headers);
}

function lastNonce(home: string): string | undefined {
  return journalOf(home).findLast(({ command }) => command.type === "nonce")?.command.nonce;
}

function get(
  url: string,
  headers: Record<string, string>,
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve) => {
    const sent = request(url, { agent: false, headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text }));
      answer.on("error", (error) => resolve({ status: 0, text: error.message }));
    });
    sent.on("error", (error) => resolve({ status: 0, text: error.message }));
    sent.end();
  });
}

async function pages<T>(home: string, path: string, name: string): Promise<readonly T[]> {
  const found: T[] = [];
  let cursor = "";
  do {
    const page = await ask<Record<string, unknown>>(home, `${path}${cursor}`);
    found.push(...(page[name] as T[]));
    cursor = typeof page["next_cursor"] === "string" ? `&cursor=${page["next_cursor"]}` : "";
  } while (cursor !== "");
  return found;
}

/** Every order the account ever had, newest first. */
export function venueOrders(home: string): Promise<readonly ShownOrder[]> {
  return pages(home, "/v1/orders?state=all&limit=500", "orders");
}

export interface VenueFill {
  readonly symbol: string;
  readonly side: "buy" | "sell";
  readonly volume: string;
  readonly value: string;
  readonly fee: string;
  readonly fee_currency: string;
}

export function venueFills(home: string): Promise<readonly VenueFill[]> {
  return pages(home, "/v1/trades/history?limit=500", "trades");
}

const ONE = 100_000_000n;
const DEPOSIT = 10_000_000n * ONE;
const DEAREST_FEE = 50_000n;

function units(text: string): bigint {
  const [whole = "", fraction = ""] = text.split(".");
  return BigInt(whole) * ONE + BigInt(fraction.padEnd(8, "0"));
}

/** What the account must hold, from the first deposit, its fills and its open orders. */
export async function ledgerOf(home: string): Promise<ReadonlyMap<string, { total: bigint; locked: bigint }>> {
  const ledger = new Map([["KRW", { total: DEPOSIT, locked: 0n }]]);
  const of = (asset: string): { total: bigint; locked: bigint } => {
    const entry = ledger.get(asset) ?? { total: 0n, locked: 0n };
    ledger.set(asset, entry);
    return entry;
  };
  for (const { symbol, side, volume, value, fee, fee_currency } of await venueFills(home)) {
    const [base = "", quote = ""] = symbol.split("/");
    const sign = side === "buy" ? 1n : -1n;
    of(base).total += sign * units(volume);
    of(quote).total -= sign * units(value);
    of(fee_currency).total -= units(fee);
  }
  for (const { symbol, side, price, state, remaining_volume } of await venueOrders(home)) {
    if (state !== "open") continue;
    const [base = "", quote = ""] = symbol.split("/");
    const remaining = units(remaining_volume ?? "0");
    const value = (units(price ?? "0") * remaining) / ONE;
    if (side === "sell") of(base).locked += remaining;
    else of(quote).locked += value + (value * DEAREST_FEE) / ONE;
  }
  return ledger;
}

/** Balances as shown are the ledger's, to the last unit. */
export async function expectBalanced(home: string, balances: readonly ShownBalance[] | undefined): Promise<void> {
  const shown = new Map(
    (balances ?? []).map(({ asset, total, available, locked }) => [
      asset,
      { total: units(total), available: units(available), locked: units(locked) },
    ]),
  );
  const due = [...(await ledgerOf(home))].map(
    ([asset, { total, locked }]) => [asset, { total, available: total - locked, locked }] as const,
  );
  expect(shown).toEqual(new Map(due));
}

export interface JournalRecord {
  readonly seq: number;
  readonly command: {
    readonly type: string;
    readonly nonce?: string;
    readonly userref?: string | null;
    readonly accountId?: string;
  };
}

/** What the exchange wrote down, oldest first. */
export function journalOf(home: string): readonly JournalRecord[] {
  const dir = join(home, "sandbox");
  return readdirSync(dir)
    .filter((name) => /^journal-\d+\.log$/.test(name))
    .sort()
    .flatMap((name) => readFileSync(join(dir, name), "utf8").split("\n"))
    .filter((line) => line.includes('"seq"'))
    .map((line) => JSON.parse(line.slice(9)) as JournalRecord);
}

/** The first place where a list does not rise; undefined when it rises all the way. */
export function firstReversal(nonces: readonly string[]): string | undefined {
  const at = nonces.findIndex((nonce, index) => index > 0 && BigInt(nonce) <= BigInt(nonces[index - 1] ?? "0"));
  return at < 0 ? undefined : `${nonces[at]} after ${nonces[at - 1]}`;
}
