/** Processes of one data directory at an exchange that counts calls: its rates and its bans are theirs together. Source: decision 0101. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../../src/sandbox/index.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { cleanUp, run } from "../../fixture/program.ts";
import { type Relay, startRelay } from "../../fixture/relay.ts";
import { AdminClient } from "../../sandbox/admin/admin-client.ts";
import { createWorkers, type Workers } from "../../store/processes.ts";
import type { RatesJob } from "../../store/rates-worker.ts";
import { connect, endAssistants } from "../process/assistant.ts";
import { homeOf, openAccount, sell } from "./exchange-desk.ts";
import type { Answers } from "./flood.ts";

const ONE = 100_000_000n;
const opened: (Sandbox | Relay)[] = [];
let workers: Workers<RatesJob>;

/** With its rates as they are. */
async function exchangeAs(as: "upbit" | "bithumb") {
  const sandbox = await startSandbox({ as, marketMaker: false, admin: {} });
  opened.push(sandbox);
  openAccount(sandbox, "maker");
  sell(sandbox, { orderId: "maker-1", price: 100_000_000n * ONE, volume: ONE });
  const admin = new AdminClient(sandbox.admin ?? { url: "", token: "" });
  return { sandbox, admin, key: openAccount(sandbox, "desk") };
}

beforeAll(async () => {
  workers = await createWorkers<RatesJob>(join(import.meta.dirname, "../../store/rates-worker.ts"));
});
afterAll(async () => {
  endAssistants();
  await workers.end();
  for (const each of opened) await each.close();
  await cleanUp();
});

describe.each([["upbit"], ["bithumb"]] as const)("two processes of one store at %s", (exchange) => {
  it("are refused nothing for their number, while each calls as fast as it may", async () => {
    const { sandbox, key } = await exchangeAs(exchange);
    const location = { path: join(freshHome(), "hoga.db") };
    const job = {
      role: "flood",
      location,
      exchange,
      baseUrl: sandbox.baseUrl,
      key,
      rounds: 30,
      atMs: Date.now() + 2_000,
    } as const;
    const answers = (await workers.run<Answers>([job, job])).flatMap((each) => Object.entries(each));
    const refused = answers.filter(([name]) => !/ 20[01]$/.test(name));
    expect(refused).toEqual([]);
    const placed = answers.filter(([name]) => name.startsWith("place")).map(([, times]) => times);
    expect(placed).toEqual([30, 30]);
  });
});

describe("two programs of one data directory at upbit", () => {
  it("keep its rate together, and a ban that one of them met, which a third that begins then keeps too", async () => {
    const { sandbox, admin, key } = await exchangeAs("upbit");
    const relay = await startRelay(sandbox.baseUrl);
    opened.unshift(relay);
    const times: number[] = [];
    relay.decide(({ path }) => {
      if (path.startsWith("/v1/ticker?")) times.push(performance.now());
      return "forward";
    });
    const home = homeOf("upbit", relay.url, key);
    const both = await Promise.all([connect({ home }), connect({ home })]);
    const looks = both.flatMap((one) =>
      Array.from({ length: 25 }, () => one.call("get_ticker", { symbols: ["BTC/KRW"] })),
    );
    for (const said of await Promise.all(looks)) expect(said).toMatchObject({ isError: false });
    expect(times).toHaveLength(50);
    const most = Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 1_000).length));
    expect(most).toBeLessThanOrEqual(10);

    await admin.must("POST", "/faults", {
      kind: "ban",
      status: 418,
      for_ms: 60_000,
      method: "GET",
      path: "/v1/accounts",
    });
    const [first, second] = both;
    const shut = /shut .* out/i;
    expect((await first.call("get_balances")).error).toMatchObject({ code: "EAPI:Rate limit exceeded" });
    await admin.must("DELETE", "/faults");
    const arrived = relay.arrivals.length;
    expect((await second.call("get_balances")).error?.message).toMatch(shut);
    const cancel = await second.call("cancel_all_orders");
    expect(JSON.stringify(cancel)).toMatch(shut);
    const fresh = await run(["call", "get_balances", "{}", "--json"], { home });
    expect(`${fresh.stdout}${fresh.stderr}`).toMatch(shut);
    const isPrivate = ({ path }: { readonly path: string }) =>
      /accounts|order/.test(path) && !path.startsWith("/v1/orderbook");
    expect(relay.arrivals.slice(arrived).filter(isPrivate)).toEqual([]);
  });
});
