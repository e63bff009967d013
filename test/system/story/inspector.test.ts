import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { freshHome } from "../../fixture/data-dir.ts";
import { CLI, cleanUp, environment } from "../../fixture/program.ts";
import { coins, decimal, floor, ONE, sum, units, won } from "../../story/figures.ts";
import { checkAccount } from "../../story/ledger.ts";
import { expectCanceled, TOOL_NAMES } from "../../story/story.ts";
import { type ListedTool, readResult, type StoryClient } from "../../story/story-client.ts";
import {
  type BookSeen,
  type CanceledSeen,
  type FillSeen,
  type PlacedSeen,
  type PreviewSeen,
  Teller,
} from "../../story/teller.ts";

afterAll(cleanUp);

const manifest = createRequire(import.meta.url).resolve("@modelcontextprotocol/inspector/package.json");
const { bin } = createRequire(import.meta.url)(manifest) as { readonly bin: Readonly<Record<string, string>> };
const INSPECTOR = join(dirname(manifest), bin["mcp-inspector"] ?? "");

/** The inspector ends with this when the tool says that it failed; the result is on stdout all the same. */
const TOOL_FAILED = 5;

/** Every step starts the inspector, which starts the server: nothing is remembered but what is on disk. */
function inspectorOn(home: string): StoryClient {
  const run = async (args: readonly string[]): Promise<unknown> => {
    const target = ["--cli", "-e", `HOGA_HOME=${home}`, process.execPath, CLI, "serve"];
    const { code, stdout, stderr } = await new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) =>
      execFile(
        process.execPath,
        [INSPECTOR, ...target, ...args],
        { env: environment({ home }), timeout: 20_000 },
        (error, stdout, stderr) => resolve({ code: error === null ? 0 : error.code, stdout, stderr }),
      ),
    );
    if (code !== 0 && code !== TOOL_FAILED) throw new Error(`the inspector ended with ${String(code)}: ${stderr}`);
    const result: unknown = JSON.parse(stdout);
    expect(readFailed(result)).toBe(code === TOOL_FAILED);
    return result;
  };
  return {
    progress: false,
    listTools: async () =>
      ((await run(["--method", "tools/list", "--strict"])) as { readonly tools: ListedTool[] }).tools,
    call: async (name, args = {}) => {
      // Values are read as JSON, so that a figure stays text only in quotes.
      const pairs = Object.entries(args).flatMap(([field, value]) => [
        "--tool-arg",
        `${field}=${JSON.stringify(value)}`,
      ]);
      return readResult(await run(["--method", "tools/call", "--tool-name", name, ...pairs]));
    },
    close: async () => undefined,
  };
}

function readFailed(result: unknown): boolean {
  return (result as { readonly isError?: boolean }).isError === true;
}

it("serves the inspector, one process for each step", async () => {
  const teller = new Teller(inspectorOn(freshHome()));
  expect((await teller.tools()).map(({ name }) => name)).toEqual(TOOL_NAMES);

  const cost = { symbol: "BTC/KRW", depth: 1, side: "buy", quote_amount: "50000" };
  const { content: book } = await teller.tell<BookSeen>("get_orderbook", cost);
  expect(units(book.best_bid) < units(book.best_ask)).toBe(true);
  const price = decimal(floor((units(book.best_bid) * 96n) / 100n, 100_000n * ONE));

  const order = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.002", price };
  const preview = await teller.tell<PreviewSeen>("preview_order", order);
  const placed = await teller.tell<PlacedSeen>("place_order", { draft_id: preview.content.draft_id });
  expect(placed.content).toMatchObject({ outcome: "accepted", state: "open" });
  expect(placed.text).toContain(`buy 0.002 BTC on BTC/KRW at ${won(price)}`);

  const market = { symbol: "KRW-BTC", side: "buy", type: "market", quote_amount: "50000" };
  const bought = await teller.tell<PlacedSeen>("place_order", market);
  expect(bought.content).toMatchObject({ outcome: "accepted", state: "filled" });

  const { orderId } = placed.content.order;
  const canceled = await teller.tell("cancel_order", { order_id: orderId });
  expect(canceled.content).toMatchObject({ outcome: "accepted", state: "canceled" });
  const misspelled = await teller.refused("place_order", { ...order, post_ony: true });
  expect(misspelled.content).toMatchObject({ outcome: "not_sent", state: "denied" });
  const again = await teller.tell<PlacedSeen>("place_order", order);
  const all = await teller.tell<CanceledSeen>("cancel_all_orders");
  expectCanceled(all.content, [again.content.order.orderId]);

  const { trades } = await checkAccount(teller);
  const history = await teller.tell<{ readonly trades: readonly FillSeen[] }>("get_trade_history");
  expect(history.content.trades).toEqual(trades);
  expect(history.text).toContain(`fees ${won(decimal(sum(trades.map(({ fee }) => fee))))}`);
  for (const { volume } of trades) expect(history.text).toContain(`bought ${coins(volume, "BTC")}`);
}, 120_000);
