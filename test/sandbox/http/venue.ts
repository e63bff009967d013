/**
 * A sandbox for tests: no market flow, a clock that stands still until moved, high limits, and a second account to trade with.
 */
import { randomBytes } from "node:crypto";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../../src/sandbox/index.ts";
import type { KeyRecord } from "../../../src/sandbox/model/index.ts";
import { SignedClient } from "./signed-client.ts";

export interface Venue {
  readonly sandbox: Sandbox;
  readonly clock: { now: number };
  readonly defects: unknown[];
  /** The paper account: 10,000,000 KRW. */
  readonly paper: SignedClient;
  /** Another account: 1,000,000,000 KRW and 10 BTC. */
  readonly maker: SignedClient;
  /** Another key, of the paper account by default. */
  addKey(key?: Partial<KeyRecord>): SignedClient;
  client(credentials: { apiKey: string; apiSecret: string }): SignedClient;
}

export const START = Date.UTC(2026, 6, 20, 9);
const ONE = 100_000_000n;

export async function openVenue(options: SandboxOptions = {}): Promise<Venue> {
  const clock = { now: START };
  const defects: unknown[] = [];
  const sandbox = await startSandbox({
    marketMaker: false,
    now: () => clock.now,
    onDefect: (error) => defects.push(error),
    ...options,
    limits: {
      callsPerSecond: 10_000,
      callsPerSecondBefore110: 10_000,
      weightPerMinute: { starter: 100_000, pro: 100_000, enterprise: 100_000 },
      publicWeightPerMinute: 100_000,
      ...options.limits,
    },
  });
  const client = (credentials: { apiKey: string; apiSecret: string }) => new SignedClient(sandbox.baseUrl, credentials);
  const addKey = (part: Partial<KeyRecord> = {}): SignedClient => {
    const key: KeyRecord = {
      keyId: randomBytes(8).toString("hex"),
      secret: randomBytes(64).toString("base64"),
      accountId: sandbox.accountId,
      permissions: ["query", "trade"],
      tier: "pro",
      ipAllowList: [],
      rejectDuplicateUserref: false,
      ...part,
    };
    must(sandbox.exchange.apply({ type: "createKey", key }, clock.now));
    return client({ apiKey: key.keyId, apiSecret: key.secret });
  };
  const accountId = "maker";
  if (sandbox.exchange.account(accountId) === undefined) {
    must(sandbox.exchange.apply({ type: "createAccount", accountId, krwAccountLinked: true }, clock.now));
    must(sandbox.exchange.apply({ type: "deposit", accountId, asset: "KRW", amount: 1_000_000_000n * ONE }, clock.now));
    must(sandbox.exchange.apply({ type: "deposit", accountId, asset: "BTC", amount: 10n * ONE }, clock.now));
  }
  return { sandbox, clock, defects, client, addKey, paper: client(sandbox), maker: addKey({ accountId }) };
}

export function must(applied: { readonly ok: boolean }): void {
  if (!applied.ok) throw new Error(`refused: ${JSON.stringify(applied)}`);
}
