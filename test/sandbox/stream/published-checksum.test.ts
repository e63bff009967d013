/**
 * What is published about the checksum of a book is enough to verify a stream with: nothing here uses the code or the tables of
 * the repository, only what the exchange serves, and a CRC-32 written out by hand.
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import { WebSocket } from "ws";
import { type Sandbox, startSandbox } from "../../../src/sandbox/index.ts";
import { send } from "../http/signed-client.ts";

type Level = readonly [price: string, volume: string];
interface Tick {
  readonly buys: readonly Level[];
  readonly asks: readonly Level[];
}
interface BookEvent {
  readonly channel?: string;
  readonly type: "snapshot" | "update";
  readonly tick: Tick;
  readonly checksum: number;
}
interface Published {
  readonly info: { readonly description: string };
  readonly "x-checksum-vectors": readonly { readonly tick: Tick; readonly text: string; readonly checksum: number }[];
}

let sandbox: Sandbox;
let published: Published;
beforeAll(async () => {
  sandbox = await startSandbox({ speed: 20 });
  published = (await send(sandbox.baseUrl, "GET", "/reference/asyncapi.json")).json;
});
afterAll(() => sandbox.close());

/** Reflected polynomial 0xEDB88320, initial value and final XOR 0xFFFFFFFF. */
function crc32(text: string): number {
  let rest = 0xffffffff;
  for (const letter of text) {
    rest ^= letter.charCodeAt(0);
    for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
  }
  return (rest ^ 0xffffffff) >>> 0;
}

function textOf({ buys, asks }: Tick): string {
  const side = (levels: readonly Level[]) =>
    levels
      .slice(0, 10)
      .map(([price, volume]) => `${price}:${volume}`)
      .join(",");
  return `${side(buys)}|${side(asks)}`;
}

/** The levels of a side, best first. Prices of the market are whole won. */
function sorted(levels: ReadonlyMap<string, string>, direction: 1 | -1): Level[] {
  return [...levels].sort(([a], [b]) => (BigInt(a) < BigInt(b) ? direction : -direction));
}

it("the rule and the vectors agree", () => {
  const { description } = published.info;
  for (const word of ["`price:volume`", "0xEDB88320", "up to 10 buys", "x-checksum-vectors"])
    expect(description).toContain(word);
  expect(published["x-checksum-vectors"].length).toBeGreaterThan(3);
  for (const { tick, text, checksum } of published["x-checksum-vectors"]) {
    expect(textOf(tick)).toBe(text);
    expect(crc32(text)).toBe(checksum);
  }
});

it.each([undefined, 3, 10, 50])("a live book is verified by them at depth %s, event by event", async (depth) => {
  const web = new WebSocket(sandbox.streamUrl);
  const [buys, asks] = [new Map<string, string>(), new Map<string, string>()];
  let updates = 0;
  const wrong: string[] = [];
  await new Promise<void>((resolve, reject) => {
    web.on("error", reject);
    web.on("open", () =>
      web.send(JSON.stringify({ op: "subscribe", id: 1, channel: "orderbook", symbol: "BTC/KRW", depth })),
    );
    web.on("message", (data) => {
      const event: BookEvent = JSON.parse((data as Buffer).toString("utf8"));
      if (event.channel !== "orderbook") return;
      if (event.type === "snapshot") for (const side of [buys, asks]) side.clear();
      else updates += 1;
      for (const [side, changed] of [
        [buys, event.tick.buys],
        [asks, event.tick.asks],
      ] as const)
        for (const [price, volume] of changed) {
          if (volume === "0") side.delete(price);
          else side.set(price, volume);
        }
      const text = textOf({ buys: sorted(buys, 1), asks: sorted(asks, -1) });
      if (crc32(text) !== event.checksum) wrong.push(`update ${updates}: ${text}`);
      if (updates === 30) resolve();
    });
  });
  web.close();
  expect(wrong).toEqual([]);
});
