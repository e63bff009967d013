/**
 * A profile that speaks the Trading API, from its settings to the exchange and back.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Ended, limitBuy, oneLine } from "../fixture/command.ts";
import { widePaperHome } from "../fixture/home.ts";
import { cleanUp, run } from "../fixture/in-process.ts";

interface Report {
  readonly outcome: string;
  readonly state: string;
  readonly userref: string;
  readonly kept_by: string;
  readonly order: { readonly settlement: object; readonly trades?: readonly object[] };
  readonly error: { readonly code: string; readonly field: string };
  readonly problems: readonly { readonly code: string }[];
  readonly next_action: string;
}

const COMPLIANCE = `
[profiles.trading.compliance]
vasp_purpose_code = "P2B_TRADE"
originator_vasp_id = "VASP-KR-1"
kyc_level = "TIER2"
settlement_mode = "STANDARD_KRW"
`;

let home: string;
const call = (profile: string, ...args: readonly string[]): Promise<Ended> =>
  run(["call", ...args, "--profile", profile, "--json"], { home });

beforeAll(async () => {
  home = await widePaperHome();
  const bare = '[profiles.bare]\nenvironment = "sandbox"\napi = "trading"\n';
  const trading = '[profiles.trading]\nenvironment = "sandbox"\napi = "trading"\n';
  writeFileSync(join(home, "config.toml"), bare + trading + COMPLIANCE, { mode: 0o600 });
});
afterAll(cleanUp);

describe("a profile with api = trading", () => {
  it("places, finds and cancels an order, with the profile's compliance fields", async () => {
    const placed = await call("trading", ...limitBuy("90000000"));
    expect(placed.code).toBe(0);
    const { outcome, state, userref, order } = oneLine<Report>(placed);
    expect([outcome, state]).toEqual(["accepted", "open"]);
    expect(order.settlement).toMatchObject({ mode: "STANDARD_KRW", expected_settle_time: "T+1" });
    expect(oneLine<Report>(await call("trading", "get_order", "--userref", userref)).state).toBe("open");
    const canceled = await call("trading", "cancel_order", "--userref", userref);
    expect([canceled.code, oneLine<Report>(canceled).state]).toEqual([0, "canceled"]);
  });

  it("shows what is not settled yet, of the balance and of each own trade", async () => {
    const market = ["--symbol", "BTC/KRW", "--side", "buy", "--type", "market", "--quote-amount", "50000"];
    const placed = oneLine<Report>(await call("trading", "place_order", ...market));
    expect([placed.outcome, placed.order.settlement]).toMatchObject(["accepted", { state: "pending" }]);
    const { balances } = oneLine<{ balances: { asset: string; available: string; unsettled: string }[] }>(
      await call("trading", "get_balances"),
    );
    const coins = balances.find(({ asset }) => asset === "BTC");
    expect(coins?.unsettled).toBe(coins?.available);
    const { trades } = oneLine<{ trades: { settlement: object }[] }>(await call("trading", "get_trade_history"));
    expect(new Set(trades.map(({ settlement }) => JSON.stringify(settlement)))).toEqual(
      new Set(['{"state":"pending"}']),
    );
  });

  it("has the exchange keep the cancel timer", async () => {
    const timer = oneLine<Report>(await call("trading", "set_cancel_timer", "--timeout-s", "60"));
    expect(timer.kept_by).toBe("exchange");
    expect((await call("trading", "set_cancel_timer", "--timeout-s", "0")).code).toBe(0);
  });

  it("when it has no compliance fields, sends no order, and says what is missing and where it goes", async () => {
    const preview = oneLine<Report>(await call("bare", "preview_order", ...limitBuy("90000000").slice(1)));
    expect(preview.problems).toMatchObject([{ code: "ECompliance:Missing travel-rule metadata" }]);
    const placed = await call("bare", ...limitBuy("90000000"));
    const { outcome, error, next_action } = oneLine<Report>(placed);
    expect([outcome, error.code, error.field]).toEqual([
      "not_sent",
      "ECompliance:Missing travel-rule metadata",
      "compliance",
    ]);
    expect(next_action).toContain("[profiles.NAME.compliance]");
    const open = await call("bare", "get_open_orders");
    expect(oneLine<{ orders: unknown[] }>(open).orders).toEqual([]);
  });
});
