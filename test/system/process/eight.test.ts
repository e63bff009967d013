import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { deafen } from "../../approval/home.ts";
import { quartet } from "../../fixture/command.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { drawn } from "../../fixture/drawn.ts";
import {
  FAULT_KINDS,
  type FaultKind,
  type FaultProxy,
  ORDER_POST,
  startFaultProxy,
} from "../../fixture/fault-proxy.ts";
import { cleanUp, type SandboxProgram, startSandbox } from "../../fixture/program.ts";
import { speakTrading } from "../../fixture/trading-home.ts";
import { expectBalanced, firstReversal, journalOf, venueFills, venueOrders } from "../../fixture/witness.ts";
import { type Assistant, connect, endAssistants, type Reply } from "./assistant.ts";
import { type Chance, seeded } from "./chance.ts";

const PROCESSES = 8;
const ORDERS_EACH = 2;
const PRICE = 90_000_000;

afterAll(async () => {
  endAssistants();
  await cleanUp();
});

/** Eight assistants on one key of one exchange, which they only reach through a proxy that can fail. */
interface Floor {
  readonly home: string;
  /** Where the exchange keeps itself; the witness looks there. */
  readonly venueHome: string;
  readonly sandbox: SandboxProgram;
  readonly proxy: FaultProxy;
  readonly env: Readonly<Record<string, string>>;
}

async function openFloor(policy: readonly string[], api: "open" | "trading" = "open"): Promise<Floor> {
  const [home, venueHome] = [freshHome(), freshHome()];
  const sandbox = await startSandbox({ home: venueHome }, []);
  const { base_url, api_key, api_secret } = sandbox.line;
  const proxy = await startFaultProxy(base_url);
  writeFileSync(join(home, "policy.toml"), [...policy, ""].join("\n"), { mode: 0o600 });
  const isTrading = api === "trading";
  if (isTrading) speakTrading(home, { baseUrl: proxy.url, apiKey: api_key, apiSecret: api_secret });
  return { home, venueHome, sandbox, proxy, env: isTrading ? {} : quartet(proxy.url, api_key, api_secret) };
}

function closeFloor({ proxy, sandbox }: Floor): Promise<unknown> {
  endAssistants();
  return Promise.all([proxy.close(), sandbox.stop()]);
}

/** Answers that do not come cost a write its whole time-out, so there are few of them. */
const SLOW: readonly FaultKind[] = ["swallow", "late", "lose_hang"];
const QUICK: readonly FaultKind[] = FAULT_KINDS.filter((kind) => kind !== "deny" && !SLOW.includes(kind));

/** Of the requests about orders, about this share goes wrong in some way. */
const TROUBLE = 0.3;
const ORDERS = /^(GET|POST|DELETE) \/v1\/orders(?!-before-sending)/;

/** @returns how many requests were meant to go wrong */
async function makeTrouble(proxy: FaultProxy, random: Chance, until: () => boolean): Promise<number> {
  let faults = 0;
  let seen = 0;
  while (!until()) {
    await pause(5);
    const passed = proxy.log.filter(({ method, path }) => ORDERS.test(`${method} ${path}`)).length;
    for (; seen < passed; seen++) {
      if (random() >= TROUBLE) continue;
      const kinds = random() < 0.1 ? SLOW : QUICK;
      proxy.plan(random() < 0.7 ? ORDER_POST : ORDERS, kinds[Math.floor(random() * kinds.length)] ?? "refuse");
      faults += 1;
      if (random() < 0.2) await proxy.deliverLate();
    }
  }
  proxy.heal();
  return faults;
}

interface Asked {
  readonly userref: string;
  readonly reply: Reply | undefined;
}

/** A line of orders, one after the other, while its process dies now and then and another takes its place. */
async function trade(floor: Floor, random: Chance, name: string): Promise<{ asked: Asked[]; kills: number }> {
  const place = { home: floor.home, env: floor.env };
  let assistant: Assistant = await connect(place);
  const asked: Asked[] = [];
  let kills = 0;
  for (let index = 0; index < ORDERS_EACH; index++) {
    const userref = `${name}-${index}`;
    const rests = random() < 0.7;
    // No two alike, as one that is like an order without an answer has to wait for that one.
    const own = Number(name.slice(1)) * 100 + index; // not money: a count
    const order = rests
      ? { type: "limit", base_volume: `0.0001${String(own).padStart(4, "0")}`, price: String(PRICE) }
      : { type: "market", quote_amount: String(6_000 + own) };
    const call = assistant.call("place_order", { symbol: "BTC/KRW", side: "buy", userref, ...order });
    const reply = call.catch(() => undefined);
    if (random() < 0.15) {
      await pause(random() * 150);
      await assistant.kill();
      kills += 1;
      assistant = await connect(place);
    }
    asked.push({ userref, reply: await reply });
  }
  return { asked, kills };
}

/** Until no order of the data directory is without an answer. */
async function settle(assistant: Assistant): Promise<void> {
  const deadline = Date.now() + 90_000;
  for (;;) {
    const { unresolved } = await assistant.call("get_desk_status");
    if (unresolved?.length === 0) return;
    expect(Date.now()).toBeLessThan(deadline);
    await pause(500);
  }
}

describe("eight processes on one key, over a line that drops, delays, doubles and garbles, and dying at random", () => {
  it.each(drawn(["open", "trading"] as const, 1))(
    "place each order once or not at all, inside the budgets and the rate (%s API)",
    async (api) => {
      const random = seeded(`eight ${api}`);
      // Less than all orders need, which are of some 8 000 KRW each.
      const [maxOpen, maxOpenValue, maxDay] = [8, 70_000, 100_000];
      const floor = await openFloor(
        [
          'mode = "bounded"',
          'price_collar_pct = "off"',
          "max_orders_per_minute = 100000",
          `max_open_orders = ${maxOpen}`,
          `max_open_krw = "${maxOpenValue}"`,
          `max_day_krw = "${maxDay}"`,
        ],
        api,
      );
      let isOver = false;
      const trouble = makeTrouble(floor.proxy, random, () => isOver);
      const lines = await Promise.all(Array.from({ length: PROCESSES }, (_, at) => trade(floor, random, `p${at}`)));
      isOver = true;
      const faults = await trouble;
      await floor.proxy.deliverLate();
      const last = await connect({ home: floor.home, env: floor.env });
      await settle(last);

      const orders = await venueOrders(floor.venueHome);
      const asked = lines.flatMap((line) => line.asked);
      const kills = lines.reduce((total, line) => total + line.kills, 0);
      const refused = asked.filter(({ reply }) => reply?.state === "denied").length;
      process.stderr.write(
        `eight (${api}): ${asked.length} asked, ${orders.length} placed, ${refused} denied, ${faults} faults, ${kills} kills\n`,
      );
      const names = orders.map(({ userref }) => userref);
      expect(names).toHaveLength(new Set(names).size);
      for (const { userref, reply } of asked) {
        const order = orders.find((each) => each.userref === userref);
        if (reply?.outcome === "accepted") expect(order?.orderId).toBe(reply.order?.orderId);
        if (reply?.outcome === "not_sent" || reply?.outcome === "rejected")
          expect({ userref, order }).toEqual({ userref, order: undefined });
        const now = await last.call("get_order", { userref });
        if (order !== undefined) expect(now).toMatchObject({ state: order.state, order: { orderId: order.orderId } });
      }
      const open = orders.filter(({ state }) => state === "open");
      expect(open.length).toBeLessThanOrEqual(maxOpen);
      const openValue = open.reduce((total, { remaining_volume }) => total + PRICE * Number(remaining_volume), 0); // not money: a bound
      expect(openValue).toBeLessThanOrEqual(maxOpenValue);
      const spent = (await venueFills(floor.venueHome)).reduce(
        (total, { value }) => total + Math.ceil(Number(value)),
        0,
      );
      expect(spent + openValue).toBeLessThanOrEqual(maxDay);
      expect(floor.proxy.log.flatMap(({ statuses }) => statuses)).not.toContain(429);
      expect(firstReversal(journalOf(floor.venueHome).flatMap(({ command }) => command.nonce ?? []))).toBeUndefined();
      await expectBalanced(floor.venueHome, (await last.call("get_balances")).balances);
      await closeFloor(floor);
    },
    240_000,
  );
});

describe("a halt while eight processes are busy", () => {
  it("stops all of them within a second, with the budget spent, the limiter empty and the audit log unwritable", async () => {
    const floor = await openFloor([
      'mode = "bounded"',
      'price_collar_pct = "off"',
      "max_orders_per_minute = 100000",
      "max_open_orders = 60",
      'max_open_krw = "9000000"',
      'max_day_krw = "9000000"',
    ]);
    const assistants = await Promise.all(
      Array.from({ length: PROCESSES }, () => connect({ home: floor.home, env: floor.env })),
    );
    let isOver = false;
    let made = 10_000;
    // No two alike, and none under a userref of its own, for which the exchange would be asked first.
    const flood = assistants.map(async (assistant) => {
      while (!isOver) {
        const calls = [0, 1, 2].map(() => {
          const order = { symbol: "BTC/KRW", side: "buy", type: "limit", price: String(PRICE) };
          return assistant.call("place_order", { ...order, base_volume: `0.000${++made}` });
        });
        // One that has gone answers nothing any more, and asking it again would take no time at all.
        if ((await Promise.allSettled(calls)).some(({ status }) => status === "rejected")) return;
        // Nor does a refusal: without a pause the machine would do nothing but refuse.
        await pause(50);
      }
    });
    const posts = () => floor.proxy.log.filter(({ method, path }) => ORDER_POST.test(`${method} ${path}`)).length;
    while (posts() < 60) await pause(20);
    // An answer that comes once the log takes nothing cannot be kept: what is open is then not known, which the halt rightly says.
    const isWaiting = async () => (await assistants[1]?.call("get_desk_status"))?.unresolved?.length !== 0;
    while (await isWaiting()) await pause(20);
    await deafen(floor.home, true);

    const brake = assistants[0];
    const startedAt = performance.now();
    const halting = brake?.call("halt_trading", { reason: "test" });
    await pause(1_000);
    const afterOneSecond = posts();
    const report = await halting;
    const seconds = (performance.now() - startedAt) / 1_000;
    process.stderr.write(`brake: ${posts()} orders sent before it; verified after ${seconds.toFixed(1)} s\n`);
    await pause(2_000);
    expect(posts()).toBe(afterOneSecond);
    isOver = true;
    await Promise.all(flood);
    expect(posts()).toBe(afterOneSecond);
    expect(report).toMatchObject({ brake: "everywhere", remaining: 0 });
    expect(JSON.stringify(report)).toContain("audit log");
    const open = (await venueOrders(floor.venueHome)).filter(({ state }) => state === "open");
    expect(open).toEqual([]);
    expect(existsSync(join(floor.home, "hoga.db.brake"))).toBe(true);
    const again = await assistants[7]?.call("place_order", {
      symbol: "BTC/KRW",
      side: "buy",
      type: "market",
      quote_amount: "6000",
    });
    expect(again).toMatchObject({ outcome: "not_sent", error: { code: "ELocal:Trading halted" } });
    await closeFloor(floor);
  }, 240_000);
});
