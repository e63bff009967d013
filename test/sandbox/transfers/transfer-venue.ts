/** A sandbox with transfers switched on and a market that sets a rate, and clients that share no code with it. */
import { IDEMPOTENCY_HEADER, transferErrorBody } from "../../../src/contract/index.ts";
import type { SandboxOptions } from "../../../src/sandbox/index.ts";
import { decimalText } from "../../../src/sandbox/wire/decimal-text.ts";
import type { Reply, SignedClient } from "../http/signed-client.ts";
import { must, openVenue, type Venue } from "../http/venue.ts";

const ONE = 100_000_000n;

/** The maker's bid, which is the rate. */
export const RATE = "90000000";

export interface TransferVenue extends Venue {
  /** With a new idempotency key by default. */
  post(target: string, body?: unknown, key?: string, client?: SignedClient): Promise<Reply>;
  /** The paper account's available and locked balance of an asset. */
  balance(asset: string): readonly [available: string, locked: string];
  passTime(ms: number): void;
}

let keys = 0;
export function freshKey(): string {
  keys += 1;
  return `key-${String(keys)}`;
}

export async function openTransferVenue(options: SandboxOptions = {}): Promise<TransferVenue> {
  const venue = await openVenue({ drafts: true, ...options });
  const { sandbox, clock, paper, maker } = venue;
  const { accountId } = sandbox;
  if (!sandbox.exchange.balances(accountId).some(({ asset }) => asset === "BTC")) {
    must(sandbox.exchange.apply({ type: "deposit", accountId, asset: "BTC", amount: ONE / 10n }, clock.now));
    const bid = await maker.order({ side: "buy", volume: "5", price: RATE });
    if (bid.status !== 201) throw new Error(bid.text);
  }
  return {
    ...venue,
    post: (target, body, key = freshKey(), client = paper) =>
      client.post(target, body, { headers: { [IDEMPOTENCY_HEADER]: key } }),
    balance: (asset) => {
      const held = sandbox.exchange.balances(accountId).find((each) => each.asset === asset);
      return [decimalText(held?.available ?? 0n), decimalText(held?.locked ?? 0n)];
    },
    passTime: (ms) => {
      clock.now += ms;
      must(sandbox.exchange.apply({ type: "passTime" }, clock.now));
    },
  };
}

/** Status, code, field and state of a refusal. */
export function refusalOf({ status, text }: Reply): readonly [number, string, string | undefined, string | undefined] {
  const parsed = transferErrorBody.parse(JSON.parse(text));
  const { code, field, state } = parsed.error;
  return [status, code, field, state];
}
