import { beforeEach, describe, expect, it } from "vitest";
import { type Engine, restoreEngine } from "../../../../src/sandbox/engine/index.ts";
import type { Command, KeyRecord, WebhookRecord } from "../../../../src/sandbox/model/index.ts";
import { balance, coins, krw, order, place, refused, stateText, T0, testEngine } from "../exchange-kit.ts";

const DAY = 86_400_000;

let engine: Engine;
beforeEach(() => {
  engine = testEngine("ann", "bob");
});

const give = (command: Command, at = T0) => engine.apply(command, at);
/** The refusal; nothing changed. */
function refusalOf(command: Command) {
  const before = stateText(engine);
  const { code, field } = refused(give(command));
  expect(stateText(engine)).toBe(before);
  return [code, field];
}
const restart = () => {
  engine = restoreEngine(JSON.parse(stateText(engine)));
};

describe("a deposit", () => {
  const deposit = (asset: string, amount: bigint, accountId = "ann"): Command => ({
    type: "deposit",
    ...{ accountId, asset, amount },
  });

  it("is refused when the total of an asset would not fit an amount on the wire", () => {
    const max = 10n ** 26n - 1n;
    const room = max - engine.conservation("BTC").deposited;
    expect(refusalOf(deposit("BTC", room + 1n))).toEqual(["EGeneral:Invalid arguments", "amount"]);
    expect(give(deposit("BTC", room - 1n)).ok).toBe(true);
    expect(refusalOf(deposit("BTC", 2n, "bob"))[1]).toBe("amount");
    expect(give(deposit("BTC", 1n, "bob")).ok).toBe(true);
    expect(engine.conservation("BTC").total).toBe(max);
  });

  it("is refused with what is wrong", () => {
    expect(refusalOf(deposit("KRW", 0n))[1]).toBe("amount");
    expect(refusalOf(deposit("DOGE", 1n))[1]).toBe("asset");
    expect(refusalOf(deposit("KRW", 1n, "nobody"))[1]).toBe("accountId");
    expect(refusalOf(deposit("KRW", 1n, "house-fees"))[1]).toBe("accountId");
  });
});

describe("a withdrawal", () => {
  const withdraw = (asset: string, amount: bigint, accountId = "ann"): Command => ({
    type: "withdraw",
    ...{ accountId, asset, amount },
  });
  const won = krw(10_000_000);

  it("takes withdrawable funds out of the exchange, to the last unit", () => {
    const before = engine.conservation("KRW");
    expect(give(withdraw("KRW", won - 1n)).ok).toBe(true);
    expect(balance(engine, "ann", "KRW")).toEqual({ available: 1n, locked: 0n, withdrawable: 1n });
    expect(refusalOf(withdraw("KRW", 2n))).toEqual(["EOrder:Insufficient funds", "amount"]);
    expect(give(withdraw("KRW", 1n)).ok).toBe(true);
    const after = engine.conservation("KRW");
    expect(after).toEqual({ total: before.total - won, deposited: before.deposited - won });
    restart();
    expect(engine.conservation("KRW")).toEqual(after);
  });

  it("does not touch locked or unsettled funds", () => {
    place(engine, { accountId: "ann", side: "sell", price: krw(1_000), volume: coins(40_000) });
    place(engine, { accountId: "bob", side: "buy", volume: coins(30_000), settlementMode: "STANDARD_KRW" });
    const [locked, bought] = [coins(10_000), coins(30_000)];
    expect(refusalOf(withdraw("BTC", krw(1_000) - bought - locked + 1n))[0]).toBe("EOrder:Insufficient funds");
    expect(refusalOf(withdraw("BTC", krw(1_000) + 1n, "bob"))[0]).toBe("EOrder:Insufficient funds");
    expect(give(withdraw("BTC", krw(1_000) - bought - locked)).ok).toBe(true);
    expect(give(withdraw("BTC", krw(1_000), "bob")).ok).toBe(true);
    expect(balance(engine, "bob", "BTC")).toEqual({ available: bought, locked: 0n, withdrawable: 0n });
  });

  it("requires a linked KRW account for won; for other assets it does not", () => {
    give({ type: "linkKrwAccount", accountId: "ann", linked: false });
    expect(refusalOf(withdraw("KRW", 1n))[0]).toBe("ECompliance:KRW account not linked");
    expect(give(withdraw("BTC", 1n)).ok).toBe(true);
    give({ type: "linkKrwAccount", accountId: "ann", linked: true });
    expect(give(withdraw("KRW", 1n)).ok).toBe(true);
  });

  it("is refused with what is wrong", () => {
    expect(refusalOf(withdraw("KRW", 0n))[1]).toBe("amount");
    expect(refusalOf(withdraw("DOGE", 1n))[1]).toBe("asset");
    expect(refusalOf(withdraw("KRW", 1n, "nobody"))[1]).toBe("accountId");
    expect(refusalOf(withdraw("KRW", 1n, "house-fees"))[1]).toBe("accountId");
  });
});

describe("a key", () => {
  const key: KeyRecord = {
    keyId: "k",
    secret: "c2VjcmV0",
    accountId: "ann",
    permissions: ["query", "trade"],
    tier: "pro",
    ipAllowList: [],
    rejectDuplicateUserref: false,
  };
  const create = (terms: Partial<KeyRecord> = {}): Command => ({ type: "createKey", key: { ...key, ...terms } });

  it("belongs to a customer, never to a house account", () => {
    for (const accountId of ["house-fees", "house-maker", "nobody"])
      expect(refusalOf(create({ accountId }))).toEqual(["EGeneral:Invalid arguments", "accountId"]);
  });

  it("always has an allow-list in the enterprise tier", () => {
    const enterprise = { tier: "enterprise", keyId: "big" } as const;
    expect(refusalOf(create(enterprise))).toEqual(["EGeneral:Invalid arguments", "ipAllowList"]);
    expect(give(create({ ...enterprise, ipAllowList: ["10.0.0.1"] })).ok).toBe(true);
    const change = { ipAllowList: [] };
    expect(refusalOf({ type: "setKey", keyId: "big", change })[1]).toBe("ipAllowList");
    expect(engine.key("big")?.ipAllowList).toEqual(["10.0.0.1"]);
  });

  it("accepts only addresses on its allow-list", () => {
    for (const address of ["localhost", "10.0.0.0/8", ""])
      expect(refusalOf(create({ ipAllowList: ["127.0.0.1", address] }))[1]).toBe("ipAllowList");
    expect(give(create({ ipAllowList: ["127.0.0.1", "::1"] })).ok).toBe(true);
  });

  it("changes only in what a change names", () => {
    give(create());
    expect(give({ type: "setKey", keyId: "k", change: { permissions: ["transfer"] } }).ok).toBe(true);
    expect(engine.key("k")).toEqual({ ...key, permissions: ["transfer"] });
    give({ type: "setKey", keyId: "k", change: { rejectDuplicateUserref: true } });
    const twice = (userref: string) =>
      order({ accountId: "ann", keyId: "k", userref, side: "buy", price: krw(1_000), volume: coins(5_000) });
    expect(give(twice("a")).ok).toBe(true);
    expect(refusalOf(twice("a"))[0]).toBe("EOrder:Duplicate userref");
    expect(refusalOf({ type: "setKey", keyId: "nokey", change: {} })[0]).toBe("EAPI:Invalid key");
  });

  it("cannot be created again once it was revoked, after a restart either", () => {
    give(create());
    give({ type: "nonce", keyId: "k", nonce: 5n });
    expect(give({ type: "revokeKey", keyId: "k" }).ok).toBe(true);
    for (const _ of [1, 2]) {
      expect(engine.key("k")).toBeUndefined();
      expect(engine.isRevoked("k")).toBe(true);
      expect(refusalOf({ type: "nonce", keyId: "k", nonce: 6n })[0]).toBe("EAPI:Invalid key");
      expect(refusalOf({ type: "revokeKey", keyId: "k" })[0]).toBe("EAPI:Invalid key");
      expect(refusalOf(create())).toEqual(["EGeneral:Invalid arguments", "keyId"]);
      restart();
    }
  });

  it("has an event when it is created, changed or revoked", () => {
    engine.recordEvents(true);
    give(create());
    give({ type: "setKey", keyId: "k", change: { ipAllowList: ["127.0.0.1"] } });
    give({ type: "revokeKey", keyId: "k" });
    expect(engine.takeEvents().events).toEqual(
      ["created", "changed", "revoked"].map((change) => ({ kind: "key", keyId: "k", accountId: "ann", change })),
    );
  });
});

describe("a webhook", () => {
  const webhook: Omit<WebhookRecord, "createdAt"> = {
    webhookId: "w1",
    accountId: "ann",
    url: "https://partner.example/hook",
    secret: "whsec_c2VjcmV0c2VjcmV0c2VjcmV0",
    types: ["order.filled", "balance.changed"],
  };
  const register = (terms: object = {}): Command => ({ type: "registerWebhook", webhook: { ...webhook, ...terms } });

  it("is kept with its time of registration, by account, over a restart, until it is unregistered", () => {
    give(register(), T0 + 5);
    give(register({ webhookId: "w2", accountId: "bob" }), T0 + 6);
    restart();
    expect(engine.webhook("w1")).toEqual({ ...webhook, createdAt: T0 + 5 });
    expect(engine.webhooks().map(({ webhookId }) => webhookId)).toEqual(["w1", "w2"]);
    expect(engine.webhooks("bob").map(({ webhookId }) => webhookId)).toEqual(["w2"]);
    expect(give({ type: "unregisterWebhook", webhookId: "w1" }, T0 + 7).ok).toBe(true);
    expect(engine.webhook("w1")).toBeUndefined();
    expect(refusalOf({ type: "unregisterWebhook", webhookId: "w1" })[1]).toBe("webhookId");
  });

  it("is refused with what is wrong", () => {
    give(register());
    expect(refusalOf(register())[1]).toBe("webhookId");
    const other = { webhookId: "w2" };
    expect(refusalOf(register({ ...other, accountId: "nobody" }))[1]).toBe("accountId");
    for (const url of ["partner.example/hook", "ftp://partner.example/", "javascript:alert(1)", ""])
      expect(refusalOf(register({ ...other, url }))[1]).toBe("url");
    for (const types of [[], ["order.lost"]]) expect(refusalOf(register({ ...other, types }))[1]).toBe("types");
  });

  it("is limited to twenty per account", () => {
    for (let count = 1; count <= 20; count += 1) expect(give(register({ webhookId: `w${count}` })).ok).toBe(true);
    expect(refusalOf(register({ webhookId: "one more" }))[1]).toBe("accountId");
    expect(give(register({ webhookId: "bob's", accountId: "bob" })).ok).toBe(true);
  });
});

describe("the clock", () => {
  const advance = (byMs: number): Command => ({ type: "advanceClock", byMs });

  it("is ahead of the machine's by the sum of its advances, over a restart too", () => {
    give(advance(1_000));
    give(advance(500), T0 + 1_000);
    restart();
    expect(engine.clockOffset()).toBe(1_500);
    // A command with the machine's earlier time happens at the exchange's time.
    expect(place(engine, { accountId: "ann", side: "buy", price: krw(1_000), volume: coins(5_000) }).createdAt).toBe(
      T0 + 1_500,
    );
  });

  it("makes happen what is due by its new time", () => {
    place(engine, { accountId: "bob", side: "buy", price: krw(1_000), volume: coins(5_000) });
    place(engine, { accountId: "ann", side: "sell", volume: coins(5_000), settlementMode: "STANDARD_KRW" });
    place(engine, { accountId: "ann", side: "sell", price: krw(1_000), volume: coins(5_000) });
    give({ type: "armCancelTimer", accountId: "ann", timeoutMs: DAY });
    give(advance(DAY));
    expect(engine.settlements("ann")).toMatchObject([{ state: "settled", endedAt: T0 + DAY }]);
    expect(engine.orders("ann", { states: ["open"], limit: 10 }).orders).toEqual([]);
    expect(engine.isDue(T0 + DAY)).toBe(false);
  });

  it("moves forward only, and ten years at most", () => {
    for (const byMs of [0, -1, 0.5, Number.NaN, 3_653 * DAY + 1]) expect(refusalOf(advance(byMs))[1]).toBe("byMs");
    expect(give(advance(3_653 * DAY)).ok).toBe(true);
    expect(refusalOf(advance(1))[1]).toBe("byMs");
  });
});
