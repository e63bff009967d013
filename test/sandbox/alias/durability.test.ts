import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FaultyDisk, PAPER_KEY, serveOn } from "../http/faulty-disk.ts";
import { send } from "../http/signed-client.ts";
import { START } from "../http/venue.ts";
import { AliasClient, refusal } from "./alias-client.ts";

const clock = { now: START };
let dir: string;
let disk: FaultyDisk;
let served: Awaited<ReturnType<typeof serveOn>>;
let paper: AliasClient;

async function start(): Promise<void> {
  served = await serveOn(disk, dir, { now: () => clock.now });
  paper = new AliasClient(served.url, PAPER_KEY, clock);
}

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "sandbox-alias-"));
  disk = new FaultyDisk();
  await start();
});
afterEach(async () => {
  await served.close();
  await rm(dir, { recursive: true, force: true });
});

describe("an alias order", () => {
  it("is the same after a restart: its ids, its client order id, its state", async () => {
    const { orderId } = (await paper.order({ newClientOrderId: "kept" })).json;
    const before = (await paper.get("order", { symbol: "BTCKRW", orderId })).json;
    await served.close();
    clock.now += 1000;
    await start();
    expect((await paper.get("order", { symbol: "BTCKRW", orderId })).json).toEqual(before);
    expect((await paper.get("order", { symbol: "BTCKRW", origClientOrderId: "kept" })).json).toEqual(before);
    expect((await paper.delete("order", { symbol: "BTCKRW", orderId })).json).toMatchObject({ txid: [orderId] });
  });
});

describe("when the disk fails", () => {
  it("when it fails at the sync, the status of the waiting order is unknown, and no later signed call is answered", async () => {
    disk.syncError = new Error("EIO: secret path");
    const reply = await paper.order();
    expect(refusal(reply)).toEqual([503, -1006]);
    expect(reply.json.msg).toMatch(/status unknown/i);
    expect(reply.text).not.toContain("EIO");
    expect(refusal(await paper.order())).toEqual([503, -1006]);
    // A read would show what a restart may not find.
    for (const path of ["openOrders", "account"]) expect(refusal(await paper.get(path))).toEqual([503, -1006]);
    expect((await send(paper.baseUrl, "GET", "/api/v3/ping")).status).toBe(200);
  });

  it("when it fails at the write, the answer's number says that it is unknown whether the order was placed", async () => {
    disk.writeError = new Error("ENOSPC");
    expect(refusal(await paper.order())).toEqual([504, -1007]);
    expect(refusal(await paper.get("account"))).toEqual([503, -1006]);
  });
});
