import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { localFault } from "../../../../src/contract/index.ts";
import type { Stream } from "../../../../src/venues/index.ts";
import { bookContent, type Call, eventually, ScriptedVenue, settle, timeAt } from "./scripted-venue.ts";

let venue: ScriptedVenue;
let stream: Stream;
let states: string[];
beforeEach(async () => {
  venue = await ScriptedVenue.open();
  stream = venue.stream();
  states = [];
  stream.onState((state) => states.push(state));
});
afterEach(() => venue.close());

const BTC = "BTC/KRW";
const heartbeat = { op: "heartbeat", time: timeAt(0) };

async function live(): Promise<Call> {
  stream.orderbook(BTC, () => {});
  const call = await venue.call();
  await call.grant("orderbook", bookContent(1, {}), BTC);
  await stream.until("live");
  return call;
}

const drops = () => venue.notices.flatMap((each) => (each.type === "dropped" ? [each] : []));

describe("a stream", () => {
  it("connects with the first subscription, and reports its states in order", async () => {
    await settle();
    expect(venue.calls).toEqual([]);
    const call = await live();
    expect(states).toEqual(["syncing", "live"]);
    call.web.close();
    await eventually(() => states.includes("connecting"));
    await stream.close();
    expect(states).toEqual(["syncing", "live", "connecting", "closed"]);
  });

  it("is stale when a heartbeat is missing, and live with the next message", async () => {
    const call = await live();
    await venue.clock.advance(7_000);
    expect(stream.state).toBe("live");
    await venue.clock.advance(1_000);
    expect(states.at(-1)).toBe("stale");
    call.send(heartbeat);
    await eventually(() => states.at(-1) === "live");
    expect(stream.lastMessageAtMs).toBe(venue.clock.now());
  });

  it("tells the exchange's time of the last message, a heartbeat too, and by a run of another number what came without a gap", async () => {
    const call = await live();
    const followed = stream.orderbook(BTC, () => {});
    const first = followed.pulse;
    expect(first?.exchange).toEqual({ timeMs: Date.parse(timeAt(0)), cameMs: venue.clock.rising(), isSent: true });
    await venue.clock.advance(3_000);
    call.send({ op: "heartbeat", time: timeAt(3_010) });
    await eventually(() => followed.pulse?.heardMs === venue.clock.rising());
    expect(followed.pulse).toMatchObject({ run: first?.run, exchange: { timeMs: Date.parse(timeAt(3_010)) } });
    call.update("orderbook", bookContent(3, {}), BTC);
    await eventually(() => followed.pulse === undefined);
    await call.grant("orderbook", bookContent(3, {}), BTC);
    await eventually(() => followed.live);
    expect(followed.pulse?.run).not.toBe(first?.run);
    call.web.close();
    await eventually(() => stream.state === "connecting");
    expect(followed.pulse).toBeUndefined();
  });

  it("tells that it was answered, and when that was asked for; of what is asked while it ends there is no answer", async () => {
    const call = await live();
    const followed = stream.orderbook(BTC, () => {});
    const [answered, askedMs] = [stream.hear(), venue.clock.rising()];
    const { id } = await eventually(() => call.said.find(({ op }) => op === "ping"));
    await venue.clock.advance(3_000);
    expect(followed.pulse?.answeredMs).toBeUndefined();
    call.send({ op: "ack", id, ok: true });
    expect(await answered).toBe(true);
    expect(followed.pulse).toMatchObject({ answeredMs: askedMs, heardMs: venue.clock.rising() });
    const unanswered = stream.hear();
    call.web.close();
    expect(await unanswered).toBe(false);
    expect(await stream.hear()).toBe(false);
  });

  it("drops a connection after 15 s of silence and makes another", async () => {
    const call = await live();
    await venue.clock.advance(14_000);
    call.send(heartbeat);
    await settle();
    await venue.clock.advance(14_000);
    expect(call.isOpen).toBe(true);
    await venue.clock.advance(2_000);
    await eventually(() => !call.isOpen);
    expect(drops()).toMatchObject([{ why: "silence" }]);
    const second = await venue.call(1);
    await second.grant("orderbook", bookContent(8, {}), BTC);
    await eventually(() => stream.state === "live");
  });

  it("waits longer and longer, up to 30 s and with jitter, while it cannot connect", async () => {
    const pauses: number[] = [];
    const draws = [0, 0.999_999, 0.5];
    const unreachable = venue.stream({
      url: "ws://127.0.0.1:1/v1/stream",
      random: () => draws[pauses.length % 3] ?? 0,
      onNotice: (notice) => {
        if (notice.type === "dropped") pauses.push(notice.reconnectInMs);
      },
    });
    unreachable.ticker(BTC, () => {});
    for (let attempt = 1; attempt <= 12; attempt++) {
      await eventually(() => pauses.length >= attempt);
      await venue.clock.advance(30_000);
    }
    expect(pauses.slice(0, 12)).toEqual([250, 1000, 1125, 250, 8000, 8125, 250, 30_000, 15_125, 250, 30_000, 15_125]);
  });

  it("starts with short pauses again once it was live", async () => {
    stream.orderbook(BTC, () => {});
    for (let attempt = 0; attempt < 4; attempt++) {
      (await venue.call(attempt)).web.close();
      await eventually(() => drops().length === attempt + 1);
      await venue.clock.advance(5_000);
    }
    const call = await venue.call(4);
    await call.grant("orderbook", bookContent(1, {}), BTC);
    await stream.until("live");
    call.web.close();
    await eventually(() => drops().length === 5);
    expect(drops().map(({ reconnectInMs }) => reconnectInMs)).toEqual([375, 625, 1125, 2125, 375]);
  });

  it("gets its address before every connection", async () => {
    const asked: string[] = [];
    const moving = venue.stream({
      url: async () => {
        asked.push("asked");
        if (asked.length === 1) throw new Error("not yet");
        return venue.url;
      },
    });
    moving.ticker(BTC, () => {});
    await eventually(() => drops().length === 1);
    await venue.clock.advance(1_000);
    await venue.call();
    expect(asked).toHaveLength(2);
  });

  it("ends a connection with an unreadable message", async () => {
    const call = await live();
    call.send("{");
    await eventually(() => !call.isOpen);
    expect(drops()).toMatchObject([{ why: "unreadable message" }]);
  });

  it("ignores messages of a later version", async () => {
    const call = await live();
    call.send({ op: "announcement", text: "x" });
    call.send({ channel: "candles", symbol: BTC });
    call.send({ ...heartbeat, more: 1 });
    await settle();
    expect([stream.state, venue.calls.length]).toEqual(["live", 1]);
  });

  it("subscribes again when no ack or no snapshot comes", async () => {
    stream.ticker(BTC, () => {});
    const call = await venue.call();
    await call.asked("ticker", BTC);
    await venue.clock.advance(6_000);
    const { id } = await call.asked("ticker", BTC);
    call.send({ op: "ack", id, ok: true });
    await settle();
    await venue.clock.advance(6_000);
    await call.asked("ticker", BTC);
    expect(venue.resubscribed).toEqual(["ticker: no ack", "ticker: no snapshot"]);
  });

  it("waits as long as the service says when it sent too many subscriptions", async () => {
    stream.ticker(BTC, () => {});
    const call = await venue.call();
    const { id } = await call.asked("ticker", BTC);
    call.send({
      op: "ack",
      id,
      ok: false,
      error: { code: "EAPI:Rate limit exceeded", message: "", retry_after_ms: 900 },
    });
    await settle();
    await venue.clock.advance(800);
    expect(call.said).toEqual([]);
    await venue.clock.advance(200);
    await call.asked("ticker", BTC);
  });

  it("reports what was refused, and is live with the rest", async () => {
    const call = await live();
    const nothing = stream.ticker("NOPE/KRW", () => {});
    const { id } = await call.asked("ticker", "NOPE/KRW");
    call.send({ op: "ack", id, ok: false, error: { code: "EQuery:Unknown asset pair", message: "no" } });
    await eventually(() => nothing.fault);
    expect(nothing.fault).toMatchObject({ code: "EQuery:Unknown asset pair" });
    expect([nothing.live, stream.state]).toEqual([false, "live"]);
  });

  it("sends no more than 20 messages in a second", async () => {
    for (let number = 0; number < 50; number++) stream.ticker(`A${number}/KRW`, () => {});
    const call = await venue.call();
    await settle();
    expect(call.said).toHaveLength(20);
    await venue.clock.advance(1_000);
    expect(call.said).toHaveLength(20);
    await venue.clock.advance(200);
    expect(call.said).toHaveLength(40);
    await venue.clock.advance(1_200);
    expect(call.said).toHaveLength(50);
  });

  it("lets one listener throw without an effect on the others", async () => {
    const heard: number[] = [];
    stream.orderbook(BTC, () => {
      throw new Error("mine");
    });
    stream.orderbook(BTC, ({ seq }) => heard.push(seq));
    await (await venue.call()).grant("orderbook", bookContent(4, {}), BTC);
    await eventually(() => heard.length === 1);
    expect(venue.notices).toContainEqual({ type: "listener_failed", channel: "orderbook" });
    expect(stream.state).toBe("live");
  });

  it("takes 200 subscriptions, no own channel without a reader, and none once it is closed", async () => {
    for (let number = 0; number < 200; number++) stream.ticker(`A${number}/KRW`, () => {});
    expect(stream.freeSubscriptions).toBe(0);
    expect(() => stream.ticker(BTC, () => {})).toThrow(RangeError);
    stream.ticker("A1/KRW", () => {}).close();
    const anonymous = venue.stream({ reader: undefined as never });
    expect(() => anonymous.fills(() => {})).toThrow(TypeError);
    await stream.close();
    expect(() => stream.ticker(BTC, () => {})).toThrow("closed");
  });

  it("closes in any state, for good", async () => {
    await stream.close();
    const second = venue.stream();
    second.ticker(BTC, () => {});
    await second.close();
    const call = await (async () => {
      const third = venue.stream();
      third.ticker(BTC, () => {});
      const open = await venue.call(venue.calls.length);
      await third.close();
      return open;
    })();
    await eventually(() => !call.isOpen);
    await venue.clock.advance(60_000);
    expect(await stream.until("live")).toBe(false);
  });

  it("gets a token for every connection, and retries until it has one", async () => {
    stream.fills(() => {});
    const tokens = [];
    for (const number of [0, 1]) {
      const call = await venue.call(number);
      tokens.push((await call.asked("fills")).token);
      call.web.close();
      await eventually(() => drops().length === number + 1);
      await venue.clock.advance(2_000);
    }
    venue.account.fault = localFault("ELocal:No answer");
    const third = await venue.call(2);
    third.web.close();
    await eventually(() => drops().length === 3);
    await venue.clock.advance(2_000);
    const fourth = await venue.call(3);
    await eventually(() => venue.notices.some((each) => each.type === "refused" && each.code === "ELocal:No answer"));
    expect(fourth.said).toEqual([]);
    venue.account.fault = undefined;
    await venue.clock.advance(2_000);
    tokens.push((await fourth.asked("fills")).token);
    expect(new Set(tokens).size).toBe(3);
  });

  it("gets another token when one is refused", async () => {
    stream.orders(() => {});
    const call = await venue.call();
    const { id, token } = await call.asked("orders");
    const error = { code: "EGeneral:Invalid arguments:token", message: "", field: "token" };
    call.send({ op: "ack", id, ok: false, error });
    expect((await call.asked("orders")).token).not.toBe(token);
  });
});
