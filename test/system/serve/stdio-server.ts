/** The program the stdio tests start: a desk that answers by itself, and takes its time to place an order. */
import type { Desk } from "../../../src/desk/index.ts";
import { createMcpServer } from "../../../src/mcp/index.ts";
import { serveOverStdio } from "../../../src/serve/index.ts";

const PLACING_MS = 500;
const stamp = { environment: "sandbox", account: "test", unit: "KRW" } as const;

const desk = {
  environment: "sandbox",
  profile: "test",
  plans: {},
  balances: async () => ({ ok: true, value: { ...stamp, balances: [], value: "0" } }),
  place: async () => {
    await new Promise((resolve) => setTimeout(resolve, PLACING_MS));
    return { outcome: "accepted", state: "open", ...stamp, warnings: [] };
  },
} as unknown as Desk;

// Something of a desk that keeps the process alive until it is closed.
const open = setInterval(() => undefined, 1_000);
const { ended } = serveOverStdio(async () => createMcpServer({ desk, version: "0.0.0" }), {
  stdin: process.stdin,
  stdout: process.stdout,
  signals: process,
});
await ended;
process.stderr.write("ended\n");
clearInterval(open);
