/** The real program on a disk without space: no order leaves, everything else goes on, and it recovers by itself. */
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { eventually, limitBuy, oneLine, quartet } from "../../fixture/command.ts";
import { WIDE, wideHome, writePolicy } from "../../fixture/home.ts";
import { cleanUp, type RunningProgram, run, start, startSandbox } from "../../fixture/program.ts";
import { type Relay, startRelay } from "../../fixture/relay.ts";
import { type SmallDisk, smallDisk } from "../../fixture/small-disk.ts";

const FULL = /The disk that holds the store \S+hoga\.db is full/;
const ORDER = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "90000000" };
const CLIENT = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };

interface Answer {
  readonly id: string;
  readonly result: { readonly isError?: boolean; readonly structuredContent: Readonly<Record<string, unknown>> };
}

let disk: SmallDisk;
let relay: Relay;
let env: Readonly<Record<string, string>>;
beforeEach(async () => {
  const { line } = await startSandbox({});
  relay = await startRelay(line.base_url);
  env = quartet(relay.url, line.api_key, line.api_secret);
  disk = await smallDisk();
  writePolicy(disk.seen, WIDE);
});
afterEach(async () => {
  await cleanUp();
  await relay.close();
  await disk.close();
});
afterAll(cleanUp);

/** Orders that have arrived at the exchange. */
const arrived = (): number => relay.arrivals.filter(({ method }) => method === "POST").length;
/** Of somebody with a disk of their own. */
const placeElsewhere = async (): Promise<void> =>
  expect((await run(["call", ...limitBuy("80000000")], { home: wideHome(), env })).code).toBe(0);
const command = (...words: readonly string[]) => run([...words, "--json"], { home: disk.home, env }, disk.through);

function asking(server: RunningProgram) {
  const send = (message: object) => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  send({ id: "initialize", method: "initialize", params: CLIENT });
  send({ method: "notifications/initialized" });
  let last = 0;
  return async (name: string, args: object = {}): Promise<Answer["result"]> => {
    const id = `${name} ${++last}`;
    send({ id, method: "tools/call", params: { name, arguments: args } });
    const lines = () => server.stdout().split("\n").slice(0, -1);
    const answer = () =>
      lines()
        .map((line) => JSON.parse(line) as Answer)
        .find((one) => one.id === id);
    return (await eventually(answer)).result;
  };
}

const refused = {
  isError: true,
  structuredContent: {
    outcome: "not_sent",
    error: { message: expect.stringMatching(FULL), retryable: expect.any(Boolean) },
  },
};

describe("a server that begins on a full disk", () => {
  it("answers queries, cancels, halts, lets no order leave, and trades once there is space", async () => {
    await placeElsewhere();
    disk.fill();
    const server = start(["serve"], { home: disk.home, env }, disk.through);
    const ask = asking(server);
    await eventually(() => (FULL.test(server.stderr()) ? true : undefined));
    expect(await ask("get_balances")).toMatchObject({ structuredContent: { account: "paper" } });
    const { structuredContent: listed } = await ask("get_open_orders");
    expect(listed).toMatchObject({ orders: [{ price: "80000000" }] });
    expect(await ask("place_order", ORDER)).toMatchObject(refused);
    expect(await ask("get_desk_status")).toMatchObject({
      structuredContent: { can_trade: false, warnings: expect.arrayContaining([expect.stringMatching(FULL)]) },
    });
    expect(await ask("cancel_all_orders")).toMatchObject({ structuredContent: { canceled: 1, remaining: 0 } });
    expect(arrived()).toBe(1);
    disk.free();
    await eventually(() => (server.stderr().includes("The store is open now") ? true : undefined));
    expect(await ask("get_desk_status")).toMatchObject({ structuredContent: { can_trade: true, warnings: [] } });
    expect(await ask("place_order", ORDER)).toMatchObject({ structuredContent: { outcome: "accepted" } });
    expect(arrived()).toBe(2);
    expect(await server.stop()).toMatchObject({ code: 0 });
  });

  it("is halted at least itself, says so, and stays halted when there is space", async () => {
    await placeElsewhere();
    disk.fill();
    const ask = asking(start(["serve"], { home: disk.home, env }, disk.through));
    const halt = await ask("halt_trading");
    expect(halt).toMatchObject({ isError: true, structuredContent: { brake: "here", canceled: 1, remaining: 0 } });
    disk.free();
    await eventually(async () =>
      (await command("orders")).code === 0 && disk.files().includes("hoga.db.brake") ? true : undefined,
    );
    const everywhere = async () => {
      const { brake } = oneLine(await command("call", "get_desk_status"));
      return brake === undefined ? undefined : brake;
    };
    expect(await eventually(everywhere)).toMatchObject({ by: "assistant" });
  });
});

describe("a command on a full disk", () => {
  it("looks, cancels and halts, and lets no order leave", async () => {
    await placeElsewhere();
    disk.fill();
    expect(oneLine(await command("orders"))).toMatchObject({ orders: [{ price: "80000000" }] });
    const placed = await command("call", ...limitBuy());
    expect(placed.code).toBe(1);
    expect(oneLine(placed)).toMatchObject({ outcome: "not_sent", error: { message: expect.stringMatching(FULL) } });
    expect(oneLine(await command("call", "cancel_all_orders"))).toMatchObject({ canceled: 1, remaining: 0 });
    const halted = await command("halt");
    expect(halted.code).toBe(1);
    expect(oneLine(halted)).toMatchObject({ brake: expect.not.stringMatching("everywhere"), remaining: 0 });
    expect(arrived()).toBe(1);
  });
});

describe("where the disk fills up under a server", () => {
  it("its status says that nothing can be traded and why, and a halt is told as it is", async () => {
    const server = start(["serve"], { home: disk.home, env }, disk.through);
    const ask = asking(server);
    expect(await ask("place_order", ORDER)).toMatchObject({ structuredContent: { outcome: "accepted" } });
    expect(await ask("get_desk_status")).toMatchObject({ structuredContent: { can_trade: true } });
    disk.fill();
    const denied = await ask("place_order", { ...ORDER, price: "91000000" });
    expect(denied).toMatchObject(refused);
    expect(await ask("get_desk_status")).toMatchObject({
      structuredContent: { can_trade: false, warnings: expect.arrayContaining([expect.stringMatching(FULL)]) },
    });
    const halted = await command("halt");
    const report = oneLine(halted);
    expect(report).toMatchObject({ brake: "everywhere", canceled: 1, remaining: 0 });
    expect(halted.code).toBe(report["next_action"] === undefined ? 0 : 1);
    disk.free();
    expect(await ask("get_desk_status")).toMatchObject({
      structuredContent: { can_trade: false, brake: { by: expect.any(String) } },
    });
  });
});

describe("the exchange begun on a full disk", () => {
  it("says so, ends with 1, and leaves nothing half written", async () => {
    disk.fill();
    const { code, stdout, stderr } = await run(["sandbox", "--json", "--port", "0"], { home: disk.home }, disk.through);
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringMatching(/full|ENOSPC/) });
    expect(JSON.parse(stdout)).toMatchObject({ error: { message: expect.any(String) } });
    expect(disk.files().filter((name) => /tmp|\.\d+$|part|draft/.test(name))).toEqual([]);
    disk.free();
    const again = await startSandbox({ home: disk.home }, [], disk.through);
    expect(again.line.base_url).toMatch(/^http/);
  });
});
