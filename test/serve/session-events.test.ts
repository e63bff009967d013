/** What is kept of a session's events, and what is said of the rest: the bounds, which no client reaches quickly. */
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { beforeEach, describe, expect, it } from "vitest";
import { SessionEvents } from "../../src/serve/sessions/session-events.ts";

const NOTIFICATIONS = "n";

let events: SessionEvents;
beforeEach(() => {
  events = new SessionEvents(NOTIFICATIONS);
});

const answer = (id: number, text = ""): JSONRPCMessage => ({ jsonrpc: "2.0", id, result: { text } });
const progress = (done: number): JSONRPCMessage => ({
  jsonrpc: "2.0",
  method: "notifications/progress",
  params: { progressToken: 1, progress: done },
});
const changed = (uri: string): JSONRPCMessage => ({
  jsonrpc: "2.0",
  method: "notifications/resources/updated",
  params: { uri },
});

/** The first event of a stream, as the SDK stores it. */
const begun = (streamId: string) => events.storeEvent(streamId, {} as JSONRPCMessage);

function last(streamId: string, message: JSONRPCMessage): Promise<string> {
  events.endsWith(message, "kept");
  return events.storeEvent(streamId, message);
}

async function missed(place: string): Promise<readonly JSONRPCMessage[]> {
  const sent: JSONRPCMessage[] = [];
  await events.replayEventsAfter(place, {
    send: async (_, message) => {
      sent.push(message);
    },
  });
  return sent;
}

describe("a stream that is opened again", () => {
  it("has what came after its place, in order, and nothing of another", async () => {
    const place = await begun("a");
    const first = await events.storeEvent("a", progress(1));
    await events.storeEvent("b", progress(7));
    await events.storeEvent("a", progress(2));
    const end = await last("a", answer(1));
    expect(await missed(place)).toEqual([progress(1), progress(2), answer(1)]);
    expect(await missed(first)).toEqual([progress(2), answer(1)]);
    expect([events.find(place), events.find(end)]).toEqual([{ at: "open" }, { at: "end" }]);
  });

  it("ends, wherever it is, when its request was dropped", async () => {
    const place = await begun("a");
    const message = answer(1);
    events.endsWith(message, "dropped");
    await events.storeEvent("a", message);
    expect(events.find(place)).toEqual({ at: "end" });
    expect(await missed(place)).toEqual([]);
  });

  it("has of each resource the last change when it is of notifications, however many there were", async () => {
    const place = events.place();
    for (let made = 0; made < 5_000; made += 1) await events.storeEvent(NOTIFICATIONS, changed(`hoga://${made % 3}`));
    expect(await missed(place)).toEqual(["hoga://2", "hoga://0", "hoga://1"].map(changed));
    expect(events.find(place)).toEqual({ at: "open" });
  });
});

describe("what is kept", () => {
  it("is bounded in number: of an answer that had to go it is said that it is lost, and after a while nothing", async () => {
    const place = await begun("a");
    const end = await last("a", answer(7));
    for (let made = 0; made < 511; made += 1) await last(`s${made}`, answer(made));
    expect(await missed(place)).toEqual([answer(7)]);
    await last("one-more", answer(600));
    expect(events.find(place)).toEqual({ at: "lost", id: 7, eventId: end });
    expect(events.find(end)).toEqual({ at: "end" });
    for (let made = 0; made < 3_000; made += 1) await last(`t${made}`, answer(made));
    expect(events.find(place)).toEqual({ at: "unknown" });
  });

  it("is bounded in bytes, and what is too large for all of it takes no other's room", async () => {
    const half = "x".repeat(260 * 1024);
    const [a, b, c] = [await begun("a"), await begun("b"), await begun("c")];
    await last("a", answer(1, half));
    await last("c", answer(3, "x".repeat(600 * 1024)));
    expect([events.find(a), events.find(c)]).toEqual([{ at: "open" }, expect.objectContaining({ at: "lost", id: 3 })]);
    await last("b", answer(2, half));
    expect([events.find(a), events.find(b)]).toEqual([expect.objectContaining({ at: "lost", id: 1 }), { at: "open" }]);
    expect(await missed(b)).toEqual([answer(2, half)]);
  });
});
