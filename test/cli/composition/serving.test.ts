import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { openStore } from "../../../src/store/index.ts";
import { systemClock } from "../../../src/transport/index.ts";
import { eventually, limitBuy, oneLine, quartet } from "../../fixture/command.ts";
import { type FaultKind, ORDER_POST, startFaultProxy } from "../../fixture/fault-proxy.ts";
import { wideHome } from "../../fixture/home.ts";
import { cleanUp, run, start, startSandbox } from "../../fixture/in-process.ts";
import { unwrap } from "../../fixture/result.ts";

afterAll(cleanUp);

const LOOK = /^GET \/v1\/orders\?/;

describe("a process that keeps running", () => {
  it("reconciles orders without an answer by itself, and sends none again", async () => {
    const { line } = await startSandbox({});
    const proxy = await startFaultProxy(line.base_url);
    onTestFinished(() => proxy.close());
    const home = wideHome();
    const place = { home, env: quartet(proxy.url, line.api_key, line.api_secret) };
    const serving = start(["serve", "--http", "--port", "0", "--json", "--show-token"], place);
    await serving.firstLine();
    const store = await openStore({ path: join(home, "hoga.db") }, { clock: systemClock, random: Math.random });
    onTestFinished(() => store.close());
    const stateOf = async (intentId: string) => (await unwrap(store.journal.byId(intentId)))?.state;

    proxy.plan(LOOK, "deny", 99);
    const placedThrough = async (fault: FaultKind, price: string): Promise<string> => {
      proxy.plan(ORDER_POST, fault);
      const { code, ...ended } = await run(["call", ...limitBuy(price), "--json"], place);
      expect(code).toBe(4);
      return oneLine<{ intent_id: string }>(ended).intent_id;
    };
    const taken = await placedThrough("lose_reset", "90000000");
    const lost = await placedThrough("refuse", "80000000");
    expect([await stateOf(taken), await stateOf(lost)]).toEqual(["unknown", "unknown"]);

    proxy.heal();
    const settled = "settled 2 orders and transfers without an answer: 1 placed, 1 not placed, 0 still unknown";
    await eventually(() => serving.stderr().includes(settled) || undefined);
    expect([await stateOf(taken), await stateOf(lost)]).toEqual(["open", "not_placed"]);
    expect(proxy.deliveries(ORDER_POST)).toBe(1);
    expect(proxy.log.filter(({ method }) => method === "POST")).toHaveLength(2);
    expect(await serving.stop()).toMatchObject({ code: 0 });
  });
});
