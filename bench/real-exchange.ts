/**
 * The exchange itself in a process of its own, with its journal on disk and a market that moves: what an order is sent to in `way.ts`. It prints its address and
 * two keys of two accounts as a line of JSON, and ends with its input.
 */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSandbox } from "../src/sandbox/index.ts";
import { ONE } from "../src/sandbox/model/index.ts";

export interface RealExchange {
  readonly url: string;
  readonly keys: readonly { readonly id: string; readonly secret: string }[];
}

const MANY = 1_000_000_000;
const dir = mkdtempSync(join(tmpdir(), "hoga-bench-"));
const weightPerMinute = { starter: MANY, pro: MANY, enterprise: MANY };
const sandbox = await startSandbox({
  dir,
  limits: { callsPerSecond: MANY, publicWeightPerMinute: MANY, weightPerMinute },
});
const apply = (command: Parameters<typeof sandbox.exchange.apply>[0]): void => {
  const applied = sandbox.exchange.apply(command, Date.now());
  if (!applied.ok) throw new Error(applied.message);
};
const keys = ["one", "other"].map((id) => {
  const accountId = `account-of-${id}`;
  const secret = randomBytes(64).toString("base64");
  apply({ type: "createAccount", accountId, krwAccountLinked: true });
  apply({ type: "deposit", accountId, asset: "KRW", amount: 10n ** 9n * ONE });
  const rights = {
    permissions: ["query", "trade"],
    tier: "pro",
    ipAllowList: [],
    rejectDuplicateUserref: false,
  } as const;
  apply({ type: "createKey", key: { keyId: id, secret, accountId, ...rights } });
  return { id, secret };
});
process.stdin.resume().once("end", () => void sandbox.close().then(() => rmSync(dir, { recursive: true })));
process.stdout.write(`${JSON.stringify({ url: sandbox.baseUrl, keys } satisfies RealExchange)}\n`);
