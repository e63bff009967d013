import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SharedMarketStream } from "../../../src/cli/composition/market-stream.ts";
import { type Sandbox, startSandbox } from "../../../src/sandbox/index.ts";
import { Stream } from "../../../src/venues/index.ts";
import { StandingClock } from "../../venues/hoga/stream/scripted-venue.ts";

const SOON = { timeout: 10_000, interval: 5 };

let sandbox: Sandbox;
let clock: StandingClock;
let stream: SharedMarketStream;
let streams: Stream[];
beforeEach(async () => {
  sandbox = await startSandbox({ marketMaker: false });
  clock = new StandingClock();
  streams = [];
  stream = new SharedMarketStream(() => {
    const opened = new Stream({ url: sandbox.streamUrl });
    streams.push(opened);
    return opened;
  }, clock);
});
afterEach(async () => {
  await stream.close();
  await sandbox.close();
});

const states = () => streams.map(({ state }) => state);

describe("the stream of a desk", () => {
  it("is closed a minute after its last use, and opened again by the next", async () => {
    stream.book("BTC/KRW");
    await expect.poll(() => stream.book("BTC/KRW")?.symbol, SOON).toBe("BTC/KRW");
    const watch = stream.watch({ channel: "ticker", symbol: "ETH/KRW" }, () => undefined);
    await clock.advance(600_000);
    expect(watch.live).toBe(true);
    expect(streams[0]?.freeSubscriptions).toBe(199);
    watch.close();
    await clock.advance(50_000);
    expect(states()).toEqual(["live"]);
    await clock.advance(20_000);
    expect(states()).toEqual(["closed"]);
    await expect.poll(() => stream.book("BTC/KRW")?.symbol, SOON).toBe("BTC/KRW");
    expect(states()).toEqual(["closed", "live"]);
  });

  it("notifies when a topic stops being live", async () => {
    const told: boolean[] = [];
    const watch = stream.watch({ channel: "ticker", symbol: "BTC/KRW" }, () => told.push(watch.live));
    await expect.poll(() => watch.live, SOON).toBe(true);
    await sandbox.close();
    await expect.poll(() => told.at(-1), SOON).toBe(false);
    expect(watch.live).toBe(false);
  });

  it("has no account topics without a key, and is not reopened once it is closed", async () => {
    const watch = stream.watch({ channel: "orders" }, () => undefined);
    expect(watch.live).toBe(false);
    await stream.close();
    expect(stream.book("BTC/KRW")).toBeUndefined();
    expect(stream.watch({ channel: "orders" }, () => undefined).live).toBe(false);
    expect(streams.length).toBe(1);
  });
});
