import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Fault } from "../../src/contract/index.ts";
import type { ClientEvent, Lane, LaneRequest, Transport } from "../../src/transport/index.ts";
import { systemClock } from "../../src/transport/request/clock-offset.ts";
import { LocalLane } from "../../src/transport/request/local-lane.ts";
import { OpenApiClient, sign } from "../../src/venues/index.ts";
import { deadlineOf } from "../fixture/lane-deadline.ts";
import { ORDER_ID, order } from "../fixture/order-sample.ts";
import {
  accounts,
  answer,
  clientOf,
  hang,
  KEY,
  orderBody,
  refuse,
  SECRET,
  startWire,
  type Wire,
} from "../venues/hoga/wire.ts";

let wire: Wire;
beforeEach(async () => {
  wire = await startWire(answer(accounts));
});
afterEach(() => wire.close());

/** A lane that records who entered and left. */
function recordingLane() {
  const log: string[] = [];
  const requests: LaneRequest[] = [];
  let nonce = 41n;
  const lane: Lane = {
    enter: async (_, request) => {
      requests.push(request);
      log.push("enter");
      nonce++;
      return {
        nonce,
        leave: async () => {
          log.push("leave");
        },
      };
    },
    pause: async (_, forMs) => {
      log.push(`pause ${forMs}`);
    },
  };
  return { lane, log, requests };
}

const brokenLane: Lane = {
  enter: () => Promise.reject(new Error("database or disk is full")),
  pause: () => Promise.reject(new Error("database or disk is full")),
};

describe("a private call", () => {
  it("keeps one request of a key in flight, in order, with rising nonces", async () => {
    let open = 0;
    let most = 0;
    wire.script = [
      (response, arrival, request) => {
        most = Math.max(most, ++open);
        setTimeout(() => {
          open--;
          answer(accounts)(response, arrival, request);
        }, 5);
      },
    ];
    const client = clientOf(wire);
    const results = await Promise.all(Array.from({ length: 20 }, () => client.accounts()));
    expect(results.every(({ ok }) => ok)).toBe(true);
    expect(most).toBe(1);
    const nonces = wire.arrivals.map(({ headers }) => Number(headers["api-nonce"]));
    expect(nonces).toEqual([...new Set(nonces)].sort((a, b) => a - b));
    await client.close();
  });

  it("gets rising nonces from a clock that stands still or goes back", async () => {
    let now = 1_784_538_000_000;
    wire.clock = answer("", 404);
    const clock = { now: () => now, rising: () => 0, sleep: () => new Promise<void>(() => {}) };
    const client = clientOf(wire, { clock });
    await client.accounts();
    await client.accounts();
    now -= 60_000;
    await client.accounts();
    const nonces = wire.arrivals.map(({ headers }) => headers["api-nonce"]);
    expect(nonces).toEqual(["1784538000000", "1784538000001", "1784538000002"]);
    await client.close();
  });

  it("enters the lane with weight and clock offset, uses its nonce, and leaves once", async () => {
    const { lane, log, requests } = recordingLane();
    const client = clientOf(wire, { lane });
    await client.accounts();
    expect(log).toEqual(["enter", "leave"]);
    expect(requests[0]?.weight).toBe(2);
    expect(requests[0]?.clockOffsetMs()).toBe(client.clockOffsetMs());
    expect(wire.arrivals[0]?.headers["api-nonce"]).toBe("42");
    await client.close();
  });

  it("is not sent with a nonce that is not larger than `afterNonce`: the answer would prove nothing", async () => {
    const { lane, log } = recordingLane();
    const client = clientOf(wire, { lane });
    wire.script = [answer({ orders: [], next_cursor: null })];
    const ask = (afterNonce: string) => client.orders({ userref: "lost", state: "all" }, { afterNonce });
    for (const [number, afterNonce] of [
      [42, "42"],
      [43, "99999999999999999"],
    ] as const) {
      expect(await ask(afterNonce)).toMatchObject({ ok: false, fault: { reachedVenue: "no" } });
      expect(log).toHaveLength(2 * (number - 41));
    }
    expect(wire.arrivals).toHaveLength(0);
    expect(await ask("43")).toMatchObject({ ok: true });
    expect(wire.arrivals).toHaveLength(1);
    await client.close();
  });

  it("leaves the lane however it ends, and before it waits for a retry", async () => {
    const { lane, log } = recordingLane();
    const client = clientOf(wire, { lane, timeouts: { totalMs: 2_000 } });
    wire.script = [refuse("EService:Unavailable", 503), answer(accounts)];
    await client.accounts();
    wire.script = [hang];
    await client.submit(orderBody);
    await client.submit(orderBody, async () => false);
    await client.submit(orderBody, () => Promise.reject(new Error("x"))).catch(() => undefined);
    expect(log.join()).toBe(Array(5).fill("enter,leave").join());
    await client.close();
  });

  it("pauses the lane when the limit is reached, ten minutes at most", async () => {
    const { lane, log } = recordingLane();
    const client = clientOf(wire, { lane });
    wire.script = [refuse("EAPI:Rate limit exceeded", 429, { retry_after_ms: 20 }), answer(accounts)];
    await client.accounts();
    wire.script = [refuse("EAPI:Rate limit exceeded", 429, { retry_after_ms: 7_000_000 })];
    await client.cancelAll();
    expect(log).toEqual(["enter", "pause 20", "leave", "enter", "leave", "enter", "pause 600000", "leave"]);
    await client.close();
  });

  it("marks cancels as urgent, and nothing else", async () => {
    const { lane, requests } = recordingLane();
    wire.script = [answer(order)];
    const client = clientOf(wire, { lane });
    await client.cancel("BTC/KRW", ORDER_ID);
    await client.submit(orderBody);
    await client.order("BTC/KRW", ORDER_ID);
    expect(requests.map(({ urgent }) => urgent)).toEqual([true, undefined, undefined]);
    await client.close();
  });

  it("is signed after the wait: the signed nonce is that of the lane", async () => {
    const { lane } = recordingLane();
    const slow: Lane = {
      ...lane,
      enter: (...entry) => new Promise((r) => setTimeout(r, 50)).then(() => lane.enter(...entry)),
    };
    const client = clientOf(wire, { lane: slow });
    await client.accounts();
    const headers = wire.arrivals[0]?.headers;
    expect(headers?.["api-sign"]).toBe(sign("GET /v1/accounts", "42", "", Buffer.from(SECRET, "base64")));
    await client.close();
  });

  it("is sent to where the venue is when its turn has come, not to where it was before", async () => {
    const moved = await startWire(answer(accounts));
    let address = wire.url;
    let letIn = (): void => {};
    const turn = new Promise<void>((resolve) => {
      letIn = resolve;
    });
    const lane: Lane = {
      enter: async () => {
        await turn;
        return { nonce: 1n, leave: async () => {} };
      },
      pause: async () => {},
    };
    const client = clientOf(wire, { lane, baseUrl: async () => address });
    const answered = client.accounts();
    await new Promise((resolve) => setTimeout(resolve, 20));
    address = moved.url;
    letIn();
    expect((await answered).ok).toBe(true);
    expect(moved.arrivals).toHaveLength(1);
    await client.close();
    await moved.close();
  });

  it("is given up unsent when its turn does not come in time, and the next call gets the turn", async () => {
    const client = clientOf(wire, { timeouts: { totalMs: 1_500, deadlineMs: 700 } });
    wire.script = [hang];
    const first = client.submit(orderBody);
    const second = client.submit(orderBody);
    const { fault } = (await second) as { fault: Fault };
    expect(fault).toMatchObject({ code: "EAPI:Rate limit exceeded", reachedVenue: "no", retry: "after_delay" });
    expect(fault.retryAfterMs).toBeGreaterThanOrEqual(1_000);
    expect(fault.retryAfterMs).toBeLessThanOrEqual(5_000);
    expect(fault.message).toContain("Nothing was sent");
    expect(fault.nextAction).toContain("retry_after_ms");
    expect(await first).toMatchObject({ fault: { reachedVenue: "unknown" } });
    wire.script = [answer(accounts)];
    expect((await client.accounts()).ok).toBe(true);
    expect(wire.arrivals).toHaveLength(2);
    await client.close();
  });
});

describe("the lane of one process", () => {
  const lane = () => new LocalLane(systemClock);
  const request: LaneRequest = { weight: 1, clockOffsetMs: () => 0 };

  it("lets cancels go before waiting calls, in their own order", async () => {
    const local = lane();
    const first = await local.enter(KEY, request);
    const went: string[] = [];
    const go = async (name: string, urgent: boolean) => {
      const pass = await local.enter(KEY, { ...request, urgent });
      went.push(name);
      await pass.leave();
      return pass.nonce;
    };
    const calls = [go("read 1", false), go("read 2", false), go("cancel 1", true), go("cancel 2", true)];
    await first.leave();
    const nonces = await Promise.all(calls);
    expect(went).toEqual(["cancel 1", "cancel 2", "read 1", "read 2"]);
    expect(new Set([first.nonce, ...nonces]).size).toBe(5);
  });

  it("lets a cancel go before a call that waits for the end of a pause", async () => {
    const local = lane();
    await local.pause(KEY, 60);
    const went: string[] = [];
    const go = async (name: string, urgent: boolean) => {
      const pass = await local.enter(KEY, { ...request, urgent });
      went.push(name);
      await pass.leave();
    };
    const began = Date.now();
    const reading = go("read", false);
    await go("cancel", true);
    expect(went).toEqual(["cancel"]);
    await reading;
    expect(went).toEqual(["cancel", "read"]);
    expect(Date.now() - began).toBeGreaterThanOrEqual(55);
  });

  it("lets one cancel through at once during a pause, and further ones seconds apart", async () => {
    let now = 1_000_000;
    const slept: number[] = [];
    const local = new LocalLane({
      now: () => 0,
      rising: () => now,
      sleep: async (ms) => {
        slept.push(ms);
        now += ms;
      },
    });
    const cancel = async () => (await local.enter(KEY, { ...request, urgent: true })).leave();
    await local.pause(KEY, 60_000);
    now += 1;
    await cancel();
    // The same pause, asked for again.
    await local.pause(KEY, 60_000);
    await cancel();
    await cancel();
    expect(slept).toEqual([3_000, 3_000]);
    const pass = await local.enter(KEY, request);
    await pass.leave();
    // From when it was last asked for.
    expect(now).toBe(1_060_001);
  });

  it("goes on after a call that gave up, and a pass leaves it only once", async () => {
    const local = lane();
    const first = await local.enter(KEY, request);
    const end = new AbortController();
    const given = local.enter(KEY, { ...request, deadline: deadlineOf(end.signal) });
    const second = local.enter(KEY, request);
    const third = local.enter(KEY, request);
    end.abort();
    await expect(given).rejects.toThrow("aborted");
    await first.leave();
    await second;
    await first.leave();
    const early = await Promise.race([third, new Promise((resolve) => setTimeout(resolve, 20, "waits"))]);
    expect(early).toBe("waits");
    await (await second).leave();
    expect((await third).nonce).toBeGreaterThan((await second).nonce);
  });
});

describe("a lane that fails", () => {
  it("stops every private call unsent, while public reads go on", async () => {
    const events: ClientEvent[] = [];
    const client = clientOf(wire, { lane: brokenLane, onEvent: (event) => events.push(event) });
    const unsent = { ok: false, fault: { code: "ELocal:Store unavailable", reachedVenue: "no" } };
    expect(await client.submit(orderBody, async () => true)).toMatchObject(unsent);
    expect(await client.cancelAll()).toMatchObject(unsent);
    expect(await client.accounts()).toMatchObject(unsent);
    expect(wire.arrivals).toHaveLength(0);
    wire.script = [answer({ markets: [] })];
    expect(await client.markets()).toEqual({ ok: true, value: [] });
    expect(events.filter(({ type }) => type === "lane_failed")).toHaveLength(3);
    await client.close();
  });

  it("when a call leaves it does not hide the answer", async () => {
    const { lane } = recordingLane();
    const sticky: Lane = {
      ...lane,
      enter: async (...entry) => ({ ...(await lane.enter(...entry)), leave: () => Promise.reject(new Error("disk")) }),
    };
    wire.script = [answer(order, 201)];
    const client = clientOf(wire, { lane: sticky });
    expect(await client.submit(orderBody)).toMatchObject({ ok: true, value: { uuid: ORDER_ID } });
    await client.close();
  });
});

describe("the clock offset", () => {
  it("is measured once before the first private call, and moves the nonces", async () => {
    wire.clock = answer({ iso: "2096-01-01T00:00:00.000Z", unix_ms: 3_976_214_400_000 });
    const client = clientOf(wire);
    expect(client.clockOffsetMs()).toBeUndefined();
    await Promise.all([client.accounts(), client.accounts(), client.accounts()]);
    expect(wire.clockReads).toHaveLength(1);
    expect(String(wire.arrivals[0]?.headers["api-nonce"])).toMatch(/^39762/);
    await client.close();
  });

  it("does not stop a call when it cannot be measured, and only the first call waits for it", async () => {
    wire.clock = hang;
    const client = clientOf(wire, { timeouts: { totalMs: 500 } });
    expect((await client.accounts()).ok).toBe(true);
    expect(client.clockOffsetMs()).toBeUndefined();
    expect((await client.accounts()).ok).toBe(true);
    expect(wire.clockReads).toHaveLength(1);
    await client.close();
  });

  it("leaves out how long the request waited for a connection", async () => {
    let now = 1_000_000;
    const transport: Transport = {
      send: async ({ path }) => {
        now += 900;
        const unix_ms = now + 100;
        now += 200;
        const body = Buffer.from(
          JSON.stringify(path === "/v1/time" ? { iso: new Date(unix_ms).toISOString(), unix_ms } : accounts),
        );
        return { kind: "answer", status: 200, headers: {}, body, waitedMs: 900 };
      },
      close: async () => {},
    };
    const clock = { now: () => now, rising: () => now, sleep: () => new Promise<void>(() => {}) };
    const client = clientOf(wire, { clock, transport });
    await client.accounts();
    expect(client.clockOffsetMs()).toBe(0);
    await client.close();
  });

  it("assumes the middle of the round trip, and is refreshed after five minutes without a wait", async () => {
    let now = 1_000_000;
    let reads = 0;
    let release = (): void => {};
    const text = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));
    const transport: Transport = {
      send: async ({ path }) => {
        if (path !== "/v1/time") return { kind: "answer", status: 200, headers: {}, body: text(accounts) };
        const unix_ms = now + 500 + 100;
        now += 200;
        if (++reads > 1) await new Promise<void>((resolve) => (release = resolve));
        return {
          kind: "answer",
          status: 200,
          headers: {},
          body: text({ iso: new Date(unix_ms).toISOString(), unix_ms }),
        };
      },
      close: async () => {},
    };
    const client = new OpenApiClient({
      environment: "sandbox",
      baseUrl: "http://venue.example",
      credentials: { apiKey: KEY, apiSecret: SECRET },
      clock: { now: () => now, rising: () => now, sleep: () => new Promise(() => {}) },
      transport,
    });
    await client.accounts();
    expect(client.clockOffsetMs()).toBe(500);
    now += 299_000;
    await client.accounts();
    expect(reads).toBe(1);
    now += 1_000;
    expect((await client.accounts()).ok).toBe(true);
    expect(reads).toBe(2);
    release();
    await client.close();
  });

  it.each([3_600_000, -3_600_000])(
    "is corrected at once when our clock is set by %d ms, measured or not",
    async (byMs) => {
      let steady = 0;
      let setMs = 0;
      const START = 1_784_538_000_000;
      const clock = {
        now: () => START + steady + setMs,
        rising: () => steady,
        sleep: () => new Promise<void>(() => {}),
      };
      const timeAt = (ms: number) => answer({ iso: new Date(ms).toISOString(), unix_ms: ms });
      wire.clock = timeAt(START + 500);
      const client = clientOf(wire, { clock });
      await client.accounts();
      expect(client.clockOffsetMs()).toBe(500);
      wire.clock = answer("", 404);
      steady += 10_000;
      setMs = byMs;
      await client.accounts();
      expect(client.clockOffsetMs()).toBe(500 - byMs);
      expect(wire.arrivals.at(-1)?.headers["api-nonce"]).toBe(String(START + 10_500));
      await vi.waitFor(() => expect(wire.clockReads).toHaveLength(2));
      // A clock that drifts was not set.
      steady += 10_000;
      setMs += 900;
      wire.clock = timeAt(START + 20_700);
      await client.accounts();
      await vi.waitFor(() => expect(client.clockOffsetMs()).toBe(700 - byMs - 900));
      setMs += 900;
      await client.accounts();
      expect(client.clockOffsetMs()).toBe(700 - byMs - 900);
      await client.close();
    },
  );

  it("is taken from the dates of answers while it cannot be measured, and is never ahead of the exchange", async () => {
    const now = 1_784_538_000_250;
    const clock = { now: () => now + 3_600_000, rising: () => now, sleep: () => new Promise<void>(() => {}) };
    const dated = (ms: number) => ({ date: new Date(ms).toUTCString() });
    wire.clock = answer("", 429, dated(now));
    wire.script = [
      answer(accounts, 200, dated(now - 60_000)),
      answer(accounts, 200, { date: "long ago" }),
      answer(accounts, 200, dated(9e12)),
    ];
    const client = clientOf(wire, { clock });
    for (let calls = 0; calls < 4; calls++) await client.accounts();
    expect(client.clockOffsetMs()).toBe(-3_600_250);
    expect(wire.arrivals[0]?.headers["api-nonce"]).toBe("1784538000000");
    await client.close();
  });

  it("is not taken from an answer when our clock was set meanwhile", async () => {
    let setMs = 0;
    const clock = { now: () => 1_000_000 + setMs, rising: () => 0, sleep: () => new Promise<void>(() => {}) };
    const clockAnswer = answer({ iso: "1970-01-01T00:16:40.000Z", unix_ms: 1_000_000 });
    wire.clock = (...asked) => {
      setMs = 60_000;
      return clockAnswer(...asked);
    };
    const client = clientOf(wire, { clock });
    await client.accounts();
    expect(client.clockOffsetMs()).toBeUndefined();
    await client.close();
  });

  it("ignores a broken clock", async () => {
    wire.clock = answer({ iso: "2026-07-20T09:00:00.000Z", unix_ms: 8_000_000_000_000 });
    const client = clientOf(wire);
    await client.accounts();
    expect(client.clockOffsetMs()).toBeUndefined();
    await client.close();
  });
});
