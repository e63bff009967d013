import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type OpenedExchange, openExchange } from "../../../src/sandbox/engine/index.ts";
import { type Disk, NODE_DISK } from "../../../src/sandbox/engine/storage/disk.ts";
import { familiesOf } from "../../../src/sandbox/families.ts";
import { type ApiServer, createApiServer } from "../../../src/sandbox/http/server.ts";
import { ensurePaperAccount } from "../../../src/sandbox/paper-account.ts";
import { createService, DEFAULT_LIMITS } from "../../../src/sandbox/service/service.ts";
import { send } from "../http/signed-client.ts";
import { START } from "../http/venue.ts";
import { AliasClient, refusal } from "./alias-client.ts";

/** A disk whose writes and syncs can be made to fail. */
const trouble: { write?: Error | undefined; sync?: Error | undefined } = {};
const disk: Disk = {
  ...NODE_DISK,
  write(file, line) {
    if (trouble.write !== undefined) throw trouble.write;
    NODE_DISK.write(file, line);
  },
  async sync(file) {
    if (trouble.sync !== undefined) throw trouble.sync;
    await NODE_DISK.sync(file);
  },
};

const key = { accountId: "paper", apiKey: "key", apiSecret: randomBytes(64).toString("base64") };
const clock = { now: START };
let dir: string;
let opened: OpenedExchange;
let front: ApiServer;
let paper: AliasClient;

async function start(): Promise<void> {
  const now = () => clock.now;
  opened = await openExchange({ dir, seed: 1, marketMaker: false, now, disk });
  await ensurePaperAccount(opened, key, now());
  const service = createService({ journaled: opened, limits: DEFAULT_LIMITS, now, randomBytes, onDefect: () => {} });
  front = createApiServer(service, familiesOf(service));
  await new Promise<void>((resolve) => front.server.listen(0, "127.0.0.1", resolve));
  paper = new AliasClient(`http://127.0.0.1:${(front.server.address() as AddressInfo).port}`, key, clock);
}

async function stop(): Promise<void> {
  await front.close(100);
  await opened.close().catch(() => {});
}

beforeEach(async () => {
  trouble.write = trouble.sync = undefined;
  dir = await mkdtemp(join(tmpdir(), "sandbox-alias-"));
  await start();
});
afterEach(async () => {
  await stop();
  await rm(dir, { recursive: true, force: true });
});

describe("an alias order", () => {
  it("is the same after a restart: its ids, its client order id, its state", async () => {
    const { orderId } = (await paper.order({ newClientOrderId: "kept" })).json;
    const before = (await paper.get("order", { symbol: "BTCKRW", orderId })).json;
    await stop();
    clock.now += 1000;
    await start();
    expect((await paper.get("order", { symbol: "BTCKRW", orderId })).json).toEqual(before);
    expect((await paper.get("order", { symbol: "BTCKRW", origClientOrderId: "kept" })).json).toEqual(before);
    expect((await paper.delete("order", { symbol: "BTCKRW", orderId })).json).toMatchObject({ txid: [orderId] });
  });
});

describe("when the disk fails", () => {
  it("at the sync, the status of the order that waits is unknown, and no signed call is answered after it", async () => {
    trouble.sync = new Error("EIO: secret path");
    const reply = await paper.order();
    expect(refusal(reply)).toEqual([503, -1006]);
    expect(reply.json.msg).toMatch(/status unknown/i);
    expect(reply.text).not.toContain("EIO");
    expect(refusal(await paper.order())).toEqual([503, -1006]);
    // A read would show what a restart may not know.
    for (const path of ["openOrders", "account"]) expect(refusal(await paper.get(path))).toEqual([503, -1006]);
    expect((await send(paper.baseUrl, "GET", "/api/v3/ping")).status).toBe(200);
  });

  it("at the write, whether the order was placed is unknown too, and says so in the number for it", async () => {
    trouble.write = new Error("ENOSPC");
    expect(refusal(await paper.order())).toEqual([504, -1007]);
    expect(refusal(await paper.get("account"))).toEqual([503, -1006]);
  });
});
