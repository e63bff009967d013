/** The admin operations on the exchange: status and clock, accounts and money, keys, markets. Source: service.md#administration. */
import { z } from "zod";
import { asset, decimalString, defined, PERMISSIONS, TIERS } from "../../contract/index.ts";
import { unknownPair } from "../http/outcome.ts";
import type { KeyRecord, MarketStatus } from "../model/index.ts";
import { decimalText, nullableText, unitsOf } from "../wire/decimal-text.ts";
import { timeText } from "../wire/market-view.ts";
import { balanceView } from "../wire/order-view.ts";
import {
  type AdminCall,
  answer,
  applied,
  badArgument,
  notFound,
  type Operation,
  type Outcome,
  operation,
} from "./operation.ts";

const idForm = { error: "use 1 to 64 characters out of A-Z a-z 0-9 _ -" };
export const accountId = z.string(idForm).regex(/^[A-Za-z0-9_-]{1,64}$/, idForm);

const money = z.strictObject({ asset, amount: decimalString });

const KEY_ID_BYTES = 16;
const SECRET_BYTES = 64;

const rights = {
  permissions: z.array(z.enum(PERMISSIONS)).min(1),
  ip_allow_list: z.array(z.string().max(64)).max(100),
  reject_duplicate_userref: z.boolean(),
};

function statusView({ service, webhooks, faults, machineTime, aheadMs, at }: AdminCall): object {
  const { exchange, journaled } = service;
  return {
    time: timeText(at),
    machine_time: timeText(machineTime()),
    clock_ahead_ms: aheadMs(),
    failed: journaled.failed ?? null,
    markets: exchange.markets().map(({ symbol, status, last }) => ({ symbol, status, last: nullableText(last) })),
    webhooks: exchange.webhooks().length,
    deliveries: webhooks.counts,
    faults: faults.list().length,
  };
}

function accountView({ service: { exchange } }: AdminCall, id: string): object {
  const linked = exchange.account(id)?.krwAccountLinked === true;
  const balances = exchange
    .balances(id)
    .map((balance) => ({ ...balanceView(balance), withdrawable: decimalText(balance.withdrawable) }));
  return { account_id: id, krw_account_linked: linked, balances };
}

function keyView({
  keyId,
  accountId: owner,
  permissions,
  tier,
  ipAllowList,
  rejectDuplicateUserref,
}: KeyRecord): object {
  return {
    ...{ api_key: keyId, account_id: owner, permissions, tier },
    ...{ ip_allow_list: ipAllowList, reject_duplicate_userref: rejectDuplicateUserref },
  };
}

function moveFunds(call: AdminCall<z.infer<typeof money>>, type: "deposit" | "withdraw"): Outcome {
  const { params, body, service } = call;
  const { account_id: id = "" } = params;
  if (service.exchange.account(id) === undefined) return notFound("account_id", "account");
  const command = { type, accountId: id, asset: body.asset, amount: unitsOf(body.amount) } as const;
  return applied(call, command, () => accountView(call, id));
}

function setStatus(call: AdminCall, status: MarketStatus): Outcome {
  const { symbol: written = "" } = call.params;
  const symbol = call.service.markets.symbolOf(written);
  if (symbol === undefined) return unknownPair(written);
  return applied(call, { type: "setMarketStatus", symbol, status }, () => ({ symbol, status }));
}

export const EXCHANGE_OPERATIONS: readonly Operation[] = [
  operation({
    method: "GET",
    path: "/status",
    summary: "the exchange's clock, its markets, and how many webhooks, deliveries and planned faults there are",
    run: (call) => answer(statusView(call)),
  }),
  operation({
    method: "POST",
    path: "/clock",
    summary: "put the exchange's clock ahead by so many milliseconds more; what is due by then happens",
    example: '{ "advance_ms": 86400000 }',
    body: z.strictObject({ advance_ms: z.int().positive() }),
    run(call) {
      const command = { type: "advanceClock", byMs: call.body.advance_ms } as const;
      const outcome = applied(call, command, () => statusView({ ...call, at: call.service.now() }));
      return outcome.ok || outcome.field !== "by_ms" ? outcome : badArgument("advance_ms", outcome.message);
    },
  }),
  operation({
    method: "POST",
    path: "/accounts",
    summary: "create an account, without money",
    example: '{ "account_id": "ann", "krw_account_linked": true }',
    body: z.strictObject({ account_id: accountId, krw_account_linked: z.boolean().optional() }),
    run(call) {
      const { account_id: id, krw_account_linked: krwAccountLinked = true } = call.body;
      return applied(
        call,
        { type: "createAccount", accountId: id, krwAccountLinked },
        () => accountView(call, id),
        201,
      );
    },
  }),
  operation({
    method: "GET",
    path: "/accounts/{account_id}",
    summary: "an account's balances, and what of them may be withdrawn",
    run(call) {
      const { account_id: id = "" } = call.params;
      return call.service.exchange.account(id) === undefined
        ? notFound("account_id", "account")
        : answer(accountView(call, id));
    },
  }),
  operation({
    method: "POST",
    path: "/accounts/{account_id}/deposits",
    summary: "put money or coins into an account",
    example: '{ "asset": "KRW", "amount": "1000000" }',
    body: money,
    run: (call) => moveFunds(call, "deposit"),
  }),
  operation({
    method: "POST",
    path: "/accounts/{account_id}/withdrawals",
    summary: "take money or coins that are settled out of an account",
    example: '{ "asset": "KRW", "amount": "1000" }',
    body: money,
    run: (call) => moveFunds(call, "withdraw"),
  }),
  operation({
    method: "POST",
    path: "/accounts/{account_id}/krw-link",
    summary: "link a KRW account to an account, or take the link away",
    example: '{ "linked": true }',
    body: z.strictObject({ linked: z.boolean() }),
    run(call) {
      const { account_id: id = "" } = call.params;
      if (call.service.exchange.account(id) === undefined) return notFound("account_id", "account");
      const { linked } = call.body;
      return applied(call, { type: "linkKrwAccount", accountId: id, linked }, () => accountView(call, id));
    },
  }),
  operation({
    method: "POST",
    path: "/keys",
    summary: "create a key; its secret is shown this once. An enterprise key needs addresses",
    example:
      '{ "account_id": "paper", "permissions": ["query", "trade"], "tier": "pro", "ip_allow_list": ["127.0.0.1"], "reject_duplicate_userref": false }',
    body: z.strictObject({
      account_id: accountId,
      ...rights,
      tier: z.enum(TIERS).optional(),
      ip_allow_list: rights.ip_allow_list.optional(),
      reject_duplicate_userref: z.boolean().optional(),
    }),
    run(call) {
      const { account_id: owner, permissions, tier = "starter", ip_allow_list: ipAllowList = [] } = call.body;
      const key: KeyRecord = {
        keyId: Buffer.from(call.randomBytes(KEY_ID_BYTES)).toString("base64url"),
        secret: Buffer.from(call.randomBytes(SECRET_BYTES)).toString("base64"),
        accountId: owner,
        ...{ permissions, tier, ipAllowList },
        rejectDuplicateUserref: call.body.reject_duplicate_userref ?? false,
      };
      return applied(call, { type: "createKey", key }, () => ({ ...keyView(key), api_secret: key.secret }), 201);
    },
  }),
  operation({
    method: "PATCH",
    path: "/keys/{api_key}",
    summary: "change what a key may do; what is left out stays",
    example: '{ "permissions": ["query"] }',
    body: z.strictObject(rights).partial(),
    run(call) {
      const { api_key: keyId = "" } = call.params;
      const { exchange } = call.service;
      if (exchange.key(keyId) === undefined) return notFound("api_key", "key");
      const { permissions, ip_allow_list: ipAllowList, reject_duplicate_userref: rejectDuplicateUserref } = call.body;
      const change = defined({ permissions, ipAllowList, rejectDuplicateUserref });
      return applied(call, { type: "setKey", keyId, change }, () => {
        const key = exchange.key(keyId);
        return key === undefined ? {} : keyView(key);
      });
    },
  }),
  operation({
    method: "DELETE",
    path: "/keys/{api_key}",
    summary: "revoke a key for good",
    run(call) {
      const { api_key: keyId = "" } = call.params;
      if (call.service.exchange.key(keyId) === undefined) return notFound("api_key", "key");
      return applied(call, { type: "revokeKey", keyId }, () => ({ api_key: keyId, revoked: true }));
    },
  }),
  operation({
    method: "POST",
    path: "/markets/{symbol}/halt",
    summary: "take no new orders in a market; cancels go on",
    run: (call) => setStatus(call, "halted"),
  }),
  operation({
    method: "POST",
    path: "/markets/{symbol}/resume",
    summary: "take orders in a market again",
    run: (call) => setStatus(call, "trading"),
  }),
];
