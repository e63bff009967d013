import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../../fixture/command.ts";
import { coins, krw } from "../engine/exchange-kit.ts";
import { HOUR, MINUTE, openWebhookVenue, SECOND, type WebhookVenue, type WebhookVenueOptions } from "./partner.ts";
import { startReceiver, type TestReceiver } from "./receiver.ts";

let venue: WebhookVenue;
let receiver: TestReceiver;
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(async () => {
  await venue.close();
  await receiver.close();
  expect(venue.defects).toEqual([]);
});

async function open(options: WebhookVenueOptions = {}): Promise<void> {
  // The clock stands still unless a test moves it.
  const now = Date.now();
  venue = await openWebhookVenue({ now: () => now, ...options });
}

const buy = () => venue.place({ accountId: "ann", side: "buy", price: krw(1_000), volume: coins(10_000) });
const pending = () => venue.webhooks.deliveries("pending");
/** The outcome of so many attempts of the one delivery is known. */
const attempted = (times: number) =>
  eventually(() => {
    const [delivery] = [
      ...pending(),
      ...venue.webhooks.deliveries("parked"),
      ...venue.webhooks.deliveries("delivered"),
    ];
    return delivery?.attempts === times ? delivery : undefined;
  });

const pauses = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR, 6 * HOUR, 24 * HOUR];

describe("a delivery that is not accepted", () => {
  it.each([
    ["shortest", 0, 0.9],
    ["longest", 1 - 2 ** -32, 1.1],
  ])("is sent on the schedule at its %s, eight times in all, and is parked then", async (_, random, factor) => {
    await open({ random: () => random });
    receiver.behave(500);
    venue.register(receiver.url, ["order.created"]);
    buy();
    for (const [index, pause] of pauses.entries()) {
      await attempted(index + 1);
      venue.advance(Math.round(pause * factor) - 1);
      // Nothing went out: what is due is sent as the clock moves.
      expect(pending()).toMatchObject([{ attempts: index + 1, problem: "answered with status 500" }]);
      expect(receiver.received).toHaveLength(index + 1);
      venue.advance(1);
    }
    expect(await attempted(8)).toMatchObject({ state: "parked", problem: "answered with status 500" });
    venue.advance(1_000 * HOUR);
    expect(receiver.received).toHaveLength(8);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1);
    // Sent again by hand it has all its attempts again.
    const [parked] = venue.webhooks.deliveries("parked");
    receiver.behave(500, 204);
    expect(venue.webhooks.resend(parked?.number ?? 0, Date.now() + 2_000 * HOUR)).toBe(true);
    venue.advance(2_000 * HOUR);
    await attempted(1);
    venue.advance(6 * SECOND);
    expect(await attempted(2)).toMatchObject({ state: "delivered", problem: null });
    expect(receiver.received).toHaveLength(10);
  });

  it("is sent again after an error, a time-out, a reset and a redirection, signed anew, as the same event", async () => {
    await open({ answerMs: 150 });
    receiver.behave(503, "silent", "reset", { status: 307, location: "http://127.0.0.1:1/" }, 204);
    venue.register(receiver.url, ["order.created"]);
    buy();
    const problems: unknown[] = [];
    for (const [index, pause] of pauses.slice(0, 4).entries()) {
      problems.push((await attempted(index + 1)).problem);
      venue.advance(pause * 1.1 + 1);
    }
    expect(problems).toEqual([
      "answered with status 503",
      "no answer within 150 ms",
      "not reached: ECONNRESET",
      "answered with status 307",
    ]);
    expect(await attempted(5)).toMatchObject({ state: "delivered" });
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1);
    expect(receiver.received.every(({ authentic }) => authentic)).toBe(true);
  });

  it("waits while nothing listens at the endpoint, and arrives when it listens again", async () => {
    await open();
    const { port } = new URL(receiver.url);
    await receiver.close();
    venue.register(`http://127.0.0.1:${port}/`, ["order.created"]);
    buy();
    expect(await attempted(1)).toMatchObject({ problem: "not reached: ECONNREFUSED" });
    receiver = await startReceiver({ port: Number(port) });
    venue.advance(6 * SECOND);
    expect(await attempted(2)).toMatchObject({ state: "delivered" });
    expect(receiver.types()).toEqual(["order.created"]);
  });

  it("delays neither other events nor other endpoints, and only a few are in flight to one endpoint", async () => {
    await open();
    const quick = await startReceiver();
    onTestFinished(() => quick.close());
    receiver.behave(200, "silent");
    venue.register(receiver.url, ["order.created"]);
    venue.register(quick.url, ["order.created"]);
    for (let count = 0; count < 51; count++) buy();
    await eventually(() => (pending().length === 50 && quick.received.length === 51) || undefined);
    await eventually(() => receiver.received.length >= 5 || undefined);
    expect(receiver.received).toHaveLength(5);
  });

  it("takes no slot from endpoints that answer, however many others are silent", async () => {
    const warnings: Error[] = [];
    const note = (warning: Error): void => void warnings.push(warning);
    process.on("warning", note);
    onTestFinished(() => void process.off("warning", note));
    await open();
    receiver.behave("silent");
    for (let count = 0; count < 12; count++)
      venue.register(receiver.url, ["order.created"], "ann", `wh_silent_${count}`);
    const quick = await startReceiver();
    onTestFinished(() => quick.close());
    venue.register(quick.url, ["order.created"]);
    for (let count = 0; count < 20; count++) buy();
    await eventually(() => venue.webhooks.deliveries("delivered").length === 20 || undefined);
    // None of the others was given up first.
    expect(pending()).toHaveLength(12 * 20);
    expect(pending().filter(({ attempts }) => attempts > 0)).toEqual([]);
    expect(warnings).toEqual([]);
  });

  it("leaves half of the slots to others, where more endpoints have failed than there are slots", async () => {
    await open();
    const quick = await startReceiver();
    onTestFinished(() => quick.close());
    receiver.behave(...Array.from({ length: 39 }, () => 500), "silent");
    for (let count = 0; count < 39; count++)
      venue.register(receiver.url, ["order.created"], count < 19 ? "ann" : "bob", `wh_dead_${count}`);
    venue.register(quick.url, ["order.created"]);
    buy();
    venue.place({ accountId: "bob", side: "sell", price: krw(2_000), volume: coins(10_000) });
    await eventually(() => (pending().length === 39 && pending().every(({ attempts }) => attempts === 1)) || undefined);
    venue.advance(6 * SECOND);
    await eventually(() => receiver.received.length >= 39 + 16 || undefined);
    for (let count = 0; count < 20; count++) buy();
    await eventually(() => quick.received.length >= 21 || undefined);
    expect(receiver.received).toHaveLength(39 + 16);
  });

  it("counts as failed when it could not be sent at all, and is sent again", async () => {
    let isBroken = true;
    const machineTime = (): number => {
      if (isBroken) throw new Error("no time");
      return Date.now();
    };
    await open({ machineTime });
    venue.register(receiver.url, ["order.created"]);
    buy();
    expect(await attempted(1)).toMatchObject({ state: "pending", problem: "it could not be sent" });
    expect(venue.defects.splice(0)).toEqual([new Error("no time")]);
    isBroken = false;
    venue.advance(6 * SECOND);
    expect(await attempted(2)).toMatchObject({ state: "delivered" });
  });

  it("is not sent to an address that the sandbox may not send to", async () => {
    await open();
    venue.register("http://192.168.1.1:80/", ["order.created"]);
    buy();
    expect((await attempted(1)).problem).toMatch(/^only addresses of this machine/);
  });

  it("is sent again in real time without being asked for", async () => {
    await open({ now: Date.now, random: () => 0 });
    receiver.behave(500, 200);
    venue.register(receiver.url, ["order.created"]);
    buy();
    await attempted(1);
    venue.advance(4 * SECOND);
    // Half a second is left of the shortest pause.
    expect(await attempted(2)).toMatchObject({ state: "delivered" });
  });
});
