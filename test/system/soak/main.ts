/**
 * `npm run soak -- [minutes] [seed]`: the stream over a bad line for as long as that, 10 minutes unless told otherwise. The exchange is
 * a process of its own, so that the memory looked at is the client's.
 *
 * Ends with 1 when a promise was broken: a book that is not the exchange's at a quiet point, a fill missed or told twice, memory that grows.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { LineFault } from "../../fixture/stream-relay.ts";
import { type Address, busyExchange, type FarEnd, type Truth } from "./busy-exchange.ts";
import { SoakListener } from "./listener.ts";

const MARKETS = 33;
const ROUND_MS = 20_000;
const FAULT_EVERY_MS = 2_500;
const USUAL = ["lose", "double", "swap", "break"] as const;
const FAULTS: readonly LineFault[] = [...USUAL, ...USUAL, ...USUAL, "stall"];
/** Above what it was after a minute. */
const GROWTH_MAX = 1.2;

if (process.argv[2] === "far") await serveFarEnd();
else await soak(Number(process.argv[2] ?? 10) * 60_000, Number(process.argv[3] ?? 7));

async function soak(forMs: number, seed: number): Promise<void> {
  const [far, child] = await forkedFarEnd(seed);
  const near = new SoakListener(far.address);
  await near.ready();
  const collect = collector();
  const startMs = Date.now();
  let afterMinute: number | undefined;
  let heap = 0;
  let truth = await far.quiet();
  await near.compare(truth);
  while (Date.now() - startMs < forMs) {
    await far.goOn();
    await new Promise((resolve) => setTimeout(resolve, ROUND_MS));
    truth = await far.quiet();
    const quietMs = Date.now();
    await near.compare(truth);
    heap = collect();
    if (Date.now() - startMs > 60_000) afterMinute ??= heap;
    const { events, fills, connections, resubscribed } = near.figures;
    say(
      `${seconds(Date.now() - startMs)} s: ${events} events, ${fills} fills, ${connections} reconnected, ${resubscribed} resubscribed, ` +
        `right again after ${seconds(Date.now() - quietMs)} s, heap ${mega(heap)} MB, broken promises ${near.faults.length}`,
    );
  }
  const grown = afterMinute === undefined ? 1 : heap / afterMinute;
  const { books, fills, connections, resubscribed } = near.figures;
  say(`${near.subscriptions} subscriptions, ${truth.frames} frames; the line's faults: ${JSON.stringify(truth.done)}`);
  say(`${connections} reconnected, ${resubscribed} resubscribed; ${books} books and ${fills} fills compared`);
  say(
    `heap after a minute ${mega(afterMinute ?? heap)} MB, at the end ${mega(heap)} MB: ${grown.toFixed(2)} times; resident at the end ${mega(process.memoryUsage().rss)} MB`,
  );
  for (const fault of near.faults) say(fault);
  await near.close();
  await far.close();
  child.kill();
  process.exitCode = near.faults.length === 0 && grown <= GROWTH_MAX ? 0 : 1;
}

type Wish = "goOn" | "quiet" | "close";

async function forkedFarEnd(seed: number): Promise<[FarEnd, ChildProcess]> {
  const child = fork(process.argv[1] ?? "", ["far", String(seed)]);
  const [address] = (await once(child, "message")) as [Address];
  const ask = async (wish: Wish): Promise<unknown> => {
    child.send(wish);
    const [answer] = (await once(child, "message")) as [unknown];
    return answer;
  };
  const far: FarEnd = {
    address,
    goOn: async () => void (await ask("goOn")),
    quiet: async () => (await ask("quiet")) as Truth,
    close: async () => void (await ask("close")),
  };
  return [far, child];
}

async function serveFarEnd(): Promise<void> {
  const seed = Number(process.argv[3]);
  const far = await busyExchange({ seed, markets: MARKETS, faults: FAULTS, faultEveryMs: FAULT_EVERY_MS });
  process.on("message", (wish: Wish) => {
    void far[wish]().then((answer) => process.send?.(answer ?? "done"));
  });
  process.send?.(far.address);
}

/** @returns bytes on the heap after everything that can go has gone. */
function collector(): () => number {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc") as () => void;
  return () => {
    gc();
    gc();
    return process.memoryUsage().heapUsed;
  };
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}

function mega(bytes: number): string {
  return (bytes / 1024 ** 2).toFixed(1);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
