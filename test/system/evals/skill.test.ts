import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openStage } from "../../../evals/stage.ts";
import { taughtCalls } from "../../skills/taught-calls.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const page = readFileSync(join(root, "skills", "hoga-trading", "references", "requests.md"), "utf8");
/** All fit one exchange as they stand, but for the size of "everything". */
const POLICY = { max_order_krw: "10000000", max_day_krw: "100000000" };

describe.concurrent("every call that the skill teaches", () => {
  it.each(taughtCalls(page))("$ko: $tool", async ({ tool, args }) => {
    const stage = await openStage({ policy: POLICY, person: "nobody" });
    try {
      const order = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "149000000" };
      expect(await stage.call("place_order", { ...order, userref: "dip-1" })).toMatchObject({ isError: false });
      const { isError, text } = await stage.call(tool, args);
      expect({ isError, text }).toEqual({ isError: false, text: expect.stringMatching(/^\[sandbox\] ./) });
    } finally {
      await stage.close();
    }
  });
});
