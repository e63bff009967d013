import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { PaperExchange } from "../../../src/cli/paper/exchange.ts";
import { tryHoldLock } from "../../../src/store/index.ts";
import { eventually } from "../../fixture/command.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { cleanUp } from "../../fixture/program.ts";
import { SignedClient } from "../../sandbox/http/signed-client.ts";

const disk = vi.hoisted(() => ({ full: false }));

vi.mock(import("../../../src/sandbox/engine/storage/disk.ts"), async (original) => {
  const real = await original();
  const write: typeof real.NODE_DISK.write = (file, bytes) => {
    if (disk.full) throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
    real.NODE_DISK.write(file, bytes);
  };
  return { ...real, NODE_DISK: { ...real.NODE_DISK, write } };
});

const opened: PaperExchange[] = [];
afterEach(async () => {
  disk.full = false;
  for (const exchange of opened.splice(0)) await exchange.close();
  await cleanUp();
});

function paper(dir: string, told: string[] = []): PaperExchange {
  const exchange = new PaperExchange({
    dir,
    standBy: false,
    sandbox: { marketMaker: false },
    onTrouble: (message) => told.push(message),
  });
  opened.push(exchange);
  return exchange;
}

describe("a paper exchange whose disk was full for a while", () => {
  it("is reopened, at the same address, with what is on disk and nothing else", async () => {
    const dir = freshHome();
    const told: string[] = [];
    const exchange = paper(dir, told);
    const baseUrl = await exchange.locate();
    const client = new SignedClient(baseUrl, exchange.key());
    expect(await client.order({ userref: "before" })).toMatchObject({ status: 201 });
    disk.full = true;
    expect((await client.order({ userref: "lost" })).status).toBe(503);
    await eventually(() => told.find((message) => message.includes("cannot be reopened yet")));
    expect(told[0]).toMatch(/stopped: .*ENOSPC/);
    expect(await tryHoldLock(join(dir, "host.lock"))).toBeUndefined();
    disk.full = false;
    await eventually(() => told.find((message) => message.includes(`open again at ${baseUrl}`)));
    expect(told).toHaveLength(3);
    expect(exchange.isHost).toBe(true);
    expect(await exchange.locate()).toBe(baseUrl);
    const again = new SignedClient(baseUrl, exchange.key());
    expect(await again.order({ userref: "after" })).toMatchObject({ status: 201 });
    const { orders } = (await again.get("/v1/orders?state=all")).json as { orders: { userref: string }[] };
    expect(orders.map(({ userref }) => userref)).toEqual(["after", "before"]);
    expect(await paper(dir).locate()).toBe(baseUrl);
  }, 30_000);

  it("can be closed meanwhile without waiting for the disk, which frees its directory", async () => {
    const dir = freshHome();
    const told: string[] = [];
    const exchange = paper(dir, told);
    const client = new SignedClient(await exchange.locate(), exchange.key());
    disk.full = true;
    await client.order();
    await eventually(() => told.find((message) => message.includes("cannot be reopened yet")));
    await exchange.close();
    disk.full = false;
    const next = paper(dir);
    await next.locate();
    expect(next.isHost).toBe(true);
  }, 30_000);
});

describe("a port file that leads to another program", () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });

  async function strange(talk: (write: (text: string) => void) => void): Promise<string> {
    const server = createServer((_, response) => {
      response.writeHead(200, { "api-version": "1.4.0" });
      talk((text) => response.write(text));
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  }

  it.each([
    ["sends without an end", (write: (text: string) => void) => setInterval(() => write("x"), 20)],
    ["sends as much as it can", (write: (text: string) => void) => setInterval(() => write("x".repeat(64 * 1024)), 1)],
  ])(
    "when the program %s, is passed over, and the exchange hosted here",
    async (_, talk) => {
      const dir = freshHome();
      const timers: NodeJS.Timeout[] = [];
      const baseUrl = await strange((write) => timers.push(talk(write)));
      writeFileSync(join(dir, "host.json"), JSON.stringify({ base_url: baseUrl, pid: 1 }));
      const exchange = paper(dir);
      const startedAt = performance.now();
      expect(await exchange.locate()).not.toBe(baseUrl);
      expect(performance.now() - startedAt).toBeLessThan(4_000);
      expect(exchange.isHost).toBe(true);
      for (const timer of timers) clearInterval(timer);
    },
    10_000,
  );
});
