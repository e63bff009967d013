import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Disk, NODE_DISK } from "../../../src/sandbox/engine/storage/disk.ts";
import { startSandbox } from "../../../src/sandbox/index.ts";
import type { OrderRecord } from "../../../src/sandbox/model/index.ts";
import { eventually } from "../../fixture/command.ts";
import { coins, krw } from "../engine/exchange-kit.ts";
import { openWebhookVenue, SECOND, type WebhookVenue, type WebhookVenueOptions } from "./partner.ts";
import { startReceiver, type TestReceiver } from "./receiver.ts";

let root: string;
let receiver: TestReceiver;
let lives: WebhookVenue[];
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "hoga-webhook-crash-"));
  receiver = await startReceiver();
  lives = [];
});
afterEach(async () => {
  for (const life of lives) await life.close();
  await receiver.close();
  rmSync(root, { recursive: true });
});

const now = Date.now();
async function live(name: string, options: WebhookVenueOptions = {}): Promise<WebhookVenue> {
  const life = await openWebhookVenue({ dir: join(root, name), now: () => now, ...options });
  lives.push(life);
  return life;
}
const copy = (from: string, to: string): void => cpSync(join(root, from), join(root, to), { recursive: true });
const buy = (venue: WebhookVenue): OrderRecord =>
  venue.place({ accountId: "ann", side: "buy", price: krw(1_000), volume: coins(10_000) });
/** The ids of the events received, by order. */
function idsByOrder(): ReadonlyMap<string, ReadonlySet<string>> {
  const ids = new Map<string, Set<string>>();
  for (const { event, id } of receiver.received)
    if ("order" in event.data) {
      const { orderId } = event.data.order;
      ids.set(orderId, (ids.get(orderId) ?? new Set()).add(id));
    }
  return ids;
}

describe("an event", () => {
  /** A disk that can be made to wait. */
  function slowDisk() {
    let letGo = (): void => {};
    let gate: Promise<void> = Promise.resolve();
    const disk: Disk = {
      write: (file, bytes) => NODE_DISK.write(file, bytes),
      sync: (file) => gate.then(() => NODE_DISK.sync(file)),
    };
    const hold = (): void => {
      gate = new Promise((resolve, reject) => {
        letGo = resolve;
        fail = () => reject(new Error("EIO"));
      });
      gate.catch(() => undefined);
    };
    let fail = (): void => {};
    return { disk, hold, letGo: () => letGo(), fail: () => fail() };
  }

  it.each(["exchange", "outbox"])("is not sent before it is on disk, in the %s", async (slow) => {
    const { disk, hold, letGo } = slowDisk();
    const venue = await live("one", slow === "exchange" ? { exchange: { disk } } : { disk });
    venue.register(receiver.url, ["order.created"]);
    hold();
    buy(venue);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(receiver.received).toEqual([]);
    letGo();
    await eventually(() => receiver.received.length === 1 || undefined);
  });

  it("is never sent when its command cannot be brought to disk", async () => {
    const { disk, hold, fail } = slowDisk();
    const venue = await live("one", { exchange: { disk } });
    venue.register(receiver.url, ["order.created"]);
    hold();
    buy(venue);
    fail();
    await eventually(() => venue.defects.length > 0 || undefined);
    expect(venue.opened.failed).toMatch(/EIO/);
    venue.webhooks.wake();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(receiver.received).toEqual([]);
  });
});

describe("however often and wherever the process dies", () => {
  it("every order is delivered, and each of its events under one id, over snapshots too", async () => {
    const orders: OrderRecord[] = [];
    const first = await live("0");
    first.register(receiver.url, ["order.created"]);
    copy("0", "1");
    const LIVES = 24;
    for (let count = 1; count <= LIVES; count++) {
      const [name, next] = [String(count), String(count + 1)];
      let died = false;
      const dies = count % 4;
      const venue = await live(name, {
        exchange: { snapshotEvery: 5 },
        // Between writing the command and recording its events.
        first: (opened) => {
          opened.onEvents(() => {
            if (dies !== 0 || died) return;
            died = true;
            copy(name, next);
          });
        },
      });
      orders.push(buy(venue));
      // Recorded and not released; or in flight; or accepted.
      if (dies === 2) await venue.opened.durable();
      if (dies === 3) await eventually(() => idsByOrder().has(orders.at(-1)?.orderId ?? "") || undefined);
      if (!died) copy(name, next);
      // What this life does from here on is in no copy.
      await venue.webhooks.stop();
    }
    await live(String(LIVES + 1));
    await eventually(() => idsByOrder().size === orders.length || undefined);
    expect([...idsByOrder().keys()].sort()).toEqual(orders.map(({ orderId }) => orderId).sort());
    // The event of a copy that died before recording it has an id of its own: neither copy can know the other.
    for (const [index, { orderId }] of orders.entries())
      if ((index + 1) % 4 !== 0) expect(idsByOrder().get(orderId)?.size).toBe(1);
    for (const { defects } of lives) expect(defects).toEqual([]);
  });

  it("events that the outbox lost are made again from the commands of the exchange", async () => {
    const venue = await live("one");
    await receiver.close();
    venue.register(receiver.url, ["order.created"]);
    const before = readFileSync(join(root, "one", "webhooks.log"));
    const orders = [buy(venue), buy(venue), buy(venue)];
    await venue.webhooks.stop();
    copy("one", "two");
    writeFileSync(join(root, "two", "webhooks.log"), before);
    receiver = await startReceiver({ port: Number(new URL(receiver.url).port) });
    await live("two");
    await eventually(() => receiver.received.length === 3 || undefined);
    expect([...idsByOrder().keys()].sort()).toEqual(orders.map(({ orderId }) => orderId).sort());
  });

  it("an event whose command the exchange lost is delivered to nobody", async () => {
    const venue = await live("one");
    await receiver.close();
    venue.register(receiver.url, ["order.created"]);
    const [kept, lost] = [buy(venue), buy(venue)];
    await venue.webhooks.stop();
    copy("one", "two");
    const [journal = ""] = readdirSync(join(root, "two")).filter((name) => name.startsWith("journal"));
    const lines = readFileSync(join(root, "two", journal), "utf8").split("\n");
    expect(lines.at(-2)).toContain(lost.orderId);
    writeFileSync(join(root, "two", journal), `${lines.slice(0, -2).join("\n")}\n`);
    receiver = await startReceiver({ port: Number(new URL(receiver.url).port) });
    const second = await live("two");
    expect(second.opened.exchange.order("ann", lost.orderId)).toBeUndefined();
    const again = buy(second);
    second.advance(6 * SECOND);
    await eventually(() => receiver.received.length === 2 || undefined);
    await second.webhooks.stop();
    expect([...idsByOrder().keys()].sort()).toEqual([kept.orderId, again.orderId].sort());
  });

  it("an outbox that cannot be written stops the exchange, and a start from disk loses nothing", async () => {
    let full = false;
    const disk: Disk = {
      write: (file, bytes) => {
        if (full) throw new Error("ENOSPC");
        NODE_DISK.write(file, bytes);
      },
      sync: (file) => NODE_DISK.sync(file),
    };
    const venue = await live("one", { disk });
    venue.register(receiver.url, ["order.created"]);
    full = true;
    const { orderId } = buy(venue);
    expect(venue.opened.failed).toBe("outbox write failed: ENOSPC");
    expect(venue.defects).toHaveLength(1);
    await venue.close();
    lives.pop();
    full = false;
    await live("one", { disk, exchange: { rewrite: true } });
    await eventually(() => idsByOrder().has(orderId) || undefined);
  });
});

describe("an outbox that is damaged", () => {
  it("keeps the sandbox from starting, and is named with what to do", async () => {
    const venue = await live("one");
    venue.register(receiver.url, ["order.created"]);
    buy(venue);
    buy(venue);
    await venue.close();
    lives.pop();
    const path = join(root, "one", "webhooks.log");
    writeFileSync(path, readFileSync(path, "utf8").replace("order.created", "order_created"));
    await expect(startSandbox({ dir: join(root, "one"), marketMaker: false })).rejects.toMatchObject({
      code: "journal_unreadable",
      message: expect.stringContaining("webhooks.log: damaged record"),
      fix: expect.stringContaining("move the directory away"),
    });
  });
});
