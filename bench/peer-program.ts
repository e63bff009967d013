/** The peer over stdio, `@okx_ai/okx-trade-mcp`, installed on demand. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const DIST = "bench/peer/node_modules/@okx_ai/okx-trade-mcp/dist";
const LIMITER = "await this.rateLimiter.consume(reqConfig.rateLimit);";

/** @returns the program, as it is published */
export function peerProgram(): string {
  execFileSync(process.execPath, ["scripts/beside.mjs", "bench/peer"], { stdio: "inherit" });
  return join(DIST, "index.js");
}

/** @returns a copy without its own limit of 20 calls a second, which would be all that is measured */
export function unlimitedPeerProgram(): string {
  const text = readFileSync(peerProgram(), "utf8");
  if (!text.includes(LIMITER)) throw new Error("the peer limits its calls in another way now");
  const copy = join(DIST, "unlimited.js");
  writeFileSync(copy, text.replace(LIMITER, ""));
  return copy;
}
