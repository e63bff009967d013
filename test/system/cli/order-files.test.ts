import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RolldownOptions, rolldown } from "rolldown";
import { loadConfig } from "rolldown/config";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { calledFiles } from "../../fixture/called-files.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { writePolicy } from "../../fixture/home.ts";
import { cleanUp, environment, run, startSandbox } from "../../fixture/program.ts";
import { ROOT } from "../../tidy/source.ts";

/** The largest that is allowed, lowered by whoever brings it down: 200 at the beginning. */
const FILES_MAX = 150;
const ORDER = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001" };
/** Below the market, and not too far for the policy. */
const priceBelow = (last: string): string => String(Math.floor(Number(last) / 100_000) * 98_000);

const home = freshHome();
const coverage = mkdtempSync(join(tmpdir(), "hoga-coverage-"));
let files: readonly string[] = [];

/** The program as it is built, with the maps that say which file a function is of: what is shipped has none. */
async function mappedProgram(): Promise<string> {
  const [program] = (await loadConfig(join(ROOT, "rolldown.config.ts"))) as readonly RolldownOptions[];
  if (program === undefined || Array.isArray(program.output))
    throw new Error("the program is not the first that is built");
  const { output, ...input } = program;
  // Without the doors of the library, with which it shares its chunks.
  const built = await rolldown({ ...input, input: { cli: "src/cli/node-version.ts" }, logLevel: "silent" });
  await built.write({ ...output, dir: join(ROOT, ".bench", "mapped"), sourcemap: true });
  await built.close();
  return join(ROOT, ".bench", "mapped", "cli.js");
}

/** Places an order from the command line while another process has the exchange, so that none of that is counted. */
beforeAll(async () => {
  writePolicy(home, { mode: "bounded", approval_over_krw: "1000000" });
  await startSandbox({ home }, []);
  const first = await run(["call", "get_ticker", '{"symbols":["BTC/KRW"]}', "--json"], { home });
  const [ticker] = (JSON.parse(first.stdout) as { tickers: readonly { last: string }[] }).tickers;
  const order = JSON.stringify({ ...ORDER, price: priceBelow(ticker?.last ?? "") });
  const env = { ...environment({ home }), NODE_V8_COVERAGE: coverage };
  const said = execFileSync(process.execPath, [await mappedProgram(), "call", "place_order", order], { env });
  expect(said.toString()).toContain("Accepted");
  files = calledFiles(coverage, ROOT);
}, 120_000);
afterAll(async () => {
  await cleanUp();
  rmSync(coverage, { recursive: true, force: true });
});

describe("an order from the command line", () => {
  it("goes through few files", () => {
    // With `HOGA_TEST_FILES=1` it lists them.
    if (process.env["HOGA_TEST_FILES"] === "1") console.error(`${files.length}\n${files.join("\n")}`);
    expect(files).toContain("src/desk/execution/place-order.ts");
    expect(files.length).toBeLessThanOrEqual(FILES_MAX);
  });

  it("goes through none of transfers, and none of the exchange that it is placed at", () => {
    expect(files.filter((path) => /transfer|payment|remittance|sandbox/.test(path))).toEqual([]);
  });
});
