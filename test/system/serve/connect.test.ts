/** `hoga connect` as assistants launch it: a program, before a program that can be killed. */
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Person, YES } from "../../approval/clients.ts";
import { LIMIT } from "../../approval/home.ts";
import { eventually } from "../../fixture/command.ts";
import { cleanUp, start, useRealPrograms } from "../../fixture/command-line.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import type { RunningProgram } from "../../fixture/program.ts";
import { Elsewhere, follow, KINDS, ORDERS } from "../../serve/connected.ts";

useRealPrograms();

const SOON = { timeout: 20_000, interval: 20 };

let there: Elsewhere;
beforeAll(async () => {
  there = await Elsewhere.open();
});
afterEach(() => there.rest());
afterAll(async () => {
  await cleanUp();
  await there.close();
});

describe.each(KINDS)("$name", (kind) => {
  it("lists, follows, places, is asked, waits and cancels through it", async () => {
    let asked = 0;
    const person: Person = {
      elicitation: { form: {} },
      answer: () => {
        asked += 1;
        return YES;
      },
    };
    const asker = await there.opened(kind, { person });
    expect((await asker.raw.listTools()).tools.length).toBeGreaterThan(15);
    const told = await follow(asker, kind);
    const userref = kind.name.replaceAll(" ", "-");
    const placed = await asker.call("place_order", { ...LIMIT, base_volume: "0.005", userref });
    expect(placed.structured).toMatchObject({ outcome: "accepted", state: "open" });
    expect([asked, await there.ordersNamed(userref)]).toEqual([1, 1]);
    await expect.poll(() => told, SOON).toContain(ORDERS);
    const progress: object[] = [];
    const patience = new AbortController();
    const waiting = asker.call(
      "await_order",
      { userref, timeout_s: 50 },
      { signal: patience.signal, onprogress: (each) => progress.push(each) },
    );
    await expect.poll(() => progress.length, SOON).toBeGreaterThan(0);
    const open = there.relay.open;
    patience.abort();
    await expect(waiting).rejects.toThrow(/abort/i);
    await expect.poll(() => there.relay.open, SOON).toBe(open - 1);
    expect((await asker.call("cancel_order", { userref })).structured).toMatchObject({ state: "canceled" });
  });
});

it("makes one order of one that was being placed when the server was killed, and was asked for again", async () => {
  const [sdk] = KINDS;
  if (sdk === undefined) throw new Error("no client");
  const asker = await there.opened(sdk);
  const order = { ...LIMIT, userref: "killed" };
  const placing = asker.call("place_order", order);
  // Anywhere between the tool and the exchange.
  await pause(Math.random() * 80);
  (there.server as RunningProgram).child.kill("SIGKILL");
  await Promise.allSettled([placing, there.server?.ended]);
  const first = await placing.then(
    ({ structured }) => String(structured["outcome"]),
    (error: Error) => error.message,
  );
  expect(first).toMatch(/outcome is unknown.*get_order|Nothing was sent|^accepted$/);
  await there.serve();
  const again = await asker.call("place_order", order);
  expect(again.structured).toMatchObject({ userref: "killed", state: "open" });
  expect(await there.ordersNamed("killed")).toBe(1);
});

it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("follows an order to its answer on %s, and ends", async (signal) => {
  const env = { HOGA_TOKEN: there.token };
  const running = start(["connect", there.relay.url], { home: freshHome(), env }) as RunningProgram;
  const say = (message: object): void => {
    running.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  say({ id: 1, method: "initialize", params });
  await running.firstLine();
  there.relay.decide(({ method }) => (method === "POST" ? "slow" : "forward"));
  const before = there.relay.arrivals.length;
  say({ id: 2, method: "tools/call", params: { name: "place_order", arguments: { ...LIMIT, userref: signal } } });
  await eventually(() => there.relay.arrivals.length > before || undefined);
  expect(await running.stop(signal)).toMatchObject({ code: 0, signal: null, stderr: "" });
  const last = JSON.parse(running.stdout().trim().split("\n").at(-1) ?? "") as object;
  expect(last).toMatchObject({ id: 2, result: { structuredContent: { outcome: "accepted" } } });
});
