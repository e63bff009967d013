/** The tenants of a run: each with an account and a key at the exchange, a policy, a PIN and a token of its own; and what people do by commands. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { oneLine, type SandboxLine } from "../../fixture/command.ts";
import { openAccount } from "../../fixture/exchange-account.ts";
import { openShell } from "../../fixture/pseudo-terminal.ts";
import type { KeyPair } from "../../fixture/witness.ts";
import { type Place, run } from "./programs.ts";

export const PROFILE = "shared";
const PIN = "correct horse 7";
const SCOPES = "market:read,account:read,trade:write,safety:write";

export interface Limits {
  readonly max_day_krw: number;
  readonly max_open_orders: number;
  readonly max_orders_per_minute: number;
}

export interface SoakTenant {
  readonly name: string;
  readonly limits: Limits;
  readonly token: string;
  readonly key: KeyPair;
}

/** No two alike, and so narrow that eight agents run into them: half of the tenants into the budget of the day as well. */
export function limitsOf(n: number): Limits {
  const max_day_krw = n % 2 === 0 ? 2_000_000 : 125_000 + n * 25_000;
  return { max_day_krw, max_open_orders: 6 + n, max_orders_per_minute: 7 + 2 * n };
}

function policyOf({ max_day_krw, ...counts }: Limits): string {
  const settings = {
    ...{ mode: "bounded", max_order_krw: "1000000", max_open_krw: "5000000", max_day_krw: String(max_day_krw) },
    ...{ approval_over_krw: "200000", approval_ttl_s: 600, approval_drift_pct: "50" },
    ...{ price_collar_pct: "off", max_slippage_pct: "off", book_max_age_ms: 10_000, ...counts },
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name} = ${JSON.stringify(value)}\n`)
    .join("");
}

async function must(words: readonly string[], place: Place, piped = ""): Promise<string> {
  const ended = await run(words, place, { piped });
  if (ended.code !== 0) throw new Error(`hoga ${words.join(" ")}: ${ended.stdout}${ended.stderr}`);
  return ended.stdout;
}

export interface Making {
  readonly line: SandboxLine;
  readonly venueHome: string;
  /** Where the commands are given. */
  readonly place: Place;
  /** Data directories of all replicas, as a policy is a file in each. */
  readonly homes: readonly string[];
}

export async function makeTenant(n: number, { line, venueHome, place, homes }: Making): Promise<SoakTenant> {
  const [name, limits] = [`tenant-${n}`, limitsOf(n)];
  const key = await openAccount(line, venueHome, name);
  await must(["tenants", "create", name, "--profile", PROFILE], place);
  await must(["tenants", "key", name], place, `${key.api_key}\n${key.api_secret}\n`);
  for (const home of homes) {
    mkdirSync(join(home, "tenants", name), { recursive: true, mode: 0o700 });
    writeFileSync(join(home, "tenants", name, "policy.toml"), policyOf(limits), { mode: 0o600 });
  }
  const made = await must(["tokens", "create", `of-${name}`, "--tenant", name, "--scopes", SCOPES, "--json"], place);
  await setPin(place, ["--tenant", name]);
  return { name, limits, key, token: oneLine<{ token: string }>({ stdout: made }).token };
}

export async function setPin(place: Place, whose: readonly string[] = []): Promise<void> {
  const questions = ["New PIN (6 to 64 characters): ", "New PIN again: "];
  if ((await atTerminal(["pin", ...whose], place, questions)) !== 0) throw new Error("the PIN was not set");
}

/** A command that asks for the PIN, at a terminal. */
export async function atTerminal(
  words: readonly string[],
  { home, env = {} }: Place,
  questions: readonly string[] = ["PIN: "],
): Promise<number | null> {
  const cli = join(process.cwd(), process.env["HOGA_TEST_CLI"] ?? "dist/cli.js");
  const line = `exec ${[process.execPath, cli, ...words].map((word) => `'${word}'`).join(" ")}`;
  const own = { PATH: process.env["PATH"] ?? "", HOME: home, HOGA_HOME: home, ...env };
  const terminal = openShell(line, own);
  for (const question of questions) {
    const isAsked = await terminal.see(question).then(
      () => true,
      () => false,
    );
    if (!isAsked) break;
    terminal.type(`${PIN}\r`);
  }
  return (await terminal.ended).code;
}
