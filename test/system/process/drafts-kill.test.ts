/**
 * `kill -9` while money is on its way: the program died between its durable intent and the answer, and the next one finds out what
 * became of it from the exchange, without sending anything.
 */
import { afterAll, describe, expect, it, vi } from "vitest";
import { oneLine } from "../../fixture/command.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { allowDrafts, PAYEE, switchOnDrafts } from "../../fixture/drafts-home.ts";
import { type FaultProxy, startFaultProxy } from "../../fixture/fault-proxy.ts";
import { cleanUp, run, start, startSandbox } from "../../fixture/program.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });
afterAll(cleanUp);

const SEND = /^POST \/v0.1\/remittances$/;

interface Said {
  readonly outcome?: string;
  readonly state?: string;
  readonly transfer_id?: string;
  readonly quote?: { readonly quote_id: string };
  readonly error?: { readonly code: string };
}

interface World {
  readonly proxy: FaultProxy;
  call(tool: string, args: object): Promise<Said>;
  /** Calls a tool in a process that is killed when its request has reached the exchange. */
  killedIn(tool: string, args: object): Promise<void>;
  available(): Promise<string>;
  quote(): Promise<string>;
}

async function openWorld(): Promise<World> {
  const box = await startSandbox({ home: freshHome() }, ["--no-market-maker", "--drafts"]);
  const { base_url, api_key, api_secret } = box.line;
  const proxy = await startFaultProxy(base_url);
  const home = freshHome();
  switchOnDrafts(home, { base_url: proxy.url, key: api_key, secret: api_secret });
  allowDrafts(home, "bounded");
  const call = async (tool: string, args: object): Promise<Said> =>
    oneLine(await run(["call", "--json", tool, JSON.stringify(args)], { home }));
  return {
    proxy,
    call,
    killedIn: async (tool, args) => {
      const doomed = start(["call", tool, JSON.stringify(args)], { home });
      await proxy.reached(SEND);
      await doomed.stop("SIGKILL");
    },
    available: async () => {
      const { balances } = (await call("get_balances", {})) as {
        readonly balances?: readonly { readonly asset: string; readonly available: string }[];
      };
      return balances?.find(({ asset }) => asset === "KRW")?.available ?? "";
    },
    quote: async () => {
      const body = { source_asset: "KRW", target_currency: "USD", amount: "200000", destination_country: "US" };
      return (await call("quote_remittance", body)).quote?.quote_id ?? "";
    },
  };
}

const remittance = (quote_id: string) => ({
  quote_id,
  beneficiary: PAYEE,
  originator_vasp_id: "VASP-KR-1",
  purpose_code: "FAMILY_SUPPORT",
});

describe("a process that is killed while its remittance is on its way", () => {
  it("has sent it once where the exchange took it: the next process tells, and sends no second one", async () => {
    const world = await openWorld();
    const before = await world.available();
    const args = remittance(await world.quote());
    world.proxy.plan(SEND, "lose_hang");
    await world.killedIn("send_remittance", args);
    const told = await world.call("send_remittance", args);
    expect(told).toMatchObject({ outcome: "accepted" });
    expect(await world.call("send_remittance", args)).toMatchObject({ transfer_id: told.transfer_id });
    expect(world.proxy.deliveries(SEND)).toBe(1);
    expect(Number(before) - Number(await world.available())).toBe(200_000);
    await world.proxy.close();
  });

  it("has sent nothing where the request never arrived: once that is proven, a repeated call makes it once", async () => {
    const world = await openWorld();
    const before = await world.available();
    const args = remittance(await world.quote());
    world.proxy.plan(SEND, "late");
    await world.killedIn("send_remittance", args);
    expect(await world.call("send_remittance", args)).toMatchObject({ outcome: "not_sent", state: "not_made" });
    // Behind the fence the lost request can have no effect any more, though it arrives.
    expect(await world.proxy.deliverLate()).toEqual([401]);
    expect(await world.available()).toBe(before);
    expect(await world.call("send_remittance", args)).toMatchObject({ outcome: "accepted" });
    expect(Number(before) - Number(await world.available())).toBe(200_000);
    await world.proxy.close();
  });
});
