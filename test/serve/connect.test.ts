/** `hoga connect` between real clients over stdio and a real `hoga serve --http`, over a line that breaks when a test wants it to. */
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { type Person, YES } from "../approval/clients.ts";
import { LIMIT } from "../approval/home.ts";
import { cleanUp } from "../fixture/command-line.ts";
import { connectHttp, type ToolResult } from "../mcp/client.ts";
import { Elsewhere, follow, KINDS, ORDERS } from "./connected.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const SOON = { timeout: 15_000, interval: 20 };

let there: Elsewhere;
beforeAll(async () => {
  there = await Elsewhere.open();
});
afterEach(() => there.rest());
afterAll(async () => {
  await cleanUp();
  await there.close();
});

describe.each(KINDS.slice(0, 2))("$name through hoga connect", (kind) => {
  const slug = kind.name.replaceAll(" ", "-");

  it("sees what the server itself shows, word for word", async () => {
    const { raw } = await there.opened(kind);
    const direct = await connectHttp(kind.era, there.address ?? { url: "", headers: {} });
    const shown = async ({ raw: client }: Pick<typeof direct, "raw">): Promise<unknown> => [
      client.getInstructions(),
      client.getServerCapabilities(),
      (await client.listTools()).tools,
      (await client.listResources()).resources,
      (await client.listPrompts()).prompts,
    ];
    expect(await shown({ raw })).toEqual(await shown(direct));
    await direct.close();
  });

  it("reads, and is told of the server's own errors", async () => {
    const asker = await there.opened(kind);
    expect((await asker.call("get_balances", {})).structured).toMatchObject({ environment: "sandbox" });
    expect((await asker.call("get_orderbook", { market: "BTC/KRW" })).text).toContain("market");
    await expect(asker.raw.readResource({ uri: "hoga://nothing" })).rejects.toThrow("hoga://nothing");
  });

  it("places an order once, and is told how long it waits for it", async () => {
    const asker = await there.opened(kind);
    const userref = `once-${slug}`;
    expect((await asker.call("place_order", { ...LIMIT, userref })).structured).toMatchObject({ outcome: "accepted" });
    const told: object[] = [];
    const awaited = await asker.call(
      "await_order",
      { userref, timeout_s: 1 },
      { onprogress: (each) => told.push(each) },
    );
    expect(awaited.structured).toMatchObject({ userref });
    expect(told.length).toBeGreaterThan(0);
    expect(await there.ordersNamed(userref)).toBe(1);
  });

  it("asks its person with the form of the server, and the yes counts once", async () => {
    const asked: string[] = [];
    const person: Person = {
      elicitation: { form: {} },
      answer: ({ message }) => {
        asked.push(message);
        return YES;
      },
    };
    const asker = await there.opened(kind, { person });
    const userref = `asked-${slug}`;
    const placed = await asker.call("place_order", { ...LIMIT, base_volume: "0.005", userref });
    expect(placed.structured).toMatchObject({ outcome: "accepted", state: "open" });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain("0.005");
    expect(await there.ordersNamed(userref)).toBe(1);
  });

  it("is told of a change of what it has subscribed to", async () => {
    const asker = await there.opened(kind);
    const told = await follow(asker, kind);
    await asker.call("place_order", { ...LIMIT, userref: `told-${slug}` });
    await expect.poll(() => told, SOON).toContain(ORDERS);
  });

  it("cancels a call at the server", async () => {
    const asker = await there.opened(kind);
    const userref = `wait-${slug}`;
    await asker.call("place_order", { ...LIMIT, userref });
    const resting = there.relay.open;
    const patience = new AbortController();
    const waiting = asker.call("await_order", { userref, timeout_s: 50 }, { signal: patience.signal });
    await expect.poll(() => there.relay.open, SOON).toBe(resting + 1);
    patience.abort();
    await expect(waiting).rejects.toThrow(/abort/i);
    await expect.poll(() => there.relay.open, SOON).toBe(resting);
    expect((await asker.call("get_balances", {})).isError).toBe(false);
  });

  it("sends an order whose answer is lost once, says that it does not know, and the desk does", async () => {
    const asker = await there.opened(kind);
    const userref = `lost-${slug}`;
    await asker.call("get_balances", {});
    const before = there.relay.arrivals.length;
    there.relay.decide(() => "lose_answer");
    await expect(asker.call("place_order", { ...LIMIT, userref })).rejects.toThrow(/outcome is unknown.*get_order/i);
    there.relay.decide(() => "forward");
    expect(there.relay.arrivals.slice(before).filter(({ method }) => method === "POST")).toHaveLength(1);
    expect((await asker.call("get_order", { userref })).structured).toMatchObject({ order: { userref } });
    expect(await there.ordersNamed(userref)).toBe(1);
  });

  it("says of an order that cannot leave that nothing was sent, and goes on when the server is back", async () => {
    const asker = await there.opened(kind, { url: there.url });
    const told = await follow(asker, kind);
    const userref = `refused-${slug}`;
    await there.server?.stop();
    await expect(asker.call("place_order", { ...LIMIT, userref })).rejects.toThrow(
      /cannot be reached \(ECONNREFUSED\)\. Nothing was sent/,
    );
    // What is asked while the server starts waits for it, or is told that nothing was done.
    const ask = (): Promise<ToolResult> =>
      asker.call("place_order", { ...LIMIT, userref }).catch((error: Error) => {
        if (error.message.includes("nothing of this request was done. Send it again")) return ask();
        throw error;
      });
    const [late] = await Promise.all([ask(), there.serve()]);
    expect(late.structured).toMatchObject({ outcome: "accepted" });
    expect(await there.ordersNamed(userref)).toBe(1);
    if (kind.era === "2026-07-28") return;
    // What it has subscribed to is subscribed to again, and may have changed meanwhile.
    await expect.poll(() => told, SOON).toContain(ORDERS);
    told.length = 0;
    await asker.call("cancel_all_orders", {});
    await expect.poll(() => told, SOON).toContain(ORDERS);
  });
});
