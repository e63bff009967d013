import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import type { Order } from "../../../src/contract/index.ts";
import { openStore } from "../../../src/store/index.ts";
import { systemClock } from "../../../src/transport/index.ts";
import { eventually, freePort } from "../../fixture/command.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { cleanUp, start, startSandbox } from "../../fixture/program.ts";
import { type Line, listenerBy } from "../../fixture/webhook-listener.ts";
import { balanceEvent, sendWebhook } from "../../fixture/webhook-sender.ts";
import { AdminClient } from "../../sandbox/admin/admin-client.ts";
import { SignedClient } from "../../sandbox/http/signed-client.ts";

afterAll(cleanUp);

const listening = listenerBy(start);

describe("hoga webhooks listen", () => {
  it("forgets nothing and repeats nothing when it is killed again and again", async () => {
    const home = freshHome();
    const port = await freePort();
    const ids = Array.from({ length: 60 }, (_, index) => `evt_${index}`);
    const lives: Awaited<ReturnType<typeof listening>>[] = [];
    for (let life = 0; life < 4; life++) {
      const listener = await listening(home, {}, port);
      lives.push(listener);
      const from = life * 15;
      // As a sender does: again until it was answered 2xx, and now and then once more after that.
      const sending = ids.slice(from, from + 15).map(async (id, index) => {
        expect(await sendWebhook(listener.url, balanceEvent(id))).toBe(204);
        if (index % 3 === 0) expect(await sendWebhook(listener.url, balanceEvent(id))).toBe(204);
      });
      await Promise.all(sending);
      if (life < 3) await listener.stop("SIGKILL");
    }
    const seen = () => new Set(lives.flatMap((life) => life.lines()).map(({ id }) => id));
    // One that was being shown when its process died is another's only after a minute.
    await eventually(() => seen().size >= ids.length - 3 || undefined);
    await lives.at(-1)?.stop();
    const all = lives.flatMap((life) => life.lines());
    const store = await openStore({ path: join(home, "hoga.db") }, { clock: systemClock, random: Math.random });
    onTestFinished(() => store.close());
    const left = await store.inbox.claim("sandbox/paper", Date.now() + 120_000, 1_000_000, 100);
    expect(new Set([...all, ...left].map(({ id }) => id))).toEqual(new Set(ids));
    // Each number is one event, in every life.
    expect(new Set(all.map(({ seq, id }) => `${seq} ${id}`)).size).toBe(new Set(all.map(({ id }) => id)).size);
    expect(all.length).toBeLessThanOrEqual(ids.length + 3);
  });
});

describe("an exchange and a listener, both killed again and again", () => {
  it("lose no event, and each is processed once", { timeout: 180_000 }, async () => {
    const [venueHome, home] = [freshHome(), freshHome()];
    const port = await freePort();
    const lives: Awaited<ReturnType<typeof listening>>[] = [];
    let expected: readonly string[] = [];
    let secret = "";
    for (let round = 0; round < 4; round++) {
      const sandbox = await startSandbox({ home: venueHome });
      const { base_url: baseUrl, admin_url: url, api_key: apiKey, api_secret: apiSecret } = sandbox.line;
      const token = readFileSync(join(venueHome, "sandbox", "admin-token"), "utf8").trim();
      const admin = new AdminClient({ url, token });
      if (round === 0) {
        const types = ["order.created", "order.canceled"];
        const hook = { account_id: "paper", url: `http://127.0.0.1:${port}/`, types };
        ({ secret } = await admin.must("POST", "/webhooks", hook));
      }
      const client = new SignedClient(baseUrl, { apiKey, apiSecret });
      const place = async (count: number): Promise<void> => {
        for (let each = 0; each < count; each++) {
          const { json } = await client.order();
          if (each % 3 === 0) await client.delete(`/v1/orders/BTC%2FKRW/${json.orderId}`);
        }
      };
      // Nobody is there at first; then somebody is, who dies, as the exchange does, while events arrive and others wait.
      await place(6);
      const listener = await listening(home, { HOGA_WEBHOOK_SECRET: secret }, port);
      lives.push(listener);
      await admin.must("POST", "/clock", { advance_ms: 60_000 });
      const placing = place(9);
      if (round < 3) {
        await eventually(() => listener.lines().length >= 3 + round || undefined);
        if (round !== 1) await placing;
        await Promise.all([listener.stop("SIGKILL"), sandbox.stop("SIGKILL")]);
        await placing.catch(() => undefined);
        continue;
      }
      await placing;
      const settled = async () => {
        await admin.must("POST", "/clock", { advance_ms: 3_600_000 });
        const { deliveries } = (await admin.must("GET", "/status")) as { deliveries: { pending: number } };
        return deliveries.pending === 0 ? true : undefined;
      };
      await eventually(settled, 60_000);
      const { json } = await client.get("/v1/orders?state=all&limit=500");
      expected = (json.orders as Order[]).flatMap(({ orderId, state }) =>
        ["created", ...(state === "canceled" ? ["canceled"] : [])].map((what) => `order.${what} ${orderId}`),
      );
    }
    expect(expected.length).toBeGreaterThan(60);
    const all = () => lives.flatMap((life) => life.lines());
    const named = ({ type = "", data }: Line) => `${type} ${(data as { order: { orderId: string } }).order.orderId}`;
    // One that was being shown when its listener died is another's after a minute only.
    await eventually(() => new Set(all().map(named)).size >= expected.length - 3 || undefined);
    await lives.at(-1)?.stop();
    const store = await openStore({ path: join(home, "hoga.db") }, { clock: systemClock, random: Math.random });
    onTestFinished(() => store.close());
    const left = await store.inbox.claim("sandbox/paper", Date.now() + 120_000, 1_000_000, 100);
    // By number, so that a line that comes again, of one that was being shown at a kill, is the same.
    const told = new Map([
      ...all().map((line) => [line.seq, named(line)] as const),
      ...left.map(({ seq, body }) => [seq, named(JSON.parse(body) as Line)] as const),
    ]);
    expect([...told.values()].sort()).toEqual([...expected].sort());
    expect(all().length).toBeLessThanOrEqual(expected.length + 3);
  });
});
