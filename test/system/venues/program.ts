/** Tests of an exchange's API as a program of its own, `hoga sandbox --as NAME`, and of a desk whose profile has its address. */
import { afterAll, describe, expect, it } from "vitest";
import { eventually } from "../../fixture/command.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { startSandbox } from "../../fixture/program.ts";
import { type Assistant, connect } from "../process/assistant.ts";
import { homeOf, type Said } from "./exchange-desk.ts";
import type { Exchange } from "./exchanges.ts";

export function testProgram({ name, historyLagMs }: Exchange): void {
  describe(`hoga sandbox --as ${name}, and a profile with its address`, () => {
    let assistant: Assistant | undefined;
    afterAll(() => assistant?.close());

    it("has a desk look, order, change, cancel and halt as at the exchange", async () => {
      const program = await startSandbox({ home: freshHome() }, ["--as", name]);
      const { base_url, api_key, api_secret } = program.line;
      expect(program.line).toMatchObject({ as: name });
      assistant = await connect({ home: homeOf(name, base_url, { apiKey: api_key, apiSecret: api_secret }) });
      const person = assistant;
      const call = (tool: string, args?: object) => person.call(tool, args) as Promise<Said>;
      const listed = (tool: string, what: string): Promise<unknown[]> =>
        eventually(async () => {
          const list = (await call(tool))[what] as unknown[];
          return list.length > 0 ? list : undefined;
        }, historyLagMs);
      const order = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "90000000" };
      expect(await call("get_desk_status")).toMatchObject({ profile: name, venue: "up", can_trade: true });
      expect(await call("get_ticker", { symbols: ["BTC/KRW"] })).toMatchObject({ tickers: [{ symbol: "BTC/KRW" }] });
      expect(await call("preview_order", order)).toMatchObject({ valid: true });
      expect(await call("place_order", { ...order, userref: "mine" })).toMatchObject({ outcome: "accepted" });
      const market = { symbol: "BTC/KRW", side: "buy", type: "market", quote_amount: "50000" };
      expect(await call("place_order", market)).toMatchObject({ outcome: "accepted" });
      expect(await listed("get_order_history", "orders")).toMatchObject([{ symbol: "BTC/KRW" }]);
      expect((await listed("get_trade_history", "trades"))[0]).toMatchObject({ symbol: "BTC/KRW" });
      expect(await call("get_portfolio")).toMatchObject({ isError: false });
      const moved = await call("replace_order", { userref: "mine", price: "91000000" });
      expect(moved).toMatchObject({ outcome: "accepted", replaced: { state: "canceled" } });
      expect(await call("cancel_all_orders")).toMatchObject({ canceled: 1, remaining: 0 });
      expect(await call("halt_trading", { reason: "enough" })).toMatchObject({ isError: false });
      expect(await call("place_order", order)).toMatchObject({ outcome: "not_sent", state: "denied" });
      expect(await program.stop()).toMatchObject({ code: 0, stderr: "" });
    });
  });
}
