import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openUpbit, refusal } from "./upbit-client.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "hoga-upbit-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

describe("an exchange that is started again", () => {
  it("has the orders, the balances and the identifiers that it had", async () => {
    const first = await openUpbit({ dir });
    await first.maker.order({ side: "ask", volume: "1" });
    await first.paper.order({ identifier: "filled" });
    expect(refusal(await first.paper.order({ identifier: "refused", volume: "1" }))[1]).toBe("insufficient_funds_bid");
    await first.paper.order({ identifier: "open", price: "80000000" });
    await first.paper.order({ identifier: "crossing", time_in_force: "post_only" });
    const asked = async ({ paper }: typeof first) => ({
      accounts: (await paper.get("accounts")).json,
      open: (await paper.get("orders/open")).json,
      closed: (await paper.get("orders/closed")).json,
      filled: (await paper.get("order", { identifier: "filled" })).json,
      book: (await paper.open("orderbook?markets=KRW-BTC")).json,
    });
    const before = await asked(first);
    expect([before.open, before.closed]).toMatchObject([[{}], [{ state: "cancel" }, { state: "done" }]]);
    await first.venue.sandbox.close();
    const second = await openUpbit({ dir });
    expect(await asked(second)).toEqual(before);
    for (const identifier of ["filled", "open", "crossing", "refused"])
      expect(refusal(await second.paper.order({ identifier }))).toEqual([400, "duplicated_identifier"]);
    await second.venue.sandbox.close();
  });
});
