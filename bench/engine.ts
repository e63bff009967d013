/**
 * The exchange's engine, with its ledger, checks and events, beside an order book that has none of them: `npm run bench:engine -- [orders that rest]...`.
 *
 * Both get the same stream (`order-stream.ts`). The peer counts in floats, and has neither accounts nor fees nor events.
 */
import { OrderBook } from "nodejs-order-book";
import { full } from "./options.ts";
import { measured, ours, type Runner, runnerOf, type Stream, streamOf } from "./order-stream.ts";
import { Results } from "./results.ts";

const SIZES = process.argv.slice(2).map(Number).filter(Number.isInteger);
const USUAL = full ? [10_000, 100_000, 1_000_000] : [10_000, 100_000];
const RESTING = SIZES.length > 0 ? SIZES : USUAL;

function peer({ resting }: Stream): Runner {
  const book = new OrderBook();
  const apply = (operation: Stream["resting"][number]): void => {
    if (operation.kind === "cancel") book.cancel(operation.id);
    else
      book.limit({
        side: operation.side as Parameters<typeof book.limit>[0]["side"],
        id: operation.id,
        size: operation.lots / 1_000,
        price: operation.tick * 1_000,
      });
  };
  for (const operation of resting) apply(operation);
  return runnerOf((operation) => operation, apply);
}

/** Times the peer's operations, by how many orders rest. */
const GOALS = new Map([
  [10_000, 5],
  [100_000, 8],
  [1_000_000, 10],
]);

const results = new Results("engine");
for (const resting of RESTING) {
  const stream = streamOf(resting);
  const [own, other] = [measured(ours, stream), measured(peer, stream)];
  const what = `engine, ${resting} orders resting`;
  const sides = { hoga: own.perSecond, "nodejs-order-book": other.perSecond };
  results.row(`${what}, operations a CPU second`, sides, [
    { to: "nodejs-order-book", atLeast: GOALS.get(resting) ?? 5 },
  ]);
  const beside = (hoga: readonly number[], theirs: readonly number[], wanted: number) => ({
    ...{ hoga, "nodejs-order-book": theirs, wanted: hoga.map(() => wanted) },
  });
  const goal = [{ to: "wanted", atMost: 1 }];
  results.row(`${what}, p99 in µs`, beside(own.p99, other.p99, 6), goal);
  results.row(`${what}, bytes an order`, beside([own.bytesEach], [other.bytesEach], 100), goal);
}
if (full) results.keep();
