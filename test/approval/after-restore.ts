/** A store that is put back from a copy, and what a person is shown before trading goes on: over any exchange whose API the sandbox speaks. */
import { cpSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { VenueName } from "../../src/sandbox/index.ts";
import { oneLine, type RunningSandbox, type Terminal } from "../fixture/command.ts";
import { openTerminal, PIN, run, setPin, startSandbox } from "../fixture/command-line.ts";
import { freshHome } from "../fixture/data-dir.ts";
import { homeOf } from "../system/venues/exchange-desk.ts";

export interface SeatAt {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  hoga(...args: string[]): ReturnType<typeof run>;
  /** A limit buy that rests, unless other arguments are given. @returns its id at the exchange */
  place(...args: string[]): Promise<string>;
  /** @returns puts the store back as it is now; what tells how far it had come stays as it is */
  copied(): () => void;
  resume(...args: string[]): Terminal;
  /** Its newest steps. */
  log(limit: number): Promise<readonly Entry[]>;
  /** The orders that the newest step `resumed` was for. */
  lacked(): Promise<readonly string[]>;
  /** The detail of that step. */
  resumedWith(): Promise<Readonly<Record<string, unknown>> | undefined>;
}

export interface ExchangeHere {
  readonly sandbox: RunningSandbox;
  /** A data directory of its own, all of one account. */
  seat(locale?: string): Promise<SeatAt>;
}

export async function exchangeHere(name: "hoga" | VenueName): Promise<ExchangeHere> {
  const sandbox = await startSandbox({ home: freshHome() }, name === "hoga" ? [] : ["--as", name]);
  onTestFinished(async () => void (await sandbox.stop()));
  const { base_url, api_key: apiKey, api_secret: apiSecret } = sandbox.line;
  return { sandbox, seat: (locale) => seatAt(homeOf(name, base_url, { apiKey, apiSecret }), locale) };
}

const RESTS = ["--side", "buy", "--type", "limit", "--base-volume", "0.001", "--price", "90000000"];
const STORE = /^hoga\.db/;

async function seatAt(home: string, locale = "en_US.UTF-8"): Promise<SeatAt> {
  const env = { XDG_STATE_HOME: freshHome(), LANG: locale };
  await setPin(home);
  const hoga = (...args: string[]) => run([...args, "--json"], { home, env });
  const log = async (limit: number) =>
    oneLine<{ entries: readonly Entry[] }>(await hoga("audit", "--limit", String(limit))).entries;
  const resumedWith = async () => (await log(200)).find(({ event }) => event === "resumed")?.detail;
  return {
    ...{ home, env, hoga },
    place: async (...args) => {
      const order = args.some((each) => each === "--type") ? args : [...RESTS, ...args];
      const placed = await hoga("call", "place_order", "--symbol", "BTC/KRW", ...order);
      const { order: shown, orderId, outcome } = oneLine<Placed>(placed);
      const id = shown?.orderId ?? orderId;
      if (outcome !== "accepted" || id === undefined) throw new Error(`${placed.stdout}${placed.stderr}`);
      return id;
    },
    copied: () => {
      const [copy, names] = [freshHome(), storeFiles(home)];
      for (const each of names) cpSync(join(home, each), join(copy, each));
      return () => {
        for (const each of storeFiles(home)) rmSync(join(home, each));
        for (const each of names) cpSync(join(copy, each), join(home, each));
      };
    },
    resume: (...args) => openTerminal(["resume", ...args], { home, env }),
    ...{ log, resumedWith },
    lacked: async () => {
      const { since_copy } = (await resumedWith()) as { readonly since_copy: { readonly orders: readonly string[] } };
      return since_copy.orders;
    },
  };
}

interface Placed {
  readonly outcome: string;
  readonly orderId?: string;
  readonly order?: { readonly orderId: string };
}

interface Entry {
  readonly atMs: number;
  readonly event: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

const storeFiles = (home: string): readonly string[] => readdirSync(home).filter((each) => STORE.test(each));

/** What a person reads until they are asked, and what it all ends with once they have typed the PIN. */
export async function goOn(terminal: Terminal, question = "PIN: ") {
  await terminal.see(question);
  const shown = terminal.screen();
  terminal.type(`${PIN}\r`);
  const { code, screen } = await terminal.ended;
  return { shown, code, screen };
}
