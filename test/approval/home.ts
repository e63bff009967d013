/** A data directory whose policy asks a person for every order, and what waits there or has reached its exchange. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openConnection } from "../../src/store/sql/driver.ts";
import { oneLine } from "../fixture/command.ts";
import { run } from "../fixture/in-process.ts";
import { paperHome } from "../fixture/paper-home.ts";

export type Settings = Readonly<Record<string, string>>;

/** Bounds that no order of these tests comes near, as the market moves while they run. */
const CONFIRM: Settings = {
  mode: '"confirm"',
  max_order_krw: '"900000000"',
  max_day_krw: '"900000000"',
  max_open_krw: '"900000000"',
  price_collar_pct: '"off"',
  max_slippage_pct: '"off"',
  approval_drift_pct: '"50"',
  approval_ttl_s: "3600",
  max_orders_per_minute: "100000",
};

/** @param settings beside or in place of those above, each in the file's own spelling */
export async function confirmHome(settings: Settings = {}): Promise<string> {
  const home = await paperHome();
  setPolicy(home, settings);
  return home;
}

export function setPolicy(home: string, settings: Settings): void {
  const lines = Object.entries({ ...CONFIRM, ...settings }).map(([name, value]) => `${name} = ${value}\n`);
  writeFileSync(join(home, "policy.toml"), lines.join(""), { mode: 0o600 });
}

/** Rests far below the market. */
export const LIMIT = {
  symbol: "BTC/KRW",
  side: "buy",
  type: "limit",
  base_volume: "0.001",
  price: "90000000",
} as const;

export interface Waiting {
  readonly intent_id: string;
  readonly userref: string;
  readonly order: Readonly<Record<string, unknown>>;
}

/** What `hoga pending` lists, asked in this process, whichever way the test runs its own commands. */
export async function waitingIn(home: string): Promise<readonly Waiting[]> {
  const listed = await run(["pending", "--json"], { home });
  if (listed.code !== 0) throw new Error(`hoga pending: ${listed.code} ${listed.stderr}`);
  return oneLine<{ readonly pending: readonly Waiting[] }>(listed).pending;
}

/** Makes the log of a data directory refuse every row, or take them again. */
export function deafen(home: string, deaf: boolean): Promise<void> {
  return execute(home, deaf ? DEAF : "DROP TRIGGER deaf");
}

/** Moves what is in the database's log into its file. */
export function checkpoint(home: string): Promise<void> {
  return execute(home, "PRAGMA wal_checkpoint(TRUNCATE)");
}

async function execute(home: string, sql: string): Promise<void> {
  const database = join(home, "hoga.db");
  const connection = await openConnection(database, { journal: "wal", durability: "normal", random: Math.random });
  await connection.exec(sql);
  connection.close();
}

const DEAF = "CREATE TRIGGER deaf BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'no'); END";
