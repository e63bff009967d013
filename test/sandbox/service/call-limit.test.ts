import { afterEach, describe, expect, it } from "vitest";
import { LIMITS } from "../../../src/contract/index.ts";
import type { SandboxLimits } from "../../../src/sandbox/index.ts";
import { CallLog } from "../../../src/sandbox/service/call-limit.ts";
import { AliasClient } from "../alias/alias-client.ts";
import { type Reply, SignedClient } from "../http/signed-client.ts";
import { openVenue, type Venue } from "../http/venue.ts";
import { TradingCaller } from "../trading/trading-caller.ts";

let venue: Venue;
afterEach(() => venue?.sandbox.close());

const start = async (limits: Partial<SandboxLimits> = {}) => {
  const { callsPerSecond, callsPerSecondBefore110, weightPerMinute } = LIMITS;
  venue = await openVenue({ limits: { callsPerSecond, callsPerSecondBefore110, weightPerMinute, ...limits } });
};

/** How many calls are admitted before one is refused, and that one. */
async function exhaust(
  client: SignedClient,
  target: string,
  headers = {},
): Promise<{ passed: number; refused: Reply }> {
  for (let passed = 0; passed < 10_000; passed++) {
    const reply = await client.get(target, { headers });
    if (reply.status === 429) return { passed, refused: reply };
    expect(reply.status).toBe(200);
  }
  throw new Error("never refused");
}

describe("calls per second", () => {
  it("admits 30 in any second, to the millisecond", async () => {
    await start();
    venue.clock.now += 700;
    for (let call = 0; call < 10; call++) await venue.paper.get("/v1/accounts");
    venue.clock.now += 500;
    const { passed, refused } = await exhaust(venue.paper, "/v1/accounts");
    expect(passed).toBe(20);
    expect(refused.json.error).toMatchObject({ code: "EAPI:Rate limit exceeded", retry_after_ms: 500 });
    expect(refused.headers["retry-after"]).toBe("1");
    venue.clock.now += 499;
    expect((await venue.paper.get("/v1/accounts")).status).toBe(429);
    venue.clock.now += 1;
    expect((await exhaust(venue.paper, "/v1/accounts")).passed).toBe(10);
  });

  it("admits 20 for versions before 1.1.0", async () => {
    await start();
    const { passed } = await exhaust(venue.paper, "/v1/accounts", { "API-Version": "1.0.0" });
    expect(passed).toBe(20);
    expect((await exhaust(venue.paper, "/v1/accounts")).passed).toBe(10);
  });

  it("counts each key separately, and no refused calls", async () => {
    await start();
    await exhaust(venue.paper, "/v1/accounts");
    for (let call = 0; call < 40; call++) expect((await venue.paper.get("/v1/accounts")).status).toBe(429);
    expect((await venue.addKey().get("/v1/accounts")).status).toBe(200);
    venue.clock.now += 1000;
    expect((await exhaust(venue.paper, "/v1/accounts")).passed).toBe(30);
  });

  it("refuses an order without effect, but its nonce is used up", async () => {
    await start({ callsPerSecond: 1 });
    expect((await venue.paper.order({}, { nonce: "5000000" })).status).toBe(201);
    expect((await venue.paper.order({}, { nonce: "5000001" })).status).toBe(429);
    venue.clock.now += 1000;
    const late = await venue.paper.get("/v1/orders", { nonce: "5000001" });
    expect(late.json.error.code).toBe("EAPI:Invalid nonce");
    expect((await venue.paper.get("/v1/orders", { nonce: "5000002" })).json.orders).toHaveLength(1);
  });

  it("does not apply to public endpoints", async () => {
    await start({ callsPerSecond: 1 });
    for (let call = 0; call < 50; call++) {
      const reply = await fetch(`${venue.sandbox.baseUrl}/v1/time`);
      expect([reply.status, reply.headers.get("ratelimit-limit")]).toEqual([200, "100000"]);
      await reply.text();
    }
  });
});

describe("weight per minute", () => {
  it.each([
    ["starter", 60],
    ["pro", 120],
    ["enterprise", 600],
  ] as const)("when the tier is %s, admits %i order histories", async (tier, calls) => {
    await start({ callsPerSecond: 100_000 });
    const client = venue.addKey({ tier, ipAllowList: ["127.0.0.1"] });
    const { passed, refused } = await exhaust(client, "/v1/orders");
    expect(passed).toBe(calls);
    expect(refused.json.error.retry_after_ms).toBe(60_000);
    expect(refused.headers["retry-after"]).toBe("60");
    venue.clock.now += 59_999;
    expect((await client.get("/v1/orders")).status).toBe(429);
    venue.clock.now += 1;
    expect((await client.get("/v1/orders")).status).toBe(200);
  });

  it("counts each endpoint with the weight in the table", async () => {
    await start({ callsPerSecond: 100_000 });
    const left = async (call: Promise<Reply>) => (await call).headers["ratelimit-remaining"];
    expect(await left(venue.paper.get("/v1/accounts"))).toBe("1198");
    expect(await left(venue.paper.order())).toBe("1197");
    expect(await left(venue.paper.get("/v1/trades/history"))).toBe("1187");
    expect(await left(venue.paper.delete("/v1/orders/batch"))).toBe("1182");
  });
});

describe("rate headers", () => {
  it("are on every private answer once the caller is known", async () => {
    await start();
    const { paper } = venue;
    const replies = [
      await paper.get("/v1/accounts"),
      await paper.order({ volume: 1 }),
      await paper.order({ volume: "9" }),
      await paper.get("/v1/accounts", { headers: { "API-Version": "3.0.0" } }),
      await venue.addKey({ permissions: [] }).get("/v1/accounts"),
      await paper.get("/v1/accounts", { nonce: "1" }),
      await paper.get("/v1/accounts", { nonce: "not a nonce" }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([200, 400, 422, 400, 403, 401, 401]);
    const told = replies.map(({ headers }) => [headers["ratelimit-limit"], headers["ratelimit-remaining"]]);
    expect(told).toEqual([
      ["30", "29"],
      ["30", "28"],
      ["30", "27"],
      ["30", "27"],
      ["30", "30"],
      ["30", "27"],
      ["30", "27"],
    ]);
    expect(replies.every(({ headers }) => headers["ratelimit-reset"] !== undefined)).toBe(true);
  });

  it("are on the answer of a call that was charged and then failed, on every family", async () => {
    await start();
    const { paper, sandbox } = venue;
    sandbox.exchange.balances = () => {
      throw new Error("a defect");
    };
    const form = new TradingCaller(sandbox.baseUrl, paper.credentials);
    const alias = new AliasClient(sandbox.baseUrl, paper.credentials, venue.clock);
    const replies = [await paper.get("/v1/accounts"), await form.post("Balance"), await alias.get("account")];
    expect(replies.map(({ status }) => status)).toEqual([500, 200, 500]);
    expect(replies.map(({ headers }) => headers["ratelimit-remaining"])).toEqual(["29", "28", "27"]);
    expect(venue.defects).toHaveLength(3);
  });

  it("show that a refused nonce costs nothing", async () => {
    await start();
    const left = async (nonce?: string) =>
      (await venue.paper.get("/v1/accounts", nonce === undefined ? {} : { nonce })).headers["ratelimit-remaining"];
    expect([await left(), await left("1"), await left("1"), await left()]).toEqual(["29", "29", "29", "28"]);
  });

  it("are not sent to a caller without the right key and signature", async () => {
    await start();
    const { credentials, baseUrl } = venue.paper;
    const forger = new SignedClient(baseUrl, { ...credentials, apiSecret: "d3Jvbmc=" });
    for (const nonce of ["1", "not a nonce", "5000000"]) {
      const reply = await forger.get("/v1/accounts", { nonce });
      expect([reply.status, reply.headers["ratelimit-limit"]]).toEqual([401, undefined]);
    }
  });
});

describe("call log", () => {
  it("never admits more than the limit in any second, over random calls", () => {
    const budget = { callsPerSecond: 7, weightPerMinute: 200 };
    const log = new CallLog();
    const taken: { at: number; weight: number }[] = [];
    // A fixed linear congruential sequence: the same calls on every run.
    let random = 12_345;
    const draw = (below: number) => {
      random = (random * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.trunc((random / 2_147_483_648) * below);
    };
    for (let call = 0, at = 0; call < 20_000; call++) {
      at += draw(120);
      const weight = [1, 2, 5, 10][draw(4)] ?? 1;
      const wait = log.enter(budget, weight, at);
      const inWindow = (ms: number) => taken.filter((entry) => at - entry.at < ms);
      const full =
        inWindow(1000).length >= 7 || inWindow(60_000).reduce((sum, entry) => sum + entry.weight, weight) > 200;
      expect(wait !== undefined).toBe(full);
      if (wait === undefined) taken.push({ at, weight });
      if (taken.length > 300) taken.splice(0, 100);
    }
  });

  it("returns a wait after which the call is admitted, and not a millisecond earlier", () => {
    const budget = { callsPerSecond: 2, weightPerMinute: 12 };
    const log = new CallLog();
    expect([log.enter(budget, 1, 0), log.enter(budget, 10, 300)]).toEqual([undefined, undefined]);
    expect(log.enter(budget, 1, 400)).toBe(600);
    expect(log.enter(budget, 1, 999)).toBe(1);
    expect(log.enter(budget, 2, 1000)).toBe(59_000);
    expect(log.enter(budget, 2, 59_999)).toBe(1);
    expect(log.enter(budget, 2, 60_000)).toBeUndefined();
  });

  it("stands still while the clock is set back", () => {
    const budget = { callsPerSecond: 1, weightPerMinute: 100 };
    const log = new CallLog();
    expect(log.enter(budget, 1, 10_000)).toBeUndefined();
    expect(log.enter(budget, 1, 5_000)).toBe(1000);
    expect(log.enter(budget, 1, 11_000)).toBeUndefined();
  });
});
