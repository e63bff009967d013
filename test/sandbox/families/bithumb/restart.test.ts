import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openBithumb, refusal } from "./bithumb-client.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "hoga-bithumb-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

describe("an exchange that is started again", () => {
  it("has the orders and the own ids that it had, and counts on", async () => {
    const first = await openBithumb({ dir });
    const { order_id: id } = (await first.paper.order({ client_order_id: "kept" })).json;
    await first.venue.sandbox.close();
    const again = await openBithumb({ dir });
    const { paper } = again;
    expect((await paper.byName("kept")).json).toMatchObject({ uuid: id, state: "wait" });
    expect(refusal(await paper.order({ client_order_id: "kept" }))[1]).toBe("duplicate_client_order_id");
    expect((await paper.order({ client_order_id: "next" })).status).toBe(201);
    await again.venue.sandbox.close();
    expect([first.venue.defects, again.venue.defects]).toEqual([[], []]);
  });
});
