/** The thread that draws, as it is built: what becomes of a picture when it works, breaks, hangs, cannot be loaded, or is stopped. */
import { afterEach, expect, it } from "vitest";
import type { PictureRequest } from "../../src/mcp/pictures/picture-request.ts";
import { PictureThread } from "../../src/mcp/pictures/picture-thread.ts";

const candles = Array.from({ length: 5 }, (_, hour) => ({
  time: new Date(Date.UTC(2026, 6, 20, hour)).toISOString(),
  ...{ open: "10", high: "12", low: "9", close: "11", volume: "1", count: 1 },
}));
const request = {
  kind: "candles",
  reader: { locale: "en", timeZone: "UTC" },
  of: { symbol: "BTC/KRW", interval: "1h", environment: "sandbox", candles },
} as unknown as PictureRequest;

const file = (source: string): URL =>
  new URL(`data:text/javascript,import { parentPort } from "node:worker_threads"; ${encodeURIComponent(source)}`);
/** Draws each picture but the second, in which it does this. */
const secondly = (deed: string): URL =>
  file(`let n = 0; parentPort.on("message", () => { if (++n === 2) { ${deed} }
    else parentPort.postMessage({ ok: true, drawing: { png: new Uint8Array([n]), labeled: true } }); });`);

const threads: PictureThread[] = [];
function threadOf(settings?: ConstructorParameters<typeof PictureThread>[0]): PictureThread {
  const thread = new PictureThread(settings);
  threads.push(thread);
  return thread;
}
afterEach(() => {
  for (const thread of threads.splice(0)) thread.close();
});

it("draws with the built library, all of it off the main thread", async () => {
  const { png, labeled } = await threadOf().draw(request);
  expect([png.readUInt32BE(16), png.readUInt32BE(20), labeled]).toEqual([900, 500, true]);
});

it("draws one picture after another in the same thread", async () => {
  const counting = file(`let n = 0; parentPort.on("message", () => {
    parentPort.postMessage({ ok: true, drawing: { png: new Uint8Array([++n]), labeled: true } }); });`);
  const thread = threadOf({ file: counting, limitMs: 5_000 });
  for (let n = 1; n <= 3; n++) expect((await thread.draw(request)).png).toEqual(Buffer.from([n]));
});

it.each([
  ["breaks", 'throw new Error("secret path /home/x")'],
  ["ends", "process.exit(3)"],
])("fails the picture at which it %s, without its words, and draws the next with another", async (_, deed) => {
  const thread = threadOf({ file: secondly(deed) });
  expect((await thread.draw(request)).png).toEqual(Buffer.from([1]));
  await expect(thread.draw(request)).rejects.toThrow(/^what draws it broke$/);
  expect((await thread.draw(request)).png).toEqual(Buffer.from([1]));
});

it("gives up a picture that hangs, and draws the next with another", async () => {
  const thread = threadOf({ file: secondly("for (;;);"), limitMs: 1_500 });
  await thread.draw(request);
  await expect(thread.draw(request)).rejects.toThrow("it took too long");
  expect((await thread.draw(request)).png).toEqual(Buffer.from([1]));
});

it("says so where the library cannot be loaded", async () => {
  const thread = threadOf({ file: file('throw new Error("no addon for this platform");') });
  await expect(thread.draw(request)).rejects.toThrow("this machine cannot load the drawing library");
});

it("is given back when no picture is wanted for a while, and begun anew", async () => {
  const counting = secondly("parentPort.postMessage({ ok: false, why: 'the same thread' })");
  const thread = threadOf({ file: counting, idleMs: 0 });
  for (let n = 0; n < 3; n++) {
    expect((await thread.draw(request)).png).toEqual(Buffer.from([1]));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
});

it("fails what it draws when it is stopped", async () => {
  const thread = threadOf({ file: file('parentPort.on("message", () => undefined);') });
  const drawing = thread.draw(request);
  thread.close();
  await expect(drawing).rejects.toThrow("the server stops");
});
