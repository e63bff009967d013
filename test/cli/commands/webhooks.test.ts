import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import type { ServiceOrder } from "../../../src/contract/index.ts";
import { openStore } from "../../../src/store/index.ts";
import { systemClock } from "../../../src/transport/index.ts";
import { eventually, limitBuy, oneLine, quartet } from "../../fixture/command.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { startVenue } from "../../fixture/desk-over-sandbox.ts";
import { wideHome } from "../../fixture/home.ts";
import { cleanUp, run, start } from "../../fixture/in-process.ts";
import { unwrap } from "../../fixture/result.ts";
import { listenerBy } from "../../fixture/webhook-listener.ts";
import { balanceEvent, orderEvent, SECRET, sendWebhook } from "../../fixture/webhook-sender.ts";

afterAll(cleanUp);

const listening = listenerBy(start);

/** An exchange of this process, and a data directory whose desk trades there. */
async function venue() {
  const sandbox = await startVenue();
  onTestFinished(() => sandbox.close());
  return { sandbox, place: { home: wideHome(), env: quartet(sandbox.baseUrl, sandbox.apiKey, sandbox.apiSecret) } };
}

describe("hoga webhooks listen", () => {
  it("shows an event once, however often and in whatever order it is delivered", async () => {
    const listener = await listening(freshHome());
    const ids = ["evt_3", "evt_1", "evt_3", "evt_2", "evt_1", "evt_3"];
    for (const id of ids) expect(await sendWebhook(listener.url, balanceEvent(id))).toBe(204);
    await eventually(() => listener.lines().length >= 3 || undefined);
    expect(await sendWebhook(listener.url, balanceEvent("evt_2"))).toBe(204);
    const { code, stderr } = await listener.stop("SIGINT");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(listener.lines().map(({ seq, id }) => [seq, id])).toEqual([
      [1, "evt_3"],
      [2, "evt_1"],
      [3, "evt_2"],
    ]);
    const { id: _id, ...event } = balanceEvent("evt_3");
    expect(listener.lines()[0]).toEqual({ seq: 1, id: "evt_3", ...event, received_at: expect.any(String) });
  });

  it("prints lines for people, with what it refused on stderr", async () => {
    const home = freshHome();
    const running = start(["webhooks", "listen", "--port", "0"], { home, env: { HOGA_WEBHOOK_SECRET: SECRET } });
    const [, url = ""] = / at (\S+) for the profile paper\. Ctrl-C stops it\.$/.exec(await running.firstLine()) ?? [];
    await sendWebhook(url, balanceEvent("evt_1"));
    await sendWebhook(url, { id: "evt_2" }, { body: "{}" });
    const stranger = `whsec_${Buffer.alloc(32).toString("base64")}`;
    expect(await sendWebhook(url, balanceEvent("evt_3"), { secret: stranger })).toBe(401);
    await eventually(() => (running.stdout().match(/\n/g) ?? []).length >= 3 || undefined);
    const { stdout, stderr } = await running.stop();
    expect(stdout).toMatch(/^2026-07-20T09:00:00\.000Z {2}balance\.changed +KRW 3: available 3, locked 0$/m);
    expect(stdout).toMatch(/evt_2: The webhook is authentic, but its body is not that of an event\.$/m);
    expect(stderr).toMatch(/refused\. The webhook is not authentic: no entry of webhook-signature is the secret's/);
  });

  it("makes the desk query: an order canceled elsewhere is known as canceled a moment later", async () => {
    const { sandbox, place } = await venue();
    const { home, env } = place;
    const placed = oneLine<{ intent_id: string; order: ServiceOrder }>(
      await run(["call", ...limitBuy(), "--json"], { home, env }),
    );
    const listener = await listening(home, env);
    const store = await openStore({ path: join(home, "hoga.db") }, { clock: systemClock, random: Math.random });
    onTestFinished(() => store.close());
    const state = async () => (await unwrap(store.journal.byId(placed.intent_id)))?.state;

    // A lie about it makes the desk look, and what the exchange shows counts.
    const lie: ServiceOrder = { ...placed.order, state: "canceled" };
    await sendWebhook(listener.url, orderEvent("evt_1", lie, "order.canceled"));
    await eventually(() => listener.lines().length === 1 || undefined);
    expect(await state()).toBe("open");

    const { accountId } = sandbox;
    const cancel = { type: "cancel", accountId, symbol: "BTC/KRW", orderId: placed.order.orderId } as const;
    expect(sandbox.exchange.apply(cancel, Date.now())).toMatchObject({ ok: true });
    await sendWebhook(listener.url, orderEvent("evt_2", lie, "order.canceled"));
    await eventually(() => listener.lines().length === 2 || undefined);
    expect([await state(), listener.stderr()]).toEqual(["canceled", ""]);
    expect(await listener.stop()).toMatchObject({ code: 0, stderr: "" });
  });

  it("needs a secret, and does not start with one that is malformed or set in two places", async () => {
    const none = await run(["webhooks", "listen", "--json", "--port", "0"]);
    expect(none.code).toBe(1);
    expect(none.stderr).toMatch(/no webhook secret.*\n {2}→ Set HOGA_WEBHOOK_SECRET/);
    const wrong = await run(["webhooks", "listen", "--port", "0"], { env: { HOGA_WEBHOOK_SECRET: "whsec_tooshort" } });
    expect(wrong).toMatchObject({ code: 1, stdout: "" });
    expect(wrong.stderr).toContain("HOGA_WEBHOOK_SECRET is not a webhook secret");
    expect(wrong.stderr).not.toContain("tooshort");
    const { port } = new URL((await listening(freshHome())).url);
    const taken = await run(["webhooks", "listen", "--port", port], { env: { HOGA_WEBHOOK_SECRET: SECRET } });
    expect(taken).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining(`Port ${port} on 127.0.0.1 is in use`),
    });
  });
});
