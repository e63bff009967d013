/** How what a portfolio needs grows with the fills of the account. */
import { join } from "node:path";
import type { FillLedger, LedgerFill } from "../src/desk/index.ts";
import { costsBy } from "../src/desk/portfolio/cost-basis.ts";
import { SUMS } from "../src/desk/portfolio/fill-sums.ts";
import { NOW, replay } from "../src/desk/portfolio/ledger-replay.ts";
import { newPoints, repeated, results, sizes, storeAt, withDir } from "./growth-size.ts";
import { timed } from "./statistics.ts";

const FIRST_MS = 1_700_000_000_000;
/** As of one who trades ten times a minute. */
const APART_MS = 6_000;
const MARKETS = ["BTC/KRW", "ETH/KRW", "XRP/KRW", "SOL/KRW"] as const;

/** Two of three are buys, so that what is held grows, and with it what was bought first and not sold. */
function fillAt(at: number): LedgerFill {
  const side = at % 3 === 2 ? "sell" : "buy";
  const price = String(90_000_000 + (at % 1_000) * 1_000);
  const amounts = { price, volume: "0.001", value: price.slice(0, -3), fee: "45", feeCurrency: "KRW" };
  const symbol = MARKETS[Math.floor(at / 3) % MARKETS.length] ?? MARKETS[0];
  return { tradeId: String(at), orderId: `order-${at}`, symbol, side, ...amounts, atMs: FIRST_MS + at * APART_MS };
}

type Looked = "average" | "fifo" | "sums";

async function look(ledger: FillLedger, what: Looked, fromMs: number): Promise<void> {
  const asked = { ledger, account: "bench", at: [fromMs - 1, NOW] };
  const costs = costsBy(what === "fifo" ? "fifo" : "average", "KRW");
  const done = await (what === "sums" ? replay({ ...asked, ...SUMS }) : replay({ ...asked, ...costs }));
  if (!done.ok) throw new Error(done.fault.message);
}

const CURVES = {
  kept: ["one more is kept", "ms"],
  first: ["each of them at the first look", "µs"],
  average: ["a look: what each coin has cost, on average", "ms"],
  fifo: ["a look: the same, first in, first out", "ms"],
  period: ["a look at what was earned in a part of the time", "ms"],
  sums: ["what a part of the time was bought and sold for", "ms"],
  late: ["a look after one that came a day late", "ms"],
} as const;

export async function fills(): Promise<void> {
  const points = {
    kept: newPoints(),
    first: newPoints(),
    average: newPoints(),
    fifo: newPoints(),
    period: newPoints(),
    sums: newPoints(),
    late: newPoints(),
  };
  await withDir(async (dir) => {
    const store = await storeAt(join(dir, "hoga.db"));
    const { fills: ledger } = store;
    let count = 0;
    const keep = async (more: number) => {
      const page = Array.from({ length: more }, (_, at) => fillAt(count + at));
      count += more;
      await ledger.keep("bench", page, { doneToMs: page.at(-1)?.atMs ?? 0 });
    };
    for (const size of sizes(100, 10_000, 1_000_000, 10_000_000)) {
      const before = count;
      while (count < size) await keep(Math.min(500, size - count));
      const first = await timed(() => look(ledger, "average", 0));
      points.first.push([size, (first * 1_000) / (count - before)]);
      for (const what of ["fifo", "sums"] as const) await look(ledger, what, 0);
      points.kept.push([size, await repeated(20, () => keep(1))]);
      for (const what of ["average", "fifo"] as const)
        points[what].push([size, await repeated(20, () => look(ledger, what, 0))]);
      // In a middle of which nobody has asked before.
      let part = 0;
      const fromMs = () => FIRST_MS + Math.floor(((0.3 + 0.02 * ++part) % 1) * count) * APART_MS;
      points.period.push([size, await repeated(20, () => look(ledger, "average", fromMs()))]);
      points.sums.push([size, await repeated(20, () => look(ledger, "sums", fromMs()))]);
      let late = 0;
      const comesLate = async () => {
        const atMs = FIRST_MS + count * APART_MS - 86_400_000;
        await ledger.keep("bench", [{ ...fillAt(count - 1), tradeId: `late-${size}-${++late}`, atMs }], {
          doneToMs: undefined,
        });
        await look(ledger, "average", 0);
      };
      points.late.push([size, await repeated(10, comesLate)]);
    }
    store.close();
  });
  for (const [name, [title, unit]] of Object.entries(CURVES))
    results.curve(`fills of an account: ${title}`, unit, points[name as keyof typeof CURVES]);
}
