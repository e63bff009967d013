/** How what is done with the audit log grows with its rows. The rows are written in bulk, each chained to the one before, as the log itself would. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { canonicalJson } from "../src/contract/index.ts";
import { chainEntry, readHead, saveHead } from "../src/store/audit/audit-chain.ts";
import { type FileConnection, openConnection } from "../src/store/sql/driver.ts";
import { newPoints, repeated, results, sizes, storeAt, withDir } from "./growth-size.ts";
import { timed } from "./statistics.ts";

const FIRST_MS = 1_700_000_000_000;
/** Of one order. */
const EVENTS = ["intent_recorded", "order_judged", "intent_moved", "intent_moved", "intent_moved"] as const;
const BULK = 10_000;

const INTENT = `INSERT INTO intents (intent_id, account, userref, state, body, created_at_ms, updated_at_ms)
  VALUES (?, 'bench', ?, 'filled', '{}', ?, ?)`;

/** The rows of whole orders. */
async function addRows(connection: FileConnection, from: number, to: number): Promise<void> {
  for (let first = from; first < to; first += BULK)
    await connection.transaction(function* (statements) {
      let head = yield* readHead(statements);
      for (let row = first; row < Math.min(first + BULK, to); row++) {
        const order = Math.floor(row / EVENTS.length);
        const event = EVENTS[row % EVENTS.length] ?? EVENTS[0];
        const intentId = `0198a3c2-7d10-7000-8000-${String(order).padStart(12, "0")}`;
        const atMs = FIRST_MS + row;
        const detail = canonicalJson({
          ...{ to: row % EVENTS.length === EVENTS.length - 1 ? "filled" : "approved", held: "0", row },
          order: { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "100000000" },
        });
        const of = { account: "bench", event, intentId, orderId: row % EVENTS.length > 1 ? `order-${order}` : null };
        head = yield* chainEntry(statements, head, { seq: head.seq + 1, atMs, ...of, detail });
        if (event === "intent_recorded") yield* statements.run(INTENT, [intentId, `ref-${order}`, atMs, atMs]);
      }
      yield* saveHead(statements, head);
    });
}

const CURVES = {
  append: ["one more, with its wait for the disk", "ms"],
  page: ["the newest hundred", "ms"],
  rare: ["the newest hundred of an account that has few", "ms"],
  order: ["those of one order", "ms"],
  verify: ["all verified, each of them", "µs"],
  memory: ["memory that verifying takes", "MB"],
  pause: ["the longest that verifying keeps the process from all else", "ms"],
  bytes: ["the file, for each of them", "bytes"],
} as const;
type Name = keyof typeof CURVES;

/** The most memory, and the longest pause, while something goes on. */
async function watched(
  work: () => Promise<unknown>,
): Promise<{ readonly megabytes: number; readonly pauseMs: number }> {
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  let [most, pauseMs, lastAt] = [before, 0, performance.now()];
  const timer = setInterval(() => {
    const now = performance.now();
    pauseMs = Math.max(pauseMs, now - lastAt);
    lastAt = now;
    most = Math.max(most, process.memoryUsage().rss);
  }, 1);
  await work();
  clearInterval(timer);
  return { megabytes: Math.max(1, (most - before) / 1e6), pauseMs: Math.max(pauseMs, performance.now() - lastAt) };
}

export async function auditRows(): Promise<void> {
  const points = Object.fromEntries(Object.keys(CURVES).map((name) => [name, newPoints()])) as Record<
    Name,
    ReturnType<typeof newPoints>
  >;
  await withDir(async (dir) => {
    const path = join(dir, "hoga.db");
    const store = await storeAt(path);
    const { audit } = store;
    const bulk = await openConnection(path, { journal: "wal", durability: "normal", random: Math.random });
    let rows = 0;
    const write = async (account = "bench") => {
      rows += 1;
      const done = await audit.append({ event: "tested", account, detail: { to: "open" } }, Date.now());
      if (!done.ok) throw new Error(done.fault.message);
    };
    for (let few = 0; few < 5; few++) await write("rare");
    for (const size of sizes(100, 10_000, 1_000_000, 10_000_000)) {
      // Whole orders, so that every intent is what its last row says.
      const first = Math.ceil(rows / 10) * 10;
      await addRows(bulk, first, size);
      rows = size;
      points.append.push([size, await repeated(50, () => write())]);
      points.page.push([size, await repeated(20, () => audit.recent({ account: "bench", limit: 100 }))]);
      points.rare.push([size, await repeated(5, () => audit.recent({ account: "rare", limit: 100 }))]);
      const ofOrder = { account: "bench", orderId: `order-${Math.floor(size / 10)}`, limit: 100 };
      points.order.push([size, await repeated(20, () => audit.recent(ofOrder))]);
      let ms = 0;
      const verified = async () => {
        const verdict = await audit.verify();
        if (!verdict.ok) throw new Error(`the log is not whole: ${verdict.what} ${verdict.seq}`);
      };
      const seen = await watched(async () => {
        ms = await timed(verified);
      });
      points.verify.push([size, (ms * 1_000) / rows]);
      points.memory.push([size, seen.megabytes]);
      points.pause.push([size, seen.pauseMs]);
      points.bytes.push([size, statSync(path).size / rows]);
    }
    bulk.close();
    store.close();
  });
  for (const [name, [title, unit]] of Object.entries(CURVES))
    results.curve(`rows of the audit log: ${title}`, unit, points[name as Name]);
}
