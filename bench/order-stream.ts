/**
 * A stream of orders as exchanges see them, and how fast the sandbox's engine, or another, goes through it: 60 % orders that rest, most of them near the touch,
 * 30 % cancels of resting orders, 10 % orders that trade. Operations are per second of CPU time, which other programs on the machine disturb least.
 */
import { createEngine, type Engine } from "../src/sandbox/engine/engine.ts";
import { type Command, ONE, type PlaceCommand } from "../src/sandbox/model/index.ts";
import { quantile } from "./statistics.ts";

const OPERATIONS = 20_000;
const ROUNDS = 10;
const SETTLING_MS = 500;
/** Until both are compiled: an exchange runs for days. */
const WARM_UP_ROUNDS = 12;
const NOW = Date.UTC(2026, 6, 20, 9);
const MID = 150_000;
const TICK_KRW = 1_000n;
/** Each side's; most orders are near the touch. */
const LEVELS = 5_000;
/** Orders of one account, below the exchange's limit. */
const ORDERS_EACH = 500;
const SYMBOL = "BTC/KRW";

export type Operation =
  | {
      readonly kind: "limit";
      readonly id: string;
      readonly account: string;
      readonly side: "buy" | "sell";
      readonly tick: number;
      readonly lots: number;
    }
  | { readonly kind: "cancel"; readonly id: string; readonly account: string };

/** Numbers that are the same in every run (Marsaglia's xorshift). */
function randomOf(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % limit;
  };
}

interface Round {
  readonly operations: readonly Operation[];
  /** Cancels that are not measured, so that each round begins with as many orders as the first, and no account has too many. */
  readonly after: readonly Operation[];
}

export interface Stream {
  readonly accounts: readonly string[];
  readonly resting: readonly Operation[];
  readonly rounds: readonly Round[];
}

/** What rests is followed roughly: a cancel may name an order that has traded, which both refuse. */
export function streamOf(resting: number, operations = OPERATIONS): Stream {
  const random = randomOf(resting);
  const accounts = Array.from({ length: Math.ceil((2 * resting) / ORDERS_EACH) + 2 }, (_, at) => `account-${at}`);
  const open: { readonly id: string; readonly account: string }[] = [];
  let made = 0;
  const limit = (distance: number): Operation => {
    made += 1;
    const side = random(2) === 0 ? "buy" : "sell";
    const account = accounts[made % accounts.length] ?? "";
    // In one piece, as it comes in a request: one put together is joined at its first use, which would be the first side's to pay.
    const id = Buffer.from(`01999f3e-7a10-7c31-9a52-${String(made).padStart(12, "0")}`).toString("latin1");
    if (distance > 0) open.push({ id, account });
    const tick = side === "buy" ? MID - distance : MID + distance;
    return { kind: "limit", id, account, side, tick, lots: 1 + random(1_000) };
  };
  const cancel = (): Operation => {
    const at = random(open.length);
    const last = open.pop();
    const chosen = at < open.length ? open[at] : last;
    if (last !== undefined && at < open.length) open[at] = last;
    return { kind: "cancel", ...(chosen ?? { id: "", account: accounts[0] ?? "" }) };
  };
  const near = (): number => 1 + Math.floor((random(LEVELS) * random(LEVELS)) / LEVELS);
  const first = Array.from({ length: resting }, () => limit(near()));
  const next = (): Operation => {
    const kind = random(10);
    if (kind < 6) return limit(near());
    return kind < 9 ? cancel() : limit(-50);
  };
  const rounds = Array.from({ length: WARM_UP_ROUNDS + ROUNDS }, () => ({
    operations: Array.from({ length: operations }, next),
    after: Array.from({ length: Math.max(0, open.length - resting) }, cancel),
  }));
  return { accounts, resting: first, rounds };
}

function commandOf(operation: Operation): Command {
  if (operation.kind === "cancel")
    return { type: "cancel", accountId: operation.account, symbol: SYMBOL, orderId: operation.id };
  return {
    type: "place",
    orderId: operation.id,
    accountId: operation.account,
    keyId: null,
    symbol: SYMBOL,
    side: operation.side,
    orderType: "limit",
    price: BigInt(operation.tick) * TICK_KRW * ONE,
    volume: (BigInt(operation.lots) * ONE) / 1_000n,
    amount: null,
    timeInForce: "GTC",
    postOnly: false,
    userref: null,
    settlementMode: "INSTANT_KRW",
  } satisfies PlaceCommand;
}

export interface Runner {
  /** Calls that carry out the operations, each giving the microseconds that it took. */
  prepare(operations: readonly Operation[]): (() => number)[];
}

export function ours({ accounts, resting }: Stream): Runner {
  const engine: Engine = createEngine({ seed: 1, marketMaker: false });
  const apply = (command: Command): void => {
    engine.apply(command, NOW);
    engine.takeEvents();
  };
  for (const accountId of accounts) {
    apply({ type: "createAccount", accountId, krwAccountLinked: true });
    apply({ type: "deposit", accountId, asset: "KRW", amount: 10n ** 13n * ONE });
    apply({ type: "deposit", accountId, asset: "BTC", amount: 10n ** 6n * ONE });
  }
  engine.recordEvents(true);
  for (const operation of resting) apply(commandOf(operation));
  return runnerOf(commandOf, apply);
}

export function runnerOf<Input>(inputOf: (operation: Operation) => Input, apply: (input: Input) => void): Runner {
  return {
    prepare: (operations) =>
      operations.map((operation) => {
        const input = inputOf(operation);
        return () => {
          const from = performance.now();
          apply(input);
          return (performance.now() - from) * 1_000;
        };
      }),
  };
}

/** Collects what making the inputs has left, so that they are not moved while they are measured, and lets the threads that tidy up after it finish. */
function settle(): void {
  globalThis.gc?.();
  globalThis.gc?.();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, SETTLING_MS);
}

interface Measured {
  readonly perSecond: readonly number[];
  /** Microseconds, of each round. */
  readonly p99: readonly number[];
  readonly bytesEach: number;
}

function heap(): number {
  // Twice, as what the measurement before has left is freed by the second.
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
}

export function measured(make: (stream: Stream) => Runner, stream: Stream): Measured {
  const empty = heap();
  const runner = make(stream);
  const bytesEach = (heap() - empty) / stream.resting.length;
  const rounds = stream.rounds.map(({ operations, after }) => ({
    inputs: runner.prepare(operations),
    after: runner.prepare(after),
  }));
  for (const { inputs, after } of rounds.slice(0, WARM_UP_ROUNDS)) for (const run of [...inputs, ...after]) run();
  settle();
  const p99: number[] = [];
  const perSecond = rounds.slice(WARM_UP_ROUNDS).map(({ inputs, after }) => {
    const from = process.cpuUsage();
    const times = inputs.map((run) => run());
    const { user, system } = process.cpuUsage(from);
    for (const run of after) run();
    p99.push(quantile(times, 0.99));
    return inputs.length / ((user + system) / 1_000_000);
  });
  return { perSecond, p99, bytesEach };
}
