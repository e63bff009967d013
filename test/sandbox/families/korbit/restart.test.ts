import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { venueAccess } from "../../../../src/sandbox/index.ts";
import { openKorbit, refusal } from "./korbit-client.ts";

it("a restart keeps orders, the ids that are used, the key pair, and the cancellations that were taken", async () => {
  const dir = mkdtempSync(join(tmpdir(), "hoga-korbit-"));
  try {
    const before = await openKorbit({ dir });
    const { paper, admin } = before;
    const kept = (await paper.order({ clientOrderId: "kept" })).json.data.orderId;
    await paper.order({ clientOrderId: "ends" });
    await admin.must("POST", "/faults", { kind: "late_execution", method: "DELETE", path: "/v2/orders", ms: 50_000 });
    expect((await paper.cancel({ clientOrderId: "ends" })).json).toEqual({ success: true });
    const { privateKey } = venueAccess("korbit", paper.credentials.apiSecret);
    await before.venue.sandbox.close();
    const after = await openKorbit({ dir });
    expect(venueAccess("korbit", after.paper.credentials.apiSecret)).toMatchObject({ privateKey });
    expect((await after.paper.find({ clientOrderId: "kept" })).json.data).toMatchObject({
      orderId: kept,
      status: "open",
    });
    expect((await after.paper.find({ clientOrderId: "ends" })).json.data.status).toBe("canceled");
    expect(refusal(await after.paper.order({ clientOrderId: "kept" }))[1]).toBe("DUPLICATE_CLIENT_ORDER_ID");
    const next = (await after.paper.order()).json.data.orderId;
    expect(next).toBeGreaterThan(kept);
    await after.venue.sandbox.close();
    expect([...before.venue.defects, ...after.venue.defects]).toEqual([]);
  } finally {
    rmSync(dir, { recursive: true });
  }
});
