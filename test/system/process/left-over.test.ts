/**
 * A process that ends, or stands still, between the record of an order and its sending. The order waits for its turn there, as another process'
 * request is on its way under the same key and has no answer yet.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { openConnection } from "../../../src/store/sql/driver.ts";
import { eventually, limitBuy, oneLine, quartet } from "../../fixture/command.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { ORDER_POST, startFaultProxy } from "../../fixture/fault-proxy.ts";
import { cleanUp, run, start, startSandbox } from "../../fixture/program.ts";
import { type Assistant, connect, endAssistants, type Reply } from "./assistant.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });
const ends: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  endAssistants();
  await cleanUp();
  for (const end of ends) await end();
});

/** What a process of another machine calls its own. */
const ELSEWHERE = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(
    'import os from "node:os"; import { syncBuiltinESMExports } from "node:module"; os.hostname = () => "elsewhere"; syncBuiltinESMExports();',
  )}`,
};

const LIMIT = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "90000000" };

/** A process in which an order is recorded and not sent. */
interface Waiting extends Assistant {
  /** What becomes of that order. */
  readonly told: Promise<Reply>;
  readonly userref: string;
}

interface Said {
  readonly outcome: string;
  readonly state: string;
  readonly orders?: readonly { readonly price: string }[];
  readonly unresolved?: readonly { readonly userref: string; readonly state: string }[];
}

/** An exchange behind a proxy, and a home in which an order waits for its turn in a process of its own. */
async function openWorld() {
  const box = await startSandbox({ home: freshHome() });
  const proxy = await startFaultProxy(box.line.base_url);
  const home = freshHome();
  writeFileSync(join(home, "policy.toml"), 'price_collar_pct = "off"\n', { mode: 0o600 });
  const env = quartet(proxy.url, box.line.api_key, box.line.api_secret);
  await run(["balances", "--json"], { home, env });
  const store = await openConnection(join(home, "hoga.db"), {
    journal: "wal",
    durability: "normal",
    random: Math.random,
  });
  ends.push(async () => {
    store.close();
    await proxy.close();
  });
  const order = ["call", "--json", ...limitBuy("90000000")];
  const left = () =>
    store.single(({ get }) => get("SELECT userref, state FROM intents WHERE body LIKE '%\"90000000\"%'", []));
  const call = async (tool: string, args: object = {}): Promise<Said> =>
    oneLine(await run(["call", "--json", tool, JSON.stringify(args)], { home, env }));
  return {
    proxy,
    call,
    /** A process stands still from now on, and not within a write, which would hold up all others of the store. */
    standStill: (pid: number) =>
      store.transaction(({ get }) => {
        process.kill(pid, "SIGSTOP");
        return get("SELECT 1 AS one", []);
      }),
    again: async (): Promise<Said> => oneLine(await run(order, { home, env })),
    sent: () => proxy.log.filter(({ method, body }) => method === "POST" && body.includes('"90000000"')).length,
    /** @param more variables of the process that is left waiting */
    waiting: async (more: Readonly<Record<string, string>> = {}): Promise<Waiting> => {
      const assistant = await connect({ home, env: { ...env, ...more } });
      // From now on it has all that an order is judged by, and asks the exchange for nothing but to take it.
      expect(await assistant.call("place_order", { ...LIMIT, price: "70000000" })).toMatchObject({ state: "open" });
      proxy.plan(ORDER_POST, "late");
      const first = start(["call", "--json", ...limitBuy("80000000")], { home, env });
      await proxy.reached(ORDER_POST);
      const told = assistant.call("place_order", LIMIT);
      // Of one that is killed there is none.
      told.catch(() => undefined);
      const userref = await eventually(async () => {
        const row = await left();
        return row?.["state"] === "approved" ? String(row["userref"]) : undefined;
      }, 2_000);
      await first.stop("SIGKILL");
      return { ...assistant, told, userref };
    },
  };
}

/** Once its lease has ended, and whoever asks has seen so. */
async function givenUp(call: (tool: string, args: object) => Promise<Said>, userref: string): Promise<void> {
  const said = await eventually(async () => {
    const now = await call("get_order", { userref });
    return now.state === "not_sent_yet" ? undefined : now;
  }, 60_000);
  expect(said).toMatchObject({ state: "not_placed" });
}

describe("an order that waits for its turn", () => {
  it.concurrent("is over at once when its process is killed, and placed once when it is asked for again", async () => {
    const { waiting, call, again, sent } = await openWorld();
    const doomed = await waiting();
    await doomed.kill();
    expect(await call("get_order", { userref: doomed.userref })).toMatchObject({ state: "not_placed" });
    expect(sent()).toBe(0);
    expect(await again()).toMatchObject({ outcome: "accepted", state: "open" });
    expect(sent()).toBe(1);
    const { orders = [] } = await call("get_open_orders");
    expect(orders.filter(({ price }) => price === "90000000")).toHaveLength(1);
  });

  it.concurrent("is listed as not sent yet when a process of another machine was killed, until the lease of that ends", async () => {
    const { waiting, call, sent } = await openWorld();
    const doomed = await waiting(ELSEWHERE);
    await doomed.kill();
    const { unresolved = [] } = await call("get_open_orders");
    expect(unresolved).toContainEqual(expect.objectContaining({ userref: doomed.userref, state: "not_sent_yet" }));
    await givenUp(call, doomed.userref);
    expect(sent()).toBe(0);
  });

  it.concurrent("is not sent by a process that stood still until another had given it up", async () => {
    const { waiting, call, again, sent, standStill } = await openWorld();
    const still = await waiting(ELSEWHERE);
    await standStill(still.pid);
    await givenUp(call, still.userref);
    process.kill(still.pid, "SIGCONT");
    expect(await still.told).toMatchObject({ state: "not_placed" });
    expect(sent()).toBe(0);
    expect(await again()).toMatchObject({ outcome: "accepted" });
    expect(sent()).toBe(1);
  });
});
