/**
 * `npm run bench`: start time against the floor of `minimal-server.ts` and a peer, `@okx_ai/okx-trade-mcp` with its default modules, and the size of the tool list.
 * The sides take turns in one run; what counts are the ratios. `bench/README.md` says how to read them. `-- --smoke` does each once, without the peer, to see that it still works.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { startFixedExchange } from "./fixed-exchange.ts";
import { full, smoke } from "./options.ts";
import { peerProgram } from "./peer-program.ts";
import { Results } from "./results.ts";
import { timed } from "./statistics.ts";
import { StdioClient } from "./stdio-client.ts";

const STARTS = smoke ? 1 : 15;

const home = mkdtempSync(join(tmpdir(), "hoga-bench-"));
const exchange = await startFixedExchange();
const hogaEnv = {
  HOGA_HOME: home,
  HOGA_API_KEY: "bench",
  HOGA_API_SECRET: Buffer.from("bench secret, not a real one").toString("base64"),
  HOGA_BASE_URL: exchange.url,
  HOGA_ENVIRONMENT: "sandbox",
};
const startHoga = () => new StdioClient(["dist/cli.js", "serve"], hogaEnv);
const startMinimal = () => new StdioClient([".bench/minimal-server.js"], {});

function peerStart(): () => StdioClient {
  const program = peerProgram();
  return () => new StdioClient([program, "--no-log"], { HOME: home, OKX_API_BASE_URL: exchange.url }, "ignore");
}

const results = new Results("start");

/** Spawn to the first answer of `tools/list`. */
async function startTime(start: () => StdioClient): Promise<number> {
  let client: StdioClient | undefined;
  const time = await timed(async () => {
    client = start();
    await client.initialize();
    await client.request("tools/list");
  });
  await client?.close();
  return time;
}

async function compareStarts(): Promise<void> {
  const sides = { hoga: startHoga, minimal: startMinimal, ...(smoke ? {} : { peer: peerStart() }) };
  const times: Record<string, number[]> = {};
  for (let run = 0; run < STARTS; run++)
    for (const [name, start] of Object.entries(sides)) {
      times[name] ??= [];
      times[name].push(await startTime(start));
    }
  results.row("start to tools/list, ms", times, [
    { to: "minimal", atMost: 1 },
    { to: "peer", atMost: 0.5 },
  ]);
}

async function countTokens(): Promise<void> {
  const hoga = startHoga();
  await hoga.initialize();
  const { tools } = (await hoga.request("tools/list")) as { readonly tools: readonly unknown[] };
  const tokens = encode(JSON.stringify({ tools })).length;
  results.row("tools/list, o200k_base tokens", { hoga: [tokens], limit: [12_000] }, [{ to: "limit", atMost: 1 }]);
  results.row("tools", { hoga: [tools.length], limit: [24] }, [{ to: "limit", atMost: 1 }]);
  await hoga.close();
}

await compareStarts();
await countTokens();
exchange.close();
rmSync(home, { recursive: true });
if (full) results.keep();
