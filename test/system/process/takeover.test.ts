import { setTimeout as pause } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { eventually, oneLine } from "../../fixture/command.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { wideHome } from "../../fixture/home.ts";
import { cleanUp, run, startSandbox } from "../../fixture/program.ts";
import { hostOf } from "../../fixture/witness.ts";
import { type Assistant, connect, endAssistants, type Reply } from "./assistant.ts";

afterAll(async () => {
  endAssistants();
  await cleanUp();
});

const LIMIT = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.0001", price: "90000000" };

interface Account {
  readonly balances: Reply["balances"];
  readonly open: readonly (string | null)[];
}

async function look(assistant: Assistant): Promise<Account> {
  const [{ balances }, { orders = [] }] = [
    await assistant.call("get_balances"),
    await assistant.call("get_open_orders"),
  ];
  return { balances, open: orders.map(({ userref }) => userref) };
}

/** Two assistants; the first hosts the exchange and has placed two orders. */
async function hostAndOther(home: string): Promise<readonly [Assistant, Assistant]> {
  const host = await connect({ home });
  for (const userref of ["one", "two"])
    expect(await host.call("place_order", { ...LIMIT, userref })).toMatchObject({ outcome: "accepted" });
  const other = await connect({ home });
  expect((await look(other)).open).toEqual(["two", "one"]);
  expect(hostOf(home)?.pid).toBe(host.pid);
  return [host, other];
}

describe("when the process that hosts the paper exchange ends", () => {
  it.concurrent.each([
    ["is killed at once", 0, "kill"],
    // Longer than the exchange keeps a connection on which nothing is asked.
    ["is killed after a quiet while", 12_000, "kill"],
    ["closes", 0, "close"],
  ] as const)(
    "because it %s, another takes over by itself, and the account is remembered for ever after",
    async (_, quietMs, end) => {
      const home = wideHome();
      const [host, other] = await hostAndOther(home);
      const before = await look(other);
      await pause(quietMs);
      await host[end]();
      // Nobody asks anything of it.
      await eventually(() => (hostOf(home)?.pid === other.pid ? true : undefined), 5_000);
      expect(await look(other)).toEqual(before);
      expect(await other.call("place_order", { ...LIMIT, userref: "three" })).toMatchObject({ outcome: "accepted" });

      const third = await connect({ home });
      const after = await look(third);
      expect(after.open).toEqual(["three", "two", "one"]);
      expect(hostOf(home)?.pid).toBe(other.pid);
      await Promise.all([other.close(), third.close()]);
      expect(hostOf(home)).toBeUndefined();

      const tomorrow = await connect({ home });
      expect(await look(tomorrow)).toEqual(after);
      expect(await tomorrow.call("get_order", { userref: "one" })).toMatchObject({ state: "open" });
      await tomorrow.close();
    },
    60_000,
  );

  it("and somebody else's exchange gets its port, nobody goes there", async () => {
    const [home, strange] = [wideHome(), freshHome()];
    const { line, ...ours } = await startSandbox({ home });
    expect(await run(["call", "place_order", JSON.stringify({ ...LIMIT, userref: "ours" })], { home })).toMatchObject({
      code: 0,
    });
    await ours.stop("SIGKILL");
    expect(hostOf(home)?.base_url).toBe(line.base_url);
    const { port } = new URL(line.base_url);
    const theirs = await startSandbox({ home: strange }, ["--no-market-maker", "--port", port]);
    expect(theirs.line.base_url).toBe(line.base_url);
    expect(oneLine(await run(["orders", "--json"], { home }))).toMatchObject({ orders: [{ userref: "ours" }] });
    await theirs.stop();
  });

  it("because its command is done, the commands beside it say truthfully what became of theirs", async () => {
    const home = wideHome();
    const userrefs = Array.from({ length: 6 }, (_, at) => `beside-${at}`);
    const place = (userref: string) =>
      run(["call", "place_order", "--json", JSON.stringify({ ...LIMIT, userref })], { home });
    const ended = await Promise.all(userrefs.map(place));
    const { orders } = oneLine<{ orders: { userref: string }[] }>(await run(["orders", "--json"], { home }));
    const there = new Set(orders.map(({ userref }) => userref));
    expect(there.size).toBe(orders.length);
    const placed = userrefs.filter((_, at) => ended[at]?.code === 0);
    expect(placed.length).toBeGreaterThan(0);
    for (const userref of placed) expect(there).toContain(userref);
    for (const [at, { code, stdout }] of ended.entries()) {
      if (code === 0) continue;
      // Cut off while its request was on its way: unknown, and no promise either way. Everything else never left.
      if (code === 4) expect(oneLine({ stdout })).toMatchObject({ outcome: "unknown" });
      else expect(oneLine({ stdout })).toMatchObject({ outcome: "not_sent" });
      if (code !== 4) expect(there).not.toContain(userrefs[at]);
    }
    expect(ended.map(({ stderr }) => stderr).join("")).toBe("");
  });
});
